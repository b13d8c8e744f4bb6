-- What never took effect is shown to people all the time, and there is little of it among much that did.
CREATE INDEX effects_dead ON effects (id) WHERE status = 'dead';

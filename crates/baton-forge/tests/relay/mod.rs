//! The relay's nouns on a running forge: pull requests, reviews, checks, boards, hooks and GraphQL, over real HTTP and
//! with real git.

mod auto_merge;
mod boards;
mod boards_changes;
mod boards_rest;
mod checks;
mod ci;
mod graph;
mod graph_changes;
mod graph_engine;
mod graph_population;
mod graph_walk;
mod hooks;
mod hooks_courier;
mod hooks_rest;
mod life;
mod lifecycle;
mod merging;
mod paging;
mod protection;
mod pulls;
mod receiver;
mod reviews;
mod teams;
mod threads;
mod world;

//! The words by which an agent says how its run went.

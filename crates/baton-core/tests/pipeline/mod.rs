//! The rules of the pipeline: every row of its specification, every combination of labels and facts, and what must hold
//! whatever happens.

/// Makes a test of every row of the catalogue. A row without a function of its name in `rows` does not compile.
macro_rules! catalogue {
    ($($(#[$doc:meta])* mod $part:ident { $($id:ident: $row:literal),* $(,)? })*) => {
        $($(#[$doc])* mod $part {
            $(#[test]
            fn $id() {
                println!("{}", $row);
                crate::pipeline::rows::$part::$id();
            })*
        })*
    };
}

mod additions;
mod catalogue;
mod exhaustive;
mod liveness;
mod random;
mod rows;
mod world;

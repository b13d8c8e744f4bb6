//! Holds a private PostgreSQL until its input ends: for a person who wants to look, or to keep one across test runs.
//!
//! It takes no arguments and decides nothing; everything is in the library.

#![expect(clippy::print_stdout, reason = "it tells the person at the terminal where the server is")]

use std::error::Error;
use std::io::{self, Write as _};

use baton_testbed::{Cluster, shared};

fn main() -> Result<(), Box<dyn Error>> {
    let cluster = Cluster::start()?;
    println!("{}={}", shared::VARIABLE, cluster.socket_dir().display());
    println!("{}", cluster.url("postgres"));
    io::stdout().flush()?;
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}

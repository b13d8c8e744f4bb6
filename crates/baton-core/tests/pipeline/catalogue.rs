//! The rows of the specification of the pipeline, one id each.
//!
//! The list is made from the specification of the state machine alone, without a look at the code: its transition
//! tables, its lists of guards, gates, labels and steps, and the rules in prose beside them. Each id is the name of a
//! test in the file of tests that is called like its module; the program does not compile while one is missing, so
//! that no row is forgotten. Where Baton decides otherwise, the text says what Baton does, and why after `differs`.
//!
//! An id is the section, the number of the row in it, and a sentence. A letter after the number marks a further fact
//! of the same row; before it, `x` marks a rule in prose, `p` a signal of progress and `r` a rule for checks. The rows
//! of §3.2 are counted through all of its tables. A text gives state, event and guard, then after the arrow the state
//! that results, the labels added and removed, and other effects. "The same" is the row above where it stands before
//! the arrow, and no change of state after it. X is the stage of the column, and Y the next one. A look is one
//! assessment, whatever caused it.
//!
//! Deliberately absent: the tests themselves, and sections that only tell how another program is built inside
//! (observers, caches, goroutines, polling).
//!
//! | section | rows there | ids here |
//! |---|---|---|
//! | §1.2 | 8 labels | 8 |
//! | §1.4 | 19 labels | 19 |
//! | §2.6 | 3 markers, and none of them | 7 |
//! | §2.8 | 3: skipped, and two exceptions | 3 |
//! | §3.1 | 10 in two tables, 5 lines, catching up | 22 |
//! | §3.2 | 47 in thirteen tables, 4 signals of progress | 84 |
//! | §4.1 | 3 filters | 8 |
//! | §4.2 | 11 steps that have an effect (step 0 is display) | 20 |
//! | §4.3 | 4 | 10 |
//! | §4.4 | 3 | 3 |
//! | §4.5 | 1 | 2 |
//! | §5.4 | 7 steps, R2 to R6 (there is no R1) | 19 |
//! | §6.1 | 4 outcomes, 3 mixes of reviewers, 2 labels | 20 |
//! | §6.2 | prose | 3 |
//! | §6.4 | prose | 1 |
//! | §6.5 | prose | 2 |
//! | §6.6 | 3 steps | 4 |
//! | §7.4 | 2 sweeps (its two exceptions are those of §2.8) | 4 |
//! | §7.6 | prose | 8 |
//! | §8.1 | 16 | 16 |
//! | §8.2 | 6 | 7 |
//! | all | | 270 |

mod comments;
mod labels;
mod landing;
mod transitions;

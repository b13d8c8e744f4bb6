//! The grammars, through their public doors: the lines of agents by examples. These have the fields of what the programs
//! print, and words of our own.

mod agent_lines;

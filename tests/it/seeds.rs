//! The documents that the project comes from, as an executable specification: a test for each sentence that can be checked,
//! named after it. What they write down as an example is compared byte for byte; white space is ours.

mod ordering;

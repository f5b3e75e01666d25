//! Prints facts as text, for `gatelint debug ir` and for tests.

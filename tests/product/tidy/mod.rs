//! The house against its plan: imports, room sizes, file heads, words.

mod documents;
mod imports;
mod rooms;

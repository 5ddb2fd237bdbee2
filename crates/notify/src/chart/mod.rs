//! Bars over time as a picture, the same bytes on every machine: mail programs show no drawing of
//! their own.
//!
//! | module | holds |
//! | --- | --- |
//! | `svg` | the drawing as text |
//! | `png` | the text as a picture, with the fonts that are built in |

mod png;
mod svg;

pub(crate) use png::png;
pub(crate) use svg::Bar;

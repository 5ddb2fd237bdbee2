//! The text of a drawing as a picture. The fonts are built in and no others are looked for, so that it
//! has the same bytes wherever it is made.

use std::sync::Arc;

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{self, fontdb};

use super::svg::{Bar, SIZE, svg};

/// Pixels for each of the page's, so that it is sharp on good displays.
const SCALE: u8 = 2;

static REGULAR: &[u8] = include_bytes!("../../fonts/Inter-Regular.ttf");
static SEMI_BOLD: &[u8] = include_bytes!("../../fonts/Inter-SemiBold.ttf");

/// A picture cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DrawError {
    #[error("the drawing is not understood: {0}")]
    Text(#[from] usvg::Error),
    #[error("no room for {0} by {1} pixels")]
    Room(u32, u32),
    #[error("the picture cannot be written: {0}")]
    Form(String),
}

/// Bars as a PNG of 560 by 200 pixels of a page, twice as sharp.
pub(crate) fn png(title: &str, bars: &[Bar]) -> Result<Vec<u8>, DrawError> {
    let mut fonts = fontdb::Database::new();
    for font in [REGULAR, SEMI_BOLD] {
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(font)));
    }
    let options = usvg::Options {
        font_family: "Inter".to_owned(),
        fontdb: Arc::new(fonts),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(&svg(title, bars), &options)?;
    let (width, height) = (SIZE.0 * u32::from(SCALE), SIZE.1 * u32::from(SCALE));
    let mut pixmap = Pixmap::new(width, height).ok_or(DrawError::Room(width, height))?;
    // Opaque: what inverts colours would else show dark text on a dark ground.
    pixmap.fill(Color::WHITE);
    let scale = f32::from(SCALE);
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| DrawError::Form(error.to_string()))
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    fn bars() -> Vec<Bar> {
        [612, 980, 1204, 1130, 1822, 2410, 2266, 1918]
            .iter()
            .enumerate()
            .map(|(index, &value)| Bar {
                label: format!("{} Nov", index + 1),
                value: Some(value.into()),
                at_least: index == 0,
            })
            .collect()
    }

    #[test]
    fn the_same_bars_give_the_same_bytes_in_twice_the_size() {
        let drawn = png("Spent by week, EUR", &bars()).expect("drawn");
        assert_eq!(&drawn[..8], b"\x89PNG\r\n\x1a\n");
        let side = |at: usize| u32::from_be_bytes(drawn[at..at + 4].try_into().expect("four"));
        assert_eq!((side(16), side(20)), (1120, 400));
        assert!(drawn.len() < 60_000, "{}", drawn.len());
        assert!(drawn == png("Spent by week, EUR", &bars()).expect("drawn"), "not the same");
        let mut head = [0; 8];
        head.copy_from_slice(&Sha256::digest(&drawn)[..8]);
        let head = u64::from_be_bytes(head);
        assert_eq!(head, 0x84f1_c586_892c_8efa, "a new picture: look at it before this is changed");
    }

    #[test]
    fn every_text_is_drawn_with_the_fonts_that_are_built_in() {
        // Without its letters, a drawing is the same whatever it says.
        let drawn = |title: &str| png(title, &[]).expect("drawn");
        assert!(drawn("Spent by week, EUR") != drawn("Spent by week, USD"));
        for letter in ["ä", "–", "€", "…", "0"] {
            assert!(drawn(letter) != drawn(" "), "{letter} is not in the fonts");
        }
    }
}

//! GitHub's workflow commands: `::error title=…::text`, and the random words around what must not
//! be taken for one.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// One command on one line. What stands in it is data, whatever it holds.
pub(crate) fn order(name: &str, title: &str, text: &str) -> String {
    let text = reaper_report::clean(text);
    format!("::{name} title={}::{}", property(title), data(&text))
}

/// A word that nobody can foresee, not even who names machines.
pub(crate) fn token() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("reaper-{:016x}{:016x}", random(), random())
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_147_a_name_cannot_end_its_line_or_begin_another_command() {
        let name = "x%0A::add-mask::a\r\n::set-output name=a::b ##[error]c";
        let order = order("warning", "a,b::c%", name);
        assert_eq!(order.lines().count(), 1, "{order}");
        assert_eq!(
            order,
            "::warning title=a%2Cb%3A%3Ac%25::x%250A::add-mask::a⟨d⟩⟨a⟩::set-output name=a::b \
             ##⟨5b⟩error]c"
        );
    }

    #[test]
    fn no_two_tokens_are_alike() {
        let (one, other) = (token(), token());
        assert_ne!(one, other);
        assert_eq!(one.len(), "reaper-".len() + 32);
    }
}

//! Quoting, and lists of values short enough for one query. Names of machines are what people make
//! them: none may end a string or mean more than itself in a pattern.

/// The longest pattern of values in one query, bytes. Servers take far more; their logs do not.
const LONGEST_PATTERN: usize = 32 << 10;

/// A text as a string of `PromQL`.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '\\' | '"' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A pattern that matches exactly these texts; the whole value must match, as always there.
pub(crate) fn any_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().map(literal).collect::<Vec<_>>().join("|")
}

/// A text that means itself in a pattern.
fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            literal.push('\\');
        }
        literal.push(c);
    }
    literal
}

/// Splits values so that neither their pattern nor what they weigh together is too much for one
/// query. A single value that is too much stands alone.
pub(crate) fn batches<'a>(
    values: impl IntoIterator<Item = (&'a str, usize)>,
    heaviest: usize,
) -> Vec<Vec<&'a str>> {
    let mut batches: Vec<Vec<&str>> = Vec::new();
    let (mut length, mut load) = (0, 0);
    for (value, weight) in values {
        let more = literal(value).len() + 1;
        match batches.last_mut() {
            Some(batch) if length + more <= LONGEST_PATTERN && load + weight <= heaviest => {
                batch.push(value);
                (length, load) = (length + more, load + weight);
            }
            _ => {
                batches.push(vec![value]);
                (length, load) = (more, weight);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_083_a_name_ends_no_string() {
        assert_eq!(quoted(r#"a"b\c"#), r#""a\"b\\c""#);
        assert_eq!(quoted("two\nlines\tä"), "\"two\\nlines\\tä\"");
    }

    #[test]
    fn a_name_means_itself_in_a_pattern() {
        assert_eq!(any_of(["gpu.1", "a|b", "i-0abc:9400"]), r"gpu\.1|a\|b|i-0abc:9400");
        assert_eq!(any_of([]), "");
    }

    #[test]
    fn a_fleet_is_asked_about_in_parts() {
        let names: Vec<String> = (0..1000).map(|n| format!("{n:0>100}")).collect();
        let weighed = |weight| names.iter().map(move |name| (name.as_str(), weight));
        let by_length = batches(weighed(1), usize::MAX);
        assert_eq!(by_length.len(), 4);
        assert!(by_length.iter().all(|batch| any_of(batch.iter().copied()).len() <= 32 << 10));
        let by_weight = batches(weighed(10), 100);
        assert_eq!((by_weight.len(), by_weight[0].len()), (100, 10));
        assert_eq!(batches(weighed(1000), 100).len(), 1000);
        assert_eq!(by_weight.concat().len(), 1000);
        assert!(batches([], 1).is_empty());
    }
}

//! How people and providers spell the model of a GPU, taken apart so that spellings can be compared:
//! `NVIDIA H100-SXM5 80GB`, `H100 SXM` and `H100 (80 GB SXM5)` are one model.

use std::collections::BTreeSet;

/// Makers, lines and editions that tell no two models apart.
const NOISE: [&str; 14] = [
    "blackwell",
    "core",
    "edition",
    "geforce",
    "generation",
    "gpu",
    "hopper",
    "nvidia",
    "amd",
    "per",
    "quadro",
    "rtx",
    "tensor",
    "tesla",
];
/// What tells variants of one model apart; many providers leave it out.
const VARIANTS: [&str; 7] = ["hbm3", "hbm3e", "nvl", "pcie", "server", "sxm", "workstation"];

/// A name taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spelling {
    /// What the model is called, in any order.
    model: BTreeSet<String>,
    /// Which variant it is, as far as said.
    variant: BTreeSet<String>,
}

impl Spelling {
    /// Takes a name apart. Sizes are left out: memory is compared by its figure.
    pub(crate) fn of(name: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        for word in name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()) {
            let word = word.to_ascii_lowercase();
            if matches!(word.as_str(), "gb" | "gib") {
                words.pop_if(|number| is_number(number));
            } else if !is_size(&word) {
                words.push(if is_sxm(&word) { "sxm".to_owned() } else { word });
            }
        }
        words.retain(|word| !NOISE.contains(&word.as_str()));
        let (variant, model) =
            words.into_iter().partition(|word| VARIANTS.contains(&word.as_str()));
        Self { model, variant }
    }

    /// Whether both may be one model: the same name, and variants that do not contradict each other.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        let silent = self.variant.is_empty() || other.variant.is_empty();
        !self.model.is_empty()
            && self.model == other.model
            && (silent || self.variant == other.variant)
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `80gb`.
fn is_size(word: &str) -> bool {
    let number = word.strip_suffix("gb").or_else(|| word.strip_suffix("gib"));
    number.is_some_and(is_number)
}

/// `sxm`, `sxm2` to `sxm6`.
fn is_sxm(word: &str) -> bool {
    word.strip_prefix("sxm").is_some_and(|rest| rest.is_empty() || is_number(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(a: &str, b: &str) -> bool {
        Spelling::of(a).agrees(&Spelling::of(b))
    }

    #[test]
    fn spellings_of_one_model_agree() {
        for (a, b) in [
            ("H100-PCIe", "H100 PCIe"),
            ("H100-SXM", "H100 SXM5"),
            ("H100 (80 GB SXM5)", "NVIDIA H100 80GB SXM"),
            ("Tesla V100", "V100 SXM2 16GB"),
            ("RTX PRO Server 6000", "RTX PRO 6000 Server"),
            ("RTX A6000", "A6000"),
            ("T4g", "T4G"),
            ("B300-SXM", "B300"),
            ("M60", "M60 (per GPU)"),
        ] {
            assert!(one(a, b), "{a} and {b}");
        }
    }

    #[test]
    fn different_models_do_not() {
        for (a, b) in [
            ("A10", "A10G"),
            ("A10", "A100"),
            ("L40", "L40S"),
            ("H100 PCIe", "H100 SXM5"),
            ("V100", "V100S"),
            ("Quadro RTX 6000", "RTX 6000 Ada"),
            ("Quadro RTX 6000", "RTX PRO 6000"),
            ("RTX PRO 6000 Server", "RTX PRO 6000 Workstation"),
            ("H100", "GH200"),
            ("Habana Gaudi HL-205", "Gaudi"),
            ("", "NVIDIA"),
        ] {
            assert!(!one(a, b), "{a} and {b}");
        }
    }
}

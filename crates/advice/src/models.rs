//! The dated table of GPU models: memory, bandwidth and what else their work depends on; and which
//! row of it a provider means. A model that matches no row, or rows that differ in kind, is unknown.

use reaper_model::Gpu;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use crate::spelling::Spelling;

/// The table, each row with its sources.
const TABLE: &str = include_str!("../../../config/gpu-models.csv");
/// Providers count memory with and without what the driver keeps: a twelfth either way is the same.
const MEMORY_TOLERANCE: Decimal = Decimal::from_parts(8, 0, 0, false, 2);

/// The embedded table cannot be read: a defect of the build, found by its test.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("table of GPU models, line {line}: {problem}")]
pub struct TableError {
    /// Line in the CSV, from 1.
    line: u64,
    /// What is wrong.
    problem: String,
}

/// Who makes a card, and with that which software runs on it; the generation where newer ones
/// can do what older ones cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// CUDA.
    Nvidia(Generation),
    /// `ROCm`.
    Amd,
    /// Intel's Gaudi.
    Gaudi,
}

/// NVIDIA's generations, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Generation {
    /// Kepler to Volta. CUDA 13 no longer compiles for them (its release notes).
    BeforeTuring,
    /// Without bfloat16.
    Turing,
    /// From here on with bfloat16.
    Ampere,
    /// Ada and Hopper.
    Ada,
    /// Blackwell.
    Blackwell,
}

impl Family {
    fn of(architecture: &str) -> Option<Self> {
        Some(match architecture {
            "Kepler" | "Maxwell" | "Pascal" | "Volta" => Self::Nvidia(Generation::BeforeTuring),
            "Turing" => Self::Nvidia(Generation::Turing),
            "Ampere" => Self::Nvidia(Generation::Ampere),
            "Ada" | "Hopper" => Self::Nvidia(Generation::Ada),
            "Blackwell" | "Blackwell Ultra" => Self::Nvidia(Generation::Blackwell),
            "CDNA" | "CDNA2" | "CDNA3" | "CDNA4" | "RDNA1" | "RDNA3" => Self::Amd,
            "Gaudi" | "Gaudi2" | "Gaudi3" => Self::Gaudi,
            _ => return None,
        })
    }
}

/// One card. Where a provider does not say which of several variants it has, what they have in
/// common is known, and bounds of what they differ in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Card {
    /// Maker and generation.
    pub(crate) family: Family,
    /// Nominal memory, GiB.
    pub(crate) memory_gib: Decimal,
    /// Bandwidth of its memory, GB/s: the least and the most that it can be.
    pub(crate) bandwidth: Option<(f64, f64)>,
    /// Whether it calculates in FP8.
    pub(crate) fp8: bool,
    /// Whether every variant, and whether any, has `NVLink`.
    pub(crate) nvlink: (bool, bool),
    /// Whether the machine around it has Arm CPUs: it exists with no others.
    pub(crate) arm: bool,
}

impl Card {
    /// Whether both run the same programs: the same maker's software, the same kind of CPU.
    pub(crate) fn runs_the_same_as(&self, other: &Self) -> bool {
        self.arm == other.arm
            && std::mem::discriminant(&self.family) == std::mem::discriminant(&other.family)
    }

    /// Whether it calculates in bfloat16.
    pub(crate) const fn bf16(&self) -> bool {
        !matches!(self.family, Family::Nvidia(Generation::BeforeTuring | Generation::Turing))
    }

    /// Whether present software is no longer made for it.
    pub(crate) const fn outdated(&self) -> bool {
        matches!(self.family, Family::Nvidia(Generation::BeforeTuring))
    }

    /// The card that both may be; `None` where they differ in kind.
    fn or(self, other: &Self) -> Option<Self> {
        let same = self.family == other.family
            && self.memory_gib == other.memory_gib
            && self.fp8 == other.fp8
            && self.arm == other.arm;
        let bandwidth = self.bandwidth.zip(other.bandwidth);
        same.then(|| Self {
            bandwidth: bandwidth.map(|((a, b), (c, d))| (a.min(c), b.max(d))),
            nvlink: (self.nvlink.0 && other.nvlink.0, self.nvlink.1 || other.nvlink.1),
            ..self
        })
    }
}

/// The accelerators of a machine or an offer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gear {
    /// What each of them is, or is a part of.
    pub(crate) card: Card,
    /// How many cards the machine shows; a part of one shows as one.
    pub(crate) cards: u32,
    /// How much of a card each is: 1, or less for a part.
    pub(crate) share: f64,
    /// Memory of each, GiB, as the provider says it.
    pub(crate) memory_gib: Decimal,
}

impl Gear {
    /// Memory of all of them, GiB.
    pub(crate) fn total_gib(&self) -> Decimal {
        self.memory_gib * Decimal::from(self.cards)
    }

    /// The least that the memory of each moves, GB/s.
    pub(crate) fn bandwidth(&self) -> Option<f64> {
        self.card.bandwidth.map(|(least, _)| least * self.share)
    }
}

#[derive(Debug, Clone)]
struct Row {
    spelling: Spelling,
    card: Card,
}

/// The table, read.
#[derive(Debug, Clone)]
pub struct Models {
    rows: Vec<Row>,
}

impl Models {
    /// The table that ships with the program.
    ///
    /// # Errors
    /// When it is broken; its test reads all of it.
    pub fn embedded() -> Result<Self, TableError> {
        Self::parse(TABLE)
    }

    fn parse(table: &str) -> Result<Self, TableError> {
        let mut rows = Vec::new();
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        for record in reader.records() {
            let record = record.map_err(|error| TableError {
                line: error.position().map_or(0, csv::Position::line),
                problem: error.to_string(),
            })?;
            let line = record.position().map_or(0, csv::Position::line);
            rows.push(row(&record).map_err(|problem| TableError { line, problem })?);
        }
        Ok(Self { rows })
    }

    /// What a provider calls by this name, with this much memory each where that is said.
    fn card(&self, name: &str, memory_gib: Option<Decimal>) -> Option<Card> {
        let spelling = Spelling::of(name);
        let fits = |card: &Card| {
            let apart = |gib: Decimal| (gib - card.memory_gib).abs();
            memory_gib.is_none_or(|gib| apart(gib) <= card.memory_gib * MEMORY_TOLERANCE)
        };
        let cards = self.rows.iter().filter(|row| row.spelling.agrees(&spelling));
        let mut cards = cards.map(|row| &row.card).filter(|card| fits(card));
        let first = cards.next()?.clone();
        cards.try_fold(first, Card::or)
    }

    /// What a machine has, as far as the table knows it.
    pub(crate) fn gear(&self, gpu: &Gpu) -> Option<Gear> {
        let part = gpu.count > Decimal::ZERO && gpu.count < Decimal::ONE;
        let cards = if part { 1 } else { gpu.count.to_u32()? };
        if cards == 0 || (!part && !gpu.count.fract().is_zero()) {
            return None;
        }
        let of_a_card = gpu.memory_gib.map(|total| total / gpu.count);
        let card = self.card(&gpu.model, of_a_card)?;
        let share = if part { gpu.count } else { Decimal::ONE };
        let memory_gib = match gpu.memory_gib {
            Some(total) => total / Decimal::from(cards),
            None => card.memory_gib * share,
        };
        Some(Gear { card, cards, share: share.to_f64()?, memory_gib })
    }
}

fn row(record: &csv::StringRecord) -> Result<Row, String> {
    let [model, memory, bandwidth, fp8, nvlink, architecture, cpu, as_of, _source] =
        std::array::from_fn(|index| record.get(index).unwrap_or_default().trim());
    as_of.parse::<chrono::NaiveDate>().map_err(|_| format!("`{as_of}` is not a date"))?;
    let decimal = |text: &str| {
        Decimal::from_str_exact(text)
            .ok()
            .filter(|number| *number > Decimal::ZERO)
            .ok_or_else(|| format!("`{text}` is not a number above zero"))
    };
    let yes = |text: &str| match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(format!("`{text}` is neither yes nor no")),
    };
    let bandwidth = match bandwidth {
        "" => None,
        text => decimal(text)?.to_f64().map(|figure| (figure, figure)),
    };
    let nvlink = yes(nvlink)?;
    let family =
        Family::of(architecture).ok_or_else(|| format!("architecture `{architecture}`"))?;
    let arm = match cpu {
        "arm" => true,
        "" => false,
        _ => return Err(format!("cpu `{cpu}`")),
    };
    let memory_gib = decimal(memory)?;
    let card =
        Card { family, memory_gib, bandwidth, fp8: yes(fp8)?, nvlink: (nvlink, nvlink), arm };
    Ok(Row { spelling: Spelling::of(model), card })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gear(model: &str, count: &str, total: &str) -> Option<Gear> {
        let number = |text| Decimal::from_str_exact(text).expect("a number");
        let memory_gib = (!total.is_empty()).then(|| number(total));
        let gpu = Gpu { model: model.to_owned(), count: number(count), memory_gib };
        Models::embedded().expect("readable").gear(&gpu)
    }

    #[test]
    fn the_whole_table_is_readable_and_each_row_is_found_by_its_own_name() {
        let models = Models::embedded().expect("readable");
        assert_eq!(models.rows.len(), TABLE.lines().count() - 1);
        for line in TABLE.lines().skip(1) {
            let name = line.split(',').next().expect("a name");
            let memory = line.split(',').nth(1).and_then(|gib| gib.parse().ok());
            assert!(models.card(name, memory).is_some(), "{name}");
        }
    }

    #[test]
    fn the_spellings_of_the_price_lists_are_known() {
        for (model, count, total, memory) in [
            ("A10G", "4", "89.41", 24),
            ("L4", "1", "22.35", 24),
            ("L40S", "8", "357.62", 48),
            ("A100", "8", "320", 40),
            ("A100", "8", "640", 80),
            ("H100", "1", "80", 80),
            ("H100-PCIe", "2", "160", 80),
            ("H100-SXM", "8", "640", 80),
            ("H200", "8", "1128", 141),
            ("B200", "8", "1432.49", 180),
            ("B300-SXM", "2", "576", 270),
            ("B300", "8", "2148.75", 270),
            ("GH200 96GB", "1", "96", 96),
            ("Quadro RTX 6000", "1", "24", 24),
            ("RTX A6000", "2", "96", 48),
            ("RTX PRO Server 6000", "8", "768", 96),
            ("RTX PRO 6000", "1", "96", 96),
            ("RTX PRO 4500", "1", "32", 32),
            ("Tesla V100", "2", "32", 16),
            ("T4g", "2", "32", 16),
            ("AMD Radeon Pro V520", "2", "16", 8),
        ] {
            let found = gear(model, count, total).unwrap_or_else(|| panic!("{model}"));
            assert_eq!(found.card.memory_gib, Decimal::from(memory), "{model}");
        }
    }

    #[test]
    fn what_matches_no_row_is_unknown() {
        for (model, total) in [
            ("Tesla V100S", "32"),
            ("Quadro RTX 5000", "16"),
            ("Xilinx VU9P (FPGA)", "64"),
            ("AWS Inferentia2", "32"),
            ("A100", "64"),
            ("L4 + T4", "24"),
            ("", "24"),
        ] {
            assert_eq!(gear(model, "1", total), None, "{model} {total}");
        }
        assert_eq!(gear("A100", "1", ""), None, "40 or 80 GiB");
        assert_eq!(gear("L4", "1.5", "36"), None);
        assert_eq!(gear("L4", "0", "24"), None);
    }

    #[test]
    fn variants_that_a_provider_does_not_tell_apart_are_known_within_bounds() {
        let h100 = gear("H100", "8", "640").expect("known").card;
        assert_eq!(h100.bandwidth, Some((2040.0, 3350.0)));
        let v100 = gear("V100", "8", "128").expect("known").card;
        assert_eq!(v100.nvlink, (false, true));
        assert_eq!(gear("H100-SXM", "8", "640").and_then(|gear| gear.bandwidth()), Some(3350.0));
    }

    #[test]
    fn a_part_of_a_card_has_its_share_of_the_bandwidth() {
        let part = gear("L4", "0.125", "2.79").expect("known");
        assert_eq!((part.cards, part.memory_gib.to_string().as_str()), (1, "2.79"));
        assert_eq!(part.bandwidth(), Some(37.5));
    }

    #[test]
    fn arm_and_other_makers_are_another_world() {
        let card = |model, total| gear(model, "1", total).expect("known").card;
        let a100 = card("A100", "80");
        assert!(a100.runs_the_same_as(&card("L4", "24")));
        for (model, total) in [("T4g", "16"), ("GH200", "96"), ("MI300X", "192")] {
            assert!(!a100.runs_the_same_as(&card(model, total)), "{model}");
        }
    }
}

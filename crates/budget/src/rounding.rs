//! How providers round the time they bill: the one table, each row with its source.

use reaper_model::{MachineType, ProviderName, Span};

/// How billed time is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounding {
    /// Begun steps of this length are billed in full.
    pub step: Span,
    /// Every start bills at least this.
    pub minimum: Span,
}

const SECOND: Span = Span::from_secs(1);
const MINUTE: Span = Span::from_secs(60);
const HOUR: Span = Span::from_secs(3600);

/// One row: provider, how its types begin, rounding, source.
pub struct Row {
    /// The provider's name.
    pub provider: &'static str,
    /// How the machine type begins; empty for all others of the provider.
    pub type_prefix: &'static str,
    /// The rule.
    pub rounding: Rounding,
    /// Who says so.
    pub source: &'static str,
}

/// The first row that fits counts.
pub const TABLE: [Row; 5] = [
    Row {
        provider: "aws",
        type_prefix: "",
        rounding: Rounding { step: SECOND, minimum: MINUTE },
        source: "EC2 user guide, instance lifecycle: per second, at least 60 s for every start",
    },
    Row {
        provider: "scaleway",
        type_prefix: "RENDER-S",
        rounding: Rounding { step: HOUR, minimum: HOUR },
        source: "Scaleway documentation, Instances FAQ: the RENDER line is billed by the hour",
    },
    Row {
        provider: "scaleway",
        type_prefix: "",
        rounding: Rounding { step: MINUTE, minimum: MINUTE },
        source: "Scaleway documentation, Instances FAQ: GPU machines are billed by the minute",
    },
    Row {
        provider: "ovhcloud",
        type_prefix: "",
        rounding: Rounding { step: HOUR, minimum: HOUR },
        source: "OVHcloud billing page: started hours",
    },
    Row {
        provider: "lambda",
        type_prefix: "",
        rounding: Rounding { step: MINUTE, minimum: MINUTE },
        source: "Lambda documentation, billing: one-minute steps",
    },
];

impl Rounding {
    /// The rule for a machine; a provider that is not in the [`TABLE`] is counted by the second.
    pub fn of(provider: &ProviderName, machine_type: &MachineType) -> Self {
        TABLE
            .iter()
            .find(|row| {
                row.provider == provider.as_str()
                    && machine_type.as_str().starts_with(row.type_prefix)
            })
            .map_or(Self { step: SECOND, minimum: Span::ZERO }, |row| row.rounding)
    }

    /// The time that is billed for one start that lasted `elapsed`.
    pub fn billed(self, elapsed: Span) -> Span {
        let step = self.step.as_secs().max(1);
        let rounded = elapsed.as_secs().div_ceil(step).saturating_mul(step);
        Span::from_secs(rounded.max(self.minimum.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn billed(provider: &str, machine_type: &str, elapsed: Span) -> Span {
        Rounding::of(&provider.into(), &machine_type.into()).billed(elapsed)
    }

    #[test]
    fn fl_112_by_the_minute_or_by_the_full_hour() {
        let ten_minutes = Span::from_secs(600);
        assert_eq!(billed("scaleway", "L40S-1-48G", ten_minutes), ten_minutes);
        assert_eq!(billed("scaleway", "RENDER-S", ten_minutes), HOUR);
        assert_eq!(billed("ovhcloud", "a100-180", Span::from_secs(3_601)), Span::from_secs(7_200));
        assert_eq!(billed("lambda", "gpu_1x_a10", Span::from_secs(61)), Span::from_secs(120));
    }

    #[test]
    fn every_start_at_aws_bills_a_minute_at_least() {
        assert_eq!(billed("aws", "g5.xlarge", SECOND), MINUTE);
        assert_eq!(billed("aws", "g5.xlarge", Span::from_secs(61)), Span::from_secs(61));
    }
}

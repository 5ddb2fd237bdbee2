//! Usage types, the words by which AWS bills: `EUW3-BoxUsage:g6.xlarge` is an hour of such a machine
//! in Paris. What is not about the time of a machine is not told further apart.

use reaper_model::Location;

/// The service under which the time of EC2's machines is billed. EMR and others bill their own charge
/// on top of it under the same usage types.
pub(crate) const COMPUTE: &str = "Amazon Elastic Compute Cloud - Compute";

/// Usage types for the time of machines, and whether their quantity is hours in which a machine ran
/// or was kept. A reserved instance's fee counts the hours of the machines it covers once more.
const TIMES: [(&str, bool); 7] = [
    ("BoxUsage", true),
    ("SpotUsage", true),
    ("DedicatedUsage", true),
    ("HostBoxUsage", true),
    ("UnusedBox", true),
    ("UnusedDed", true),
    ("HeavyUsage", false),
];

/// AWS's short names of regions in usage types. One that is missing here leaves the region open.
const REGIONS: [(&str, &str); 35] = [
    ("", "us-east-1"),
    ("USE1", "us-east-1"),
    ("USE2", "us-east-2"),
    ("USW1", "us-west-1"),
    ("USW2", "us-west-2"),
    ("CAN1", "ca-central-1"),
    ("CAN2", "ca-west-1"),
    ("MXC1", "mx-central-1"),
    ("SAE1", "sa-east-1"),
    ("EU", "eu-west-1"),
    ("EUW1", "eu-west-1"),
    ("EUW2", "eu-west-2"),
    ("EUW3", "eu-west-3"),
    ("EUC1", "eu-central-1"),
    ("EUC2", "eu-central-2"),
    ("EUN1", "eu-north-1"),
    ("EUS1", "eu-south-1"),
    ("EUS2", "eu-south-2"),
    ("APN1", "ap-northeast-1"),
    ("APN2", "ap-northeast-2"),
    ("APN3", "ap-northeast-3"),
    ("APS1", "ap-southeast-1"),
    ("APS2", "ap-southeast-2"),
    ("APS3", "ap-south-1"),
    ("APS4", "ap-southeast-3"),
    ("APS5", "ap-south-2"),
    ("APS6", "ap-southeast-4"),
    ("APS7", "ap-southeast-5"),
    ("APE1", "ap-east-1"),
    ("AFS1", "af-south-1"),
    ("ILC1", "il-central-1"),
    ("MEC1", "me-central-1"),
    ("MES1", "me-south-1"),
    ("UGW1", "us-gov-west-1"),
    ("UGE1", "us-gov-east-1"),
];

/// The time of a machine, as a usage type names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MachineTime {
    /// The machine type.
    pub(crate) kind: String,
    /// The region, where its short name is known.
    pub(crate) region: Option<Location>,
    /// Whether the quantity is billed hours of machines.
    pub(crate) counts_hours: bool,
}

impl MachineTime {
    /// Of a service's usage type; `None` where it is for something else.
    pub(crate) fn of(service: &str, usage_type: &str) -> Option<Self> {
        if service != COMPUTE {
            return None;
        }
        let (head, kind) = usage_type.split_once(':')?;
        let (place, word) = head.rsplit_once('-').unwrap_or(("", head));
        let (_, counts_hours) = TIMES.iter().find(|(time, _)| *time == word)?;
        // `g5` alone is the family of a dedicated host, not a machine.
        if !kind.contains('.') {
            return None;
        }
        let region = REGIONS.iter().find(|(short, _)| *short == place);
        Some(Self {
            kind: kind.to_owned(),
            region: region.map(|(_, region)| Location::new(region)),
            counts_hours: *counts_hours,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(usage_type: &str) -> Option<(String, Option<String>, bool)> {
        let time = MachineTime::of(COMPUTE, usage_type)?;
        Some((time.kind, time.region.map(|region| region.to_string()), time.counts_hours))
    }

    #[test]
    fn the_time_of_machines_is_told_with_and_without_a_region() {
        let time = |kind: &str, region: Option<&str>, hours: bool| {
            Some((kind.to_owned(), region.map(str::to_owned), hours))
        };
        let (paris, virginia) = (Some("eu-west-3"), Some("us-east-1"));
        assert_eq!(read("BoxUsage:p4d.24xlarge"), time("p4d.24xlarge", virginia, true));
        assert_eq!(read("EUW3-BoxUsage:g6.xlarge"), time("g6.xlarge", paris, true));
        assert_eq!(read("EU-SpotUsage:g5.xlarge"), time("g5.xlarge", Some("eu-west-1"), true));
        assert_eq!(read("USW2-LAX1-BoxUsage:g4dn.2xlarge"), time("g4dn.2xlarge", None, true));
        assert_eq!(read("EUW3-HeavyUsage:g6.xlarge"), time("g6.xlarge", paris, false));
        assert_eq!(read("UnusedBox:p5.48xlarge"), time("p5.48xlarge", virginia, true));
    }

    #[test]
    fn what_is_not_the_time_of_a_machine_is_something_else() {
        for usage_type in [
            "EBS:VolumeUsage.gp3",
            "EUW3-EBSOptimized:g4dn.xlarge",
            "EU-DataTransfer-Out-Bytes",
            "HostUsage:g5",
            "BoxUsage",
            "BoxUsage:",
            "",
        ] {
            assert_eq!(read(usage_type), None, "{usage_type}");
        }
        let emr = MachineTime::of("Amazon Elastic MapReduce", "BoxUsage:p4d.24xlarge");
        assert_eq!(emr, None, "the charge of another service on the same machine");
    }
}

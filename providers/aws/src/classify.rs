//! Who manages a machine, and how it is paid for. Both decide whether a stop makes sense at all.

use aws_sdk_ec2::types::{Instance as Raw, InstanceLifecycleType};
use chrono::{DateTime, Utc};
use reaper_model::{Fact, Ignorance, Manager, Purchase, Source, Tags};

/// A tag that a controller puts on its machines.
struct Mark {
    tag: &'static str,
    kind: &'static str,
    advice: &'static str,
}

/// The marks, the most telling first: a node of EKS carries that of its autoscaling group too.
const MARKS: [Mark; 9] = [
    Mark {
        tag: "karpenter.sh/nodepool",
        kind: "karpenter",
        advice: "change the limits of the node pool or remove the workload",
    },
    Mark {
        tag: "karpenter.sh/nodeclaim",
        kind: "karpenter",
        advice: "remove the node claim or the workload",
    },
    Mark {
        tag: "karpenter.sh/provisioner-name",
        kind: "karpenter",
        advice: "change the limits of the provisioner or remove the workload",
    },
    Mark {
        tag: "eks:nodegroup-name",
        kind: "eks",
        advice: "lower the desired size of the node group",
    },
    Mark {
        tag: "aws:elasticmapreduce:job-flow-id",
        kind: "emr",
        advice: "resize or terminate the cluster",
    },
    Mark {
        tag: "parallelcluster:cluster-name",
        kind: "parallelcluster",
        advice: "change the queue or stop the compute fleet of the cluster",
    },
    Mark {
        tag: "aws:autoscaling:groupName",
        kind: "autoscaling-group",
        advice: "lower the desired capacity of the group",
    },
    Mark {
        tag: "aws:ec2spot:fleet-request-id",
        kind: "spot-fleet",
        advice: "lower the target capacity of the request or cancel it",
    },
    Mark {
        tag: "aws:ec2:fleet-id",
        kind: "ec2-fleet",
        advice: "lower the target capacity of the fleet or delete it",
    },
];

/// A self-made Kubernetes cluster says by this key, followed by its name, and the value `owned`
/// that the machine is its own.
const CLUSTER: &str = "kubernetes.io/cluster/";

/// The controller of a machine: AWS's own word first, then the tags. Without tags, nobody knows.
pub(crate) fn manager(
    raw: &Raw,
    tags: &Fact<Tags>,
    source: &Source,
    now: DateTime<Utc>,
) -> Fact<Manager> {
    if let Some(operator) = raw.operator().filter(|operator| operator.managed() == Some(true)) {
        let name = operator.principal().unwrap_or("an AWS service").to_owned();
        let advice = format!("scale it down at {name}: EC2 refuses to stop its machines");
        let manager = Manager { kind: "aws-service".to_owned(), name, advice };
        return Fact::known(manager, source, now);
    }
    match tags {
        Fact::Known { value, source, as_of } => match marked(value) {
            Some(manager) => Fact::known(manager, source, *as_of),
            None => Fact::absent(source),
        },
        Fact::Absent { source } => Fact::absent(source),
        Fact::Unknown(gap) => Fact::unknown(
            gap.kind,
            format!("whether a controller owns it: its tags were not read ({gap})"),
        ),
    }
}

fn marked(tags: &Tags) -> Option<Manager> {
    let mark = MARKS.iter().find_map(|mark| Some((mark, tags.exact(mark.tag)?)));
    if let Some((mark, name)) = mark {
        return Some(Manager {
            kind: mark.kind.to_owned(),
            name: name.to_owned(),
            advice: mark.advice.to_owned(),
        });
    }
    let cluster = tags.iter().find_map(|tag| {
        tag.key.strip_prefix(CLUSTER).filter(|_| tag.value.as_deref() == Some("owned"))
    })?;
    Some(Manager {
        kind: "kubernetes".to_owned(),
        name: cluster.to_owned(),
        advice: "scale down the node pool of the cluster".to_owned(),
    })
}

/// How a machine is paid for, as far as the listing shows it. Reserved instances and savings plans
/// are not shown on a machine: it counts as on demand then.
pub(crate) fn purchase(raw: &Raw) -> Purchase {
    let lifecycle = raw.instance_lifecycle().map(InstanceLifecycleType::as_str);
    if let Some(block) = raw.capacity_block_id() {
        return Purchase::Reserved(format!("capacity block {block}"));
    }
    match lifecycle {
        Some("capacity-block") => return Purchase::Reserved("capacity block".to_owned()),
        Some("scheduled") => return Purchase::Reserved("scheduled instance".to_owned()),
        Some("spot") => {
            let persistent =
                Fact::unknown(Ignorance::NotAsked, "the kind of its spot request was not read");
            return Purchase::Spot { persistent };
        }
        Some(word) if !word.is_empty() => return Purchase::Other(word.to_owned()),
        _ => {}
    }
    if let Some(reservation) = raw.capacity_reservation_id() {
        return Purchase::Reserved(format!("capacity reservation {reservation}"));
    }
    let placement = raw.placement();
    if placement.and_then(|at| at.tenancy()).is_some_and(|tenancy| tenancy.as_str() == "host") {
        let host = placement.and_then(|at| at.host_id()).unwrap_or_default();
        return Purchase::Reserved(format!("dedicated host {host}").trim_end().to_owned());
    }
    if raw.spot_instance_request_id().is_some_and(|id| !id.is_empty()) {
        let persistent =
            Fact::unknown(Ignorance::NotAsked, "the kind of its spot request was not read");
        return Purchase::Spot { persistent };
    }
    Purchase::OnDemand
}

#[cfg(test)]
mod tests {
    use aws_sdk_ec2::types::{OperatorResponse, Placement, Tenancy};
    use reaper_model::Tag;

    use super::*;

    fn tagged(pairs: &[(&str, &str)]) -> Fact<Tags> {
        let tags = pairs.iter().map(|(key, value)| Tag::pair(*key, *value)).collect();
        Fact::known(Tags::new(tags), &Source::new("test"), DateTime::UNIX_EPOCH)
    }

    fn managed(pairs: &[(&str, &str)]) -> Option<String> {
        let raw = Raw::builder().build();
        let fact = manager(&raw, &tagged(pairs), &Source::new("test"), DateTime::UNIX_EPOCH);
        fact.value().map(ToString::to_string)
    }

    #[test]
    fn fl_011_members_of_a_controller_are_named_by_it() {
        let asg = ("aws:autoscaling:groupName", "workers");
        assert_eq!(managed(&[asg]).as_deref(), Some("autoscaling-group workers"));
        assert_eq!(managed(&[asg, ("eks:nodegroup-name", "gpu")]).as_deref(), Some("eks gpu"));
        let emr = ("aws:elasticmapreduce:job-flow-id", "j-1");
        assert_eq!(managed(&[emr]).as_deref(), Some("emr j-1"));
        let pool = ("karpenter.sh/nodepool", "a100");
        assert_eq!(managed(&[pool]).as_deref(), Some("karpenter a100"));
        assert_eq!(managed(&[("aws:ec2:fleet-id", "fl-1")]).as_deref(), Some("ec2-fleet fl-1"));
        let cluster = ("kubernetes.io/cluster/prod", "owned");
        assert_eq!(managed(&[cluster]).as_deref(), Some("kubernetes prod"));
        assert_eq!(managed(&[("kubernetes.io/cluster/prod", "shared"), ("owner", "a")]), None);
    }

    #[test]
    fn fl_011_what_aws_itself_manages_is_told_without_tags() {
        let operator =
            OperatorResponse::builder().managed(true).principal("eks.amazonaws.com").build();
        let raw = Raw::builder().operator(operator).build();
        let unread = Fact::unknown(Ignorance::ReadFailed, "denied");
        let fact = manager(&raw, &unread, &Source::new("test"), DateTime::UNIX_EPOCH);
        assert_eq!(
            fact.value().map(ToString::to_string).as_deref(),
            Some("aws-service eks.amazonaws.com")
        );
    }

    #[test]
    fn fl_001_without_tags_nobody_knows_the_controller() {
        let raw = Raw::builder().build();
        let unread = Fact::unknown(Ignorance::ReadFailed, "denied");
        let fact = manager(&raw, &unread, &Source::new("test"), DateTime::UNIX_EPOCH);
        assert_eq!(fact.gap().map(|gap| gap.kind), Some(Ignorance::ReadFailed));
    }

    #[test]
    fn prepaid_machines_are_told_apart() {
        let block = Raw::builder()
            .instance_lifecycle(InstanceLifecycleType::CapacityBlock)
            .capacity_reservation_id("cr-1")
            .build();
        assert_eq!(purchase(&block), Purchase::Reserved("capacity block".to_owned()));
        let reserved = Raw::builder().capacity_reservation_id("cr-2").build();
        assert_eq!(purchase(&reserved), Purchase::Reserved("capacity reservation cr-2".to_owned()));
        let host = Placement::builder().tenancy(Tenancy::Host).host_id("h-3").build();
        let host = Raw::builder().placement(host).build();
        assert_eq!(purchase(&host), Purchase::Reserved("dedicated host h-3".to_owned()));
        assert_eq!(purchase(&Raw::builder().build()), Purchase::OnDemand);
    }

    #[test]
    fn fl_086_a_lifecycle_never_heard_of_is_kept() {
        let word = InstanceLifecycleType::from("interruptible-capacity-reservation");
        let raw = Raw::builder().instance_lifecycle(word).build();
        let expected = Purchase::Other("interruptible-capacity-reservation".to_owned());
        assert_eq!(purchase(&raw), expected);
    }
}

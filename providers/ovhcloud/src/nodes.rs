//! Which machines belong to a Kubernetes node pool: its cluster would replace what we stop. An
//! instance does not say so; the clusters' lists of nodes do.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use futures::future::join_all;
use reaper_http::Lenient;
use reaper_model::{Fact, Ignorance, Manager, Source, Unknown};
use reaper_provider::{CallContext, ErrorKind, ProviderError};

use crate::client::{Api, NODES};

/// The nodes of all clusters, and whether any cluster could not be read.
#[derive(Debug)]
pub(crate) struct Nodes {
    managers: BTreeMap<String, Manager>,
    gap: Option<Unknown>,
}

impl Nodes {
    /// Nothing was read so far.
    pub(crate) fn not_yet() -> Self {
        Self::unread("the nodes of the clusters were not read to the end")
    }

    fn unread(why: &str) -> Self {
        let why = format!("whether a Kubernetes cluster owns it: {why}");
        Self { managers: BTreeMap::new(), gap: Some(Unknown::new(Ignorance::ReadFailed, why)) }
    }

    /// Reads the nodes of the clusters, side by side; OVHcloud lists them cluster by cluster.
    pub(crate) async fn read(
        api: &Api,
        cx: &CallContext,
        clusters: Result<Vec<Lenient<String>>, ProviderError>,
    ) -> Self {
        let clusters = match clusters {
            Ok(clusters) => clusters,
            Err(error) => return Self::unread(&error.to_string()),
        };
        let mut nodes = Self { managers: BTreeMap::new(), gap: None };
        let answers = join_all(clusters.iter().map(async |cluster| {
            let Some(cluster) = cluster.good() else {
                return Err("a cluster without a readable id".to_owned());
            };
            match api.nodes(cx, cluster).await {
                Ok(listed) => Ok((cluster, listed)),
                // Deleted since: it owns nothing any more.
                Err(error) if error.kind == ErrorKind::NotFound => Ok((cluster, Vec::new())),
                Err(error) => Err(error.to_string()),
            }
        }));
        for answer in answers.await {
            match answer {
                Ok((cluster, listed)) => nodes.add(cluster, &listed),
                Err(why) => nodes.gap = Self::unread(&why).gap,
            }
        }
        nodes
    }

    fn add(&mut self, cluster: &str, listed: &[Lenient<crate::wire::Node>]) {
        for node in listed {
            let Some(node) = node.good() else {
                self.gap = Self::unread("an unreadable node").gap;
                continue;
            };
            match &node.instance_id {
                Lenient::Good(id) => {
                    let pool = node.node_pool_id.good().map_or("", String::as_str);
                    let manager = Manager {
                        kind: "mks".to_owned(),
                        name: format!("{cluster}/{pool}").trim_end_matches('/').to_owned(),
                        advice: "lower desiredNodes of the node pool".to_owned(),
                    };
                    self.managers.insert(id.clone(), manager);
                }
                // It waits for a machine.
                Lenient::Missing => {}
                Lenient::Bad(kind) => {
                    self.gap = Self::unread(&format!("the id of a node's machine is {kind}")).gap;
                }
            }
        }
    }

    /// The controller of a machine. Where a cluster was not read, nobody knows.
    pub(crate) fn manager(&self, native: &str, now: DateTime<Utc>) -> Fact<Manager> {
        let source = Source::new(NODES);
        match (self.managers.get(native), &self.gap) {
            (Some(manager), _) => Fact::known(manager.clone(), &source, now),
            (None, Some(gap)) => Fact::Unknown(gap.clone()),
            (None, None) => Fact::absent(&source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(json: &str) -> Nodes {
        let mut nodes = Nodes { managers: BTreeMap::new(), gap: None };
        nodes.add("kube-1", &serde_json::from_str::<Vec<_>>(json).expect("a list"));
        nodes
    }

    #[test]
    fn fl_011_a_node_is_told_by_its_pool() {
        let nodes = nodes(include_str!("../fixtures/nodes.json"));
        let manager = nodes.manager("0a1b2c3d-0000-4000-8000-000000000007", DateTime::UNIX_EPOCH);
        assert_eq!(
            manager.value().map(ToString::to_string).as_deref(),
            Some("mks kube-1/9001a000-0000-4000-8000-000000000001")
        );
        assert!(matches!(nodes.manager("other", DateTime::UNIX_EPOCH), Fact::Absent { .. }));
    }

    #[test]
    fn fl_087_an_unreadable_node_leaves_every_other_machine_unknown() {
        for odd in ["[7]", r#"[{"instanceId":7}]"#] {
            let manager = nodes(odd).manager("other", DateTime::UNIX_EPOCH);
            assert_eq!(manager.gap().map(|gap| gap.kind), Some(Ignorance::ReadFailed), "{odd}");
        }
    }
}

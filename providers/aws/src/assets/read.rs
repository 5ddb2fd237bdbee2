//! The calls that read what is beside machines, and their paging. What was read before an error is
//! kept beside it.

use std::collections::BTreeMap;
use std::future::Future;

use aws_sdk_ec2::types::{Address, Image, Snapshot, Volume};
use reaper_provider::ProviderError;

use crate::convert::is_ghost;
use crate::wire::{FILTER_VALUES, INSTANCES, LARGEST_PAGE, Tokens, Wire, filter};

pub(super) const VOLUMES: &str = "ec2:DescribeVolumes";
pub(super) const ADDRESSES: &str = "ec2:DescribeAddresses";
pub(super) const SNAPSHOTS: &str = "ec2:DescribeSnapshots";
pub(super) const IMAGES: &str = "ec2:DescribeImages";
/// Volumes per page that EC2 allows.
const LARGEST_VOLUME_PAGE: u32 = 500;
/// Whoever asks, as EC2 calls them: without it, what others have made public comes too.
const SELF: &str = "self";

/// What was read of one kind of things.
#[derive(Debug)]
pub(super) struct Read<T> {
    /// As far as it came.
    pub(super) got: Vec<T>,
    /// What ended it early.
    pub(super) error: Option<ProviderError>,
}

impl Wire<'_> {
    /// All volumes, managed ones included.
    pub(super) async fn volumes(&self) -> Read<Volume> {
        pages(VOLUMES, async |token| {
            let request = self
                .region
                .ec2
                .describe_volumes()
                .include_managed_resources(true)
                .max_results(self.page(LARGEST_VOLUME_PAGE))
                .set_next_token(token);
            let answer =
                self.send(VOLUMES, |trace| request.customize().interceptor(trace).send()).await?;
            Ok((answer.volumes.unwrap_or_default(), answer.next_token))
        })
        .await
    }

    /// All elastic addresses. EC2 knows no pages of them.
    pub(super) async fn addresses(&self) -> Read<Address> {
        let request = self.region.ec2.describe_addresses();
        let answer =
            self.send(ADDRESSES, |trace| request.customize().interceptor(trace).send()).await;
        match answer {
            Ok(answer) => Read { got: answer.addresses.unwrap_or_default(), error: None },
            Err(error) => Read { got: Vec::new(), error: Some(error) },
        }
    }

    /// The account's own snapshots.
    pub(super) async fn snapshots(&self) -> Read<Snapshot> {
        pages(SNAPSHOTS, async |token| {
            let request = self
                .region
                .ec2
                .describe_snapshots()
                .owner_ids(SELF)
                .max_results(self.page(LARGEST_PAGE))
                .set_next_token(token);
            let answer =
                self.send(SNAPSHOTS, |trace| request.customize().interceptor(trace).send()).await?;
            Ok((answer.snapshots.unwrap_or_default(), answer.next_token))
        })
        .await
    }

    /// The account's own images. Disabled ones cost as much as others.
    pub(super) async fn images(&self) -> Read<Image> {
        pages(IMAGES, async |token| {
            let request = self
                .region
                .ec2
                .describe_images()
                .owners(SELF)
                .include_deprecated(true)
                .include_disabled(true)
                .max_results(self.page(LARGEST_PAGE))
                .set_next_token(token);
            let answer =
                self.send(IMAGES, |trace| request.customize().interceptor(trace).send()).await?;
            Ok((answer.images.unwrap_or_default(), answer.next_token))
        })
        .await
    }

    /// Of each of these images a machine that was launched from it and is still there, with or
    /// without accelerators.
    pub(super) async fn launched_from(
        &self,
        images: &[String],
    ) -> Result<BTreeMap<String, String>, ProviderError> {
        let mut machines = BTreeMap::new();
        for images in images.chunks(FILTER_VALUES) {
            let (mut tokens, mut token) = (Tokens::default(), None);
            loop {
                let request = self
                    .region
                    .ec2
                    .describe_instances()
                    .include_managed_resources(true)
                    .filters(filter("image-id", images))
                    .max_results(self.page(LARGEST_PAGE))
                    .set_next_token(token);
                let answer = self
                    .send(INSTANCES, |trace| request.customize().interceptor(trace).send())
                    .await?;
                let reservations = answer.reservations.unwrap_or_default().into_iter();
                for machine in reservations.flat_map(|it| it.instances.unwrap_or_default()) {
                    let alive = !is_ghost(&machine);
                    if let (Some(image), Some(id), true) =
                        (machine.image_id, machine.instance_id, alive)
                    {
                        machines.entry(image).or_insert(id);
                    }
                }
                token = tokens.next(INSTANCES, answer.next_token)?;
                if token.is_none() {
                    break;
                }
            }
        }
        Ok(machines)
    }
}

/// A page of things, and where to go on.
type Page<T> = (Vec<T>, Option<String>);

async fn pages<T, F>(call: &str, page: impl Fn(Option<String>) -> F) -> Read<T>
where
    F: Future<Output = Result<Page<T>, ProviderError>>,
{
    let (mut got, mut tokens, mut token) = (Vec::new(), Tokens::default(), None);
    loop {
        let next = match page(token).await {
            Ok((things, next)) => {
                got.extend(things);
                tokens.next(call, next)
            }
            Err(error) => Err(error),
        };
        match next {
            Ok(None) => return Read { got, error: None },
            Ok(next) => token = next,
            Err(error) => return Read { got, error: Some(error) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DESCRIPTOR;

    #[test]
    fn the_policy_allows_what_is_read() {
        for call in [VOLUMES, ADDRESSES, SNAPSHOTS, IMAGES, INSTANCES] {
            assert!(DESCRIPTOR.audit_policy.contains(&format!("\"{call}\"")), "{call}");
        }
    }
}

//! The calls that read, and their paging. Each passes the region's limiter, is traced, and ends in the house's
//! own errors.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::future::Future;

use aws_sdk_ec2::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_ec2::operation::RequestId;
use aws_sdk_ec2::primitives::DateTime as RawTime;
use aws_sdk_ec2::types::{
    AttributeBooleanValue, Filter, Instance, InstanceAttributeName, InstanceType, InstanceTypeInfo,
    Region, SpotInstanceType, SpotPrice, Tag,
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use reaper_provider::{CallContext, Delivery, ErrorKind, ProviderError};

use crate::client::RegionClient;
use crate::error::from_sdk;
use crate::limiter::Limiter;
use crate::trace::Trace;

/// Entries per page that EC2 allows in most listings, and what we ask for unless configured.
pub(crate) const LARGEST_PAGE: u32 = 1000;
/// The smallest page that EC2 allows.
const SMALLEST_PAGE: u32 = 5;
/// Entries per page that EC2 allows in the description of types.
const LARGEST_TYPE_PAGE: u32 = 100;
/// Values that EC2 allows in one filter.
pub(crate) const FILTER_VALUES: usize = 200;
/// What EC2 calls Linux in its spot prices: without and with a VPC, which have the same price.
const LINUX: [&str; 2] = ["Linux/UNIX (Amazon VPC)", "Linux/UNIX"];

/// The spot request behind a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpotRequest {
    /// It outlives an interruption and has not been cancelled: its machine can be stopped, and one
    /// that is terminated is launched again.
    pub(crate) persistent: bool,
    /// It is one of a launch group or of an availability zone group, whose machines EC2 does not
    /// let be stopped singly.
    pub(crate) grouped: bool,
}

/// One page of machines.
pub(crate) struct Page {
    /// The machines, of all reservations.
    pub(crate) instances: Vec<Instance>,
    /// Where to go on, if there is more.
    pub(crate) next: Option<String>,
}

/// Follows the tokens of one listing and notices when it runs in a circle.
#[derive(Debug, Default)]
pub(crate) struct Tokens(BTreeSet<String>);

impl Tokens {
    /// The token of the next page; an empty one says that there is none.
    pub(crate) fn next(
        &mut self,
        call: &str,
        token: Option<String>,
    ) -> Result<Option<String>, ProviderError> {
        let Some(token) = token.filter(|token| !token.is_empty()) else { return Ok(None) };
        if self.0.insert(token.clone()) {
            return Ok(Some(token));
        }
        let words = "the same page token came twice: the listing runs in a circle";
        Err(ProviderError::new(ErrorKind::Inconsistent, Delivery::Answered, call, words))
    }
}

/// Calls to one region on behalf of one piece of work.
pub(crate) struct Wire<'a> {
    /// The region.
    pub(crate) region: &'a RegionClient,
    /// The piece of work.
    pub(crate) cx: &'a CallContext,
    /// Entries per page, if configured.
    pub(crate) page_size: Option<u32>,
}

pub(crate) const INSTANCES: &str = "ec2:DescribeInstances";
pub(crate) const TYPES: &str = "ec2:DescribeInstanceTypes";
pub(crate) const TAGS: &str = "ec2:DescribeTags";
pub(crate) const SPOT: &str = "ec2:DescribeSpotInstanceRequests";
pub(crate) const SPOT_PRICES: &str = "ec2:DescribeSpotPriceHistory";
pub(crate) const ATTRIBUTE: &str = "ec2:DescribeInstanceAttribute";
const REGIONS: &str = "ec2:DescribeRegions";

impl Wire<'_> {
    /// One page of machines, managed ones included, of the given types or of all.
    pub(crate) async fn instances(
        &self,
        types: Option<&[String]>,
        token: Option<String>,
    ) -> Result<Page, ProviderError> {
        let request = self
            .region
            .ec2
            .describe_instances()
            .include_managed_resources(true)
            .max_results(self.page(LARGEST_PAGE))
            .set_filters(types.map(|types| vec![filter("instance-type", types)]))
            .set_next_token(token);
        let answer =
            self.send(INSTANCES, |trace| request.customize().interceptor(trace).send()).await?;
        let next = answer.next_token;
        let reservations = answer.reservations.unwrap_or_default().into_iter();
        let instances =
            reservations.flat_map(|reservation| reservation.instances.unwrap_or_default());
        Ok(Page { instances: instances.collect(), next })
    }

    /// One machine by its id, managed or not.
    pub(crate) async fn instance(&self, id: &str) -> Result<Instance, ProviderError> {
        let request =
            self.region.ec2.describe_instances().include_managed_resources(true).instance_ids(id);
        let answer =
            self.send(INSTANCES, |trace| request.customize().interceptor(trace).send()).await?;
        let reservations = answer.reservations.unwrap_or_default().into_iter();
        reservations
            .flat_map(|reservation| reservation.instances.unwrap_or_default())
            .find(|instance| instance.instance_id() == Some(id))
            .ok_or_else(|| {
                // That there is no such machine is said by an error: this says nothing.
                let words = "the answer does not hold the machine that was asked for";
                ProviderError::answered(ErrorKind::Inconsistent, INSTANCES, words)
            })
    }

    /// AWS's description of the named types. A name that it does not know is left out.
    pub(crate) async fn types(
        &self,
        names: &[&str],
    ) -> Result<Vec<InstanceTypeInfo>, ProviderError> {
        let mut infos = Vec::new();
        for names in names.chunks(LARGEST_TYPE_PAGE as usize) {
            match self.named_types(names).await {
                // One name that the region does not know fails the call for all.
                Err(error) if error.kind == ErrorKind::Invalid && names.len() > 1 => {
                    for name in names {
                        infos.extend(self.one_type(name).await?);
                    }
                }
                Err(error) if error.kind == ErrorKind::Invalid => {}
                other => infos.extend(other?),
            }
        }
        Ok(infos)
    }

    async fn one_type(&self, name: &str) -> Result<Vec<InstanceTypeInfo>, ProviderError> {
        match self.named_types(&[name]).await {
            Err(error) if error.kind == ErrorKind::Invalid => Ok(Vec::new()),
            other => other,
        }
    }

    async fn named_types(&self, names: &[&str]) -> Result<Vec<InstanceTypeInfo>, ProviderError> {
        let types = names.iter().map(|name| InstanceType::from(*name)).collect();
        let request = self.region.ec2.describe_instance_types().set_instance_types(Some(types));
        let answer =
            self.send(TYPES, |trace| request.customize().interceptor(trace).send()).await?;
        Ok(answer.instance_types.unwrap_or_default())
    }

    /// AWS's description of every type that the region offers.
    pub(crate) async fn all_types(&self) -> Result<Vec<InstanceTypeInfo>, ProviderError> {
        let (mut infos, mut tokens, mut token) = (Vec::new(), Tokens::default(), None);
        loop {
            let request = self
                .region
                .ec2
                .describe_instance_types()
                .max_results(self.page(LARGEST_TYPE_PAGE))
                .set_next_token(token);
            let answer =
                self.send(TYPES, |trace| request.customize().interceptor(trace).send()).await?;
            infos.extend(answer.instance_types.unwrap_or_default());
            token = tokens.next(TYPES, answer.next_token)?;
            if token.is_none() {
                return Ok(infos);
            }
        }
    }

    /// The tags of the given machines. One that has none is missing from the answer.
    pub(crate) async fn tags(
        &self,
        ids: &[String],
    ) -> Result<BTreeMap<String, Vec<Tag>>, ProviderError> {
        let mut tags: BTreeMap<String, Vec<Tag>> = BTreeMap::new();
        for ids in ids.chunks(FILTER_VALUES) {
            let (mut tokens, mut token) = (Tokens::default(), None);
            loop {
                let request = self
                    .region
                    .ec2
                    .describe_tags()
                    .filters(filter("resource-id", ids))
                    .max_results(self.page(LARGEST_PAGE))
                    .set_next_token(token);
                let answer =
                    self.send(TAGS, |trace| request.customize().interceptor(trace).send()).await?;
                for tag in answer.tags.unwrap_or_default() {
                    let Some(id) = tag.resource_id else { continue };
                    let tag = Tag::builder().set_key(tag.key).set_value(tag.value).build();
                    tags.entry(id).or_default().push(tag);
                }
                token = tokens.next(TAGS, answer.next_token)?;
                if token.is_none() {
                    break;
                }
            }
        }
        Ok(tags)
    }

    /// The spot request behind each of the given machines, where there is one.
    pub(crate) async fn spot_requests(
        &self,
        ids: &[String],
    ) -> Result<BTreeMap<String, SpotRequest>, ProviderError> {
        let mut requests = BTreeMap::new();
        for ids in ids.chunks(FILTER_VALUES) {
            let request = self
                .region
                .ec2
                .describe_spot_instance_requests()
                .filters(filter("instance-id", ids));
            let answer =
                self.send(SPOT, |trace| request.customize().interceptor(trace).send()).await?;
            for request in answer.spot_instance_requests.unwrap_or_default() {
                // Of a cancelled request, the machine can no longer be stopped. It is `disabled`
                // while its machine is stopped.
                let over = request.state().is_some_and(|state| {
                    matches!(state.as_str(), "cancelled" | "closed" | "failed")
                });
                let persistent = match request.r#type().map(SpotInstanceType::as_str) {
                    Some("persistent") => !over,
                    Some("one-time") => false,
                    _ => continue,
                };
                let grouped = [request.launch_group(), request.availability_zone_group()]
                    .into_iter()
                    .flatten()
                    .any(|group| !group.is_empty());
                if let Some(id) = request.instance_id {
                    requests.insert(id, SpotRequest { persistent, grouped });
                }
            }
        }
        Ok(requests)
    }

    /// The prices of Linux spot capacity of the given types that hold now. EC2 answers with all that
    /// changed since the start it is given, and with those in force at that time.
    pub(crate) async fn spot_prices(
        &self,
        types: &[String],
    ) -> Result<Vec<SpotPrice>, ProviderError> {
        let mut prices = Vec::new();
        for types in types.chunks(LARGEST_TYPE_PAGE as usize) {
            let (mut tokens, mut token) = (Tokens::default(), None);
            loop {
                let kinds = types.iter().map(|name| InstanceType::from(name.as_str())).collect();
                let request = self
                    .region
                    .ec2
                    .describe_spot_price_history()
                    .set_instance_types(Some(kinds))
                    .set_product_descriptions(Some(LINUX.map(str::to_owned).to_vec()))
                    .start_time(RawTime::from_secs(self.cx.now.timestamp()))
                    .max_results(self.page(LARGEST_PAGE))
                    .set_next_token(token);
                let answer = self
                    .send(SPOT_PRICES, |trace| request.customize().interceptor(trace).send())
                    .await?;
                prices.extend(answer.spot_price_history.unwrap_or_default());
                token = tokens.next(SPOT_PRICES, answer.next_token)?;
                if token.is_none() {
                    break;
                }
            }
        }
        Ok(prices)
    }

    /// Whether stop and terminate calls are refused for a machine.
    pub(crate) async fn protection(&self, id: &str) -> Result<(bool, bool), ProviderError> {
        let ask = |attribute: InstanceAttributeName| {
            let request =
                self.region.ec2.describe_instance_attribute().instance_id(id).attribute(attribute);
            self.send(ATTRIBUTE, |trace| request.customize().interceptor(trace).send())
        };
        let (stop, terminate) = futures::try_join!(
            ask(InstanceAttributeName::DisableApiStop),
            ask(InstanceAttributeName::DisableApiTermination),
        )?;
        let stop = on(stop.disable_api_stop())?;
        Ok((stop, on(terminate.disable_api_termination())?))
    }

    /// All regions of the partition, with the word on whether the account may use them.
    pub(crate) async fn regions(&self) -> Result<Vec<Region>, ProviderError> {
        let request = self.region.ec2.describe_regions().all_regions(true);
        let answer =
            self.send(REGIONS, |trace| request.customize().interceptor(trace).send()).await?;
        Ok(answer.regions.unwrap_or_default())
    }

    pub(crate) async fn send<O, E, F>(
        &self,
        call: &'static str,
        begin: impl FnOnce(Trace) -> F,
    ) -> Result<O, ProviderError>
    where
        F: Future<Output = Result<O, SdkError<E, HttpResponse>>>,
        E: ProvideErrorMetadata + RequestId + Error + 'static,
    {
        send(&self.region.limiter, self.cx, call, begin).await
    }

    pub(crate) fn page(&self, largest: u32) -> i32 {
        let size = self.page_size.unwrap_or(largest).clamp(SMALLEST_PAGE, largest);
        i32::try_from(size).unwrap_or(i32::MAX)
    }
}

/// Sends one call when its turn has come.
pub(crate) async fn send<O, E, F>(
    limiter: &Limiter,
    cx: &CallContext,
    call: &'static str,
    begin: impl FnOnce(Trace) -> F,
) -> Result<O, ProviderError>
where
    F: Future<Output = Result<O, SdkError<E, HttpResponse>>>,
    E: ProvideErrorMetadata + RequestId + Error + 'static,
{
    let trace = Trace::new(&cx.requests);
    let _turn = limiter.turn().await;
    // The SDK's futures are tens of kilobytes large.
    let answer = Box::pin(begin(trace.clone())).await;
    answer.map_err(|error| from_sdk(&error, call, &trace))
}

fn on(attribute: Option<&AttributeBooleanValue>) -> Result<bool, ProviderError> {
    attribute.and_then(AttributeBooleanValue::value).ok_or_else(|| {
        let words = "the attribute is missing from the answer";
        ProviderError::answered(ErrorKind::Protocol, ATTRIBUTE, words)
    })
}

pub(crate) fn filter(name: &str, values: &[String]) -> Filter {
    Filter::builder().name(name).set_values(Some(values.to_vec())).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_014_a_token_that_comes_back_ends_the_listing_with_an_error() {
        let mut tokens = Tokens::default();
        assert_eq!(tokens.next("c", Some("a".to_owned())), Ok(Some("a".to_owned())));
        assert_eq!(tokens.next("c", Some("b".to_owned())), Ok(Some("b".to_owned())));
        let error = tokens.next("c", Some("a".to_owned())).expect_err("a circle");
        assert_eq!(error.kind, ErrorKind::Inconsistent);
        assert_eq!(tokens.next("c", Some(String::new())), Ok(None));
        assert_eq!(tokens.next("c", None), Ok(None));
    }
}

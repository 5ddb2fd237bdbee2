//! The calls that change something. Each is sent once and never repeated here, names one machine,
//! and asks for nothing besides: no force, no hibernation, no attribute.

use std::error::Error;
use std::future::Future;

use aws_sdk_ec2::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_ec2::operation::RequestId;
use aws_sdk_ec2::types::{InstanceStateChange, Tag};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use reaper_model::Verb;
use reaper_provider::{Delivery, ErrorKind, ProviderError};

use crate::trace::Trace;
use crate::wire::Wire;

const STOP: &str = "ec2:StopInstances";
const TERMINATE: &str = "ec2:TerminateInstances";
const UNTAG: &str = "ec2:DeleteTags";
/// The call that sets a tag.
pub(crate) const TAG: &str = "ec2:CreateTags";

/// The one call that ends a machine's bill in this way.
pub(crate) const fn call(verb: Verb) -> &'static str {
    match verb {
        Verb::Stop => STOP,
        Verb::Terminate => TERMINATE,
    }
}

impl Wire<'_> {
    /// Ends the bill of one machine.
    pub(crate) async fn end(&self, verb: Verb, id: &str) -> Result<(), ProviderError> {
        let ec2 = &self.region.ec2_once;
        let changes = match verb {
            Verb::Stop => {
                let request = ec2.stop_instances().instance_ids(id);
                let begin = |trace| request.customize().interceptor(trace).send();
                self.change(STOP, begin).await?.stopping_instances
            }
            Verb::Terminate => {
                let request = ec2.terminate_instances().instance_ids(id);
                let begin = |trace| request.customize().interceptor(trace).send();
                self.change(TERMINATE, begin).await?.terminating_instances
            }
        };
        taken(call(verb), id, &changes.unwrap_or_default())
    }

    /// Sets one tag of one machine, or removes it, whatever its value.
    pub(crate) async fn tag(
        &self,
        id: &str,
        key: &str,
        value: Option<&str>,
    ) -> Result<(), ProviderError> {
        let ec2 = &self.region.ec2_once;
        let tag = Tag::builder().key(key).set_value(value.map(str::to_owned)).build();
        if value.is_some() {
            let request = ec2.create_tags().resources(id).tags(tag);
            self.change(TAG, |trace| request.customize().interceptor(trace).send()).await?;
        } else {
            let request = ec2.delete_tags().resources(id).tags(tag);
            self.change(UNTAG, |trace| request.customize().interceptor(trace).send()).await?;
        }
        Ok(())
    }

    async fn change<O, E, F>(
        &self,
        call: &'static str,
        begin: impl FnOnce(Trace) -> F,
    ) -> Result<O, ProviderError>
    where
        F: Future<Output = Result<O, SdkError<E, HttpResponse>>>,
        E: ProvideErrorMetadata + RequestId + Error + 'static,
    {
        let _turn = self.region.changes.turn().await;
        self.send(call, begin).await
    }
}

/// Whether a good answer speaks of the machine. One that does not leaves open what was done.
fn taken(call: &str, id: &str, changes: &[InstanceStateChange]) -> Result<(), ProviderError> {
    if changes.iter().any(|change| change.instance_id() == Some(id)) {
        return Ok(());
    }
    let words = "the answer does not speak of the machine";
    Err(ProviderError::new(ErrorKind::Inconsistent, Delivery::MaybeSent, call, words))
}

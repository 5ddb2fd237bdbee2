//! The wire: reads a request, finds out who asks and for what, and hands it to the operation.

use http::StatusCode;

use crate::aws::auth::{Caller, Scope, authenticate};
use crate::aws::error::{AwsError, Service};
use crate::aws::form::Form;
use crate::aws::paging::{Paging, Quirk};
use crate::aws::world::AwsWorld;
use crate::aws::xml::Xml;
use crate::aws::{describe, sts};
use crate::clock::Clock;
use crate::wire::{Call, Reply, Request, Wire};
use crate::world::World;

/// EC2 and STS behind one endpoint; they are told apart by the credential scope.
#[derive(Debug)]
pub(crate) struct AwsWire;

/// One EC2 request of a caller who may make it.
pub(crate) struct Ask<'a> {
    pub(crate) aws: &'a AwsWorld,
    pub(crate) clock: &'a Clock,
    pub(crate) caller: &'a Caller<'a>,
    pub(crate) form: &'a Form,
    pub(crate) operation: &'a str,
    pub(crate) request_id: &'a str,
}

impl Ask<'_> {
    /// The page that is asked for.
    pub(crate) fn paging(
        &self,
        bounds: std::ops::RangeInclusive<usize>,
        cap: Option<usize>,
    ) -> Result<Paging, AwsError> {
        Paging::read(self.form, bounds, cap, self.quirk())
    }

    fn quirk(&self) -> Quirk {
        self.aws.quirk(&self.caller.account.id, &self.caller.region, self.operation)
    }

    /// The answer to this request.
    pub(crate) fn answer(&self, write: impl FnOnce(&mut Xml)) -> Xml {
        Xml::ec2(self.operation, self.request_id, write)
    }
}

impl Wire for AwsWire {
    fn provider(&self) -> &'static str {
        "aws"
    }

    fn call(&self, world: &World, request: &Request) -> Call {
        let form = Form::of(request);
        let operation = form.get("Action").unwrap_or_default().to_owned();
        let scope = Scope::of(request);
        let account = scope.and_then(|scope| scope.account(&world.aws));
        Call {
            changes: changes(&operation),
            operation,
            location: scope.map(|scope| scope.region.to_owned()).unwrap_or_default(),
            account: account.map(|account| account.id.clone()).unwrap_or_default(),
        }
    }

    fn answer(&self, world: &mut World, request: &Request, call: &Call) -> Reply {
        let service = service(request);
        let request_id = request.id();
        let answer = match service {
            Service::Ec2 => ec2(world, request, &call.operation, &request_id),
            Service::Sts => sts::answer(world, request, &call.operation, &request_id),
        };
        match answer {
            Ok(xml) => xml.reply(StatusCode::OK),
            Err(error) => error.reply(service, &request_id),
        }
    }

    fn throttled(&self, request: &Request, _call: &Call) -> Reply {
        let service = service(request);
        AwsError::throttled(service).reply(service, &request.id())
    }
}

/// Reads are POSTs too, so only the action tells.
fn changes(operation: &str) -> bool {
    let reads = ["Describe", "Get", "List", "Search"];
    operation != "AssumeRole" && !reads.iter().any(|prefix| operation.starts_with(prefix))
}

fn service(request: &Request) -> Service {
    match Scope::of(request) {
        Some(scope) if scope.service == "sts" => Service::Sts,
        None if Form::of(request).get("Version") == Some("2011-06-15") => Service::Sts,
        Some(_) | None => Service::Ec2,
    }
}

fn ec2(
    world: &World,
    request: &Request,
    operation: &str,
    request_id: &str,
) -> Result<Xml, AwsError> {
    let World { aws, clock, .. } = world;
    let caller = authenticate(aws, clock, request, Service::Ec2)?;
    let answer: fn(&Ask<'_>) -> Result<Xml, AwsError> = match operation {
        "DescribeInstances" => describe::instances,
        "DescribeInstanceTypes" => describe::instance_types,
        "DescribeInstanceAttribute" => describe::instance_attribute,
        "DescribeRegions" => describe::regions,
        "DescribeSpotInstanceRequests" => describe::spot_instance_requests,
        "DescribeTags" => describe::tags,
        _ => {
            return Err(AwsError::bad(
                "InvalidAction",
                format!("The action {operation} is not valid for this web service."),
            ));
        }
    };
    caller.may(Service::Ec2, operation)?;
    let form = Form::of(request);
    if form.is_true("DryRun") {
        return Err(AwsError::new(
            StatusCode::PRECONDITION_FAILED,
            "DryRunOperation",
            "Request would have succeeded, but DryRun flag is set.",
        ));
    }
    answer(&Ask { aws, clock, caller: &caller, form: &form, operation, request_id })
}

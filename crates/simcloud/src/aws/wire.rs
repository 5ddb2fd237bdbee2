//! The wire: reads a request, finds out who asks and for what, and hands it to the operation.

use http::StatusCode;

use crate::aws::account::Account;
use crate::aws::act::{self, Order};
use crate::aws::auth::{Caller, Scope, authenticate};
use crate::aws::cloudwatch::{self, Node, Speech};
use crate::aws::error::{AwsError, Service};
use crate::aws::form::Form;
use crate::aws::paging::{Paging, Quirk};
use crate::aws::world::AwsWorld;
use crate::aws::xml::Xml;
use crate::aws::{costs, describe, json, products, sts};
use crate::clock::Clock;
use crate::wire::{Call, Reply, Request, Wire};
use crate::world::World;

/// The operation that shows the states of machines.
const LIST: &str = "DescribeInstances";

/// All services behind one endpoint; they are told apart by the credential scope.
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
        let metrics = cloudwatch::asked(request).map(|(_, operation)| operation);
        let operation = metrics.or_else(|| json::operation(request)).or_else(|| form.get("Action"));
        let operation = operation.unwrap_or_default().to_owned();
        let scope = Scope::of(request);
        let account = scope.and_then(|scope| scope.account(&world.aws));
        Call {
            changes: changes(&operation) && !form.is_true("DryRun"),
            action: operation.clone(),
            operation,
            ids: named(&form),
            location: scope.map(|scope| scope.region.to_owned()).unwrap_or_default(),
            account: account.map(|account| account.id.clone()).unwrap_or_default(),
        }
    }

    fn answer(&self, world: &mut World, request: &Request, call: &Call) -> Reply {
        world.aws.settle(&world.clock);
        let service = service(request);
        let request_id = request.id();
        let ok = |xml: Xml| xml.reply(StatusCode::OK);
        let answer = match service {
            Service::Ec2 => ec2(world, request, call, &request_id).map(ok),
            Service::Sts => sts::answer(world, request, &call.operation, &request_id).map(ok),
            Service::Costs | Service::Prices => money(world, request, call, service)
                .map(|body| json::reply(StatusCode::OK, &body, &request_id)),
            Service::Metrics(speech) => metrics(world, request, call, speech)
                .map(|body| cloudwatch::reply(speech, StatusCode::OK, &body, &request_id)),
        };
        answer.unwrap_or_else(|error| error.reply(service, &request_id))
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

/// The machines that a request names: by id, as things to tag, or in a filter.
fn named(form: &Form) -> Vec<String> {
    let filters = form.filters(|_| true).unwrap_or_default();
    let filtered =
        filters.into_iter().filter(|it| matches!(&*it.name, "instance-id" | "resource-id"));
    let listed = [form.list("InstanceId"), form.list("ResourceId")].concat();
    let single = form.get("InstanceId");
    listed
        .into_iter()
        .chain(single)
        .map(str::to_owned)
        .chain(filtered.flat_map(|filter| filter.values))
        .collect()
}

fn service(request: &Request) -> Service {
    if let Some((speech, _)) = cloudwatch::asked(request) {
        return Service::Metrics(speech);
    }
    if let Some(service) = json::service(request) {
        return service;
    }
    match Scope::of(request) {
        Some(scope) if scope.service == "sts" => Service::Sts,
        None if Form::of(request).get("Version") == Some("2011-06-15") => Service::Sts,
        Some(_) | None => Service::Ec2,
    }
}

/// An operation of EC2.
enum Operation {
    Read(fn(&Ask<'_>) -> Result<Xml, AwsError>),
    Change(fn(&mut Order<'_>) -> Result<Xml, AwsError>),
}

fn find(operation: &str) -> Option<Operation> {
    use Operation::{Change, Read};
    Some(match operation {
        LIST => Read(describe::instances),
        "DescribeAddresses" => Read(describe::addresses),
        "DescribeImages" => Read(describe::images),
        "DescribeInstanceTypes" => Read(describe::instance_types),
        "DescribeInstanceAttribute" => Read(describe::instance_attribute),
        "DescribeRegions" => Read(describe::regions),
        "DescribeSnapshots" => Read(describe::snapshots),
        "DescribeSpotInstanceRequests" => Read(describe::spot_instance_requests),
        "DescribeSpotPriceHistory" => Read(describe::spot_price_history),
        "DescribeTags" => Read(describe::tags),
        "DescribeVolumes" => Read(describe::volumes),
        "StopInstances" => Change(act::stop),
        "TerminateInstances" => Change(act::terminate),
        "CreateTags" => Change(act::create_tags),
        "DeleteTags" => Change(act::delete_tags),
        _ => return None,
    })
}

/// An operation that speaks JSON.
type Answer = fn(&AwsWorld, &Clock, &Account, &[u8], Quirk) -> Result<serde_json::Value, AwsError>;

/// One request to Cost Explorer or the price list.
fn money(
    world: &World,
    request: &Request,
    call: &Call,
    service: Service,
) -> Result<serde_json::Value, AwsError> {
    let World { aws, clock, .. } = world;
    let operation = call.operation.as_str();
    let caller = authenticate(aws, clock, request, service)?;
    let answer: Answer = match (service, operation) {
        (Service::Costs, "GetCostAndUsage") => costs::cost_and_usage,
        (Service::Prices, "GetProducts") => products::products,
        _ => return Err(AwsError::bad("UnknownOperationException", operation)),
    };
    caller.may(service, operation)?;
    let quirk = aws.quirk(&caller.account.id, &caller.region, operation);
    answer(aws, clock, caller.account, &request.body, quirk)
}

/// One request to CloudWatch.
fn metrics(
    world: &World,
    request: &Request,
    call: &Call,
    speech: Speech,
) -> Result<Node, AwsError> {
    let (operation, service) = (call.operation.as_str(), Service::Metrics(speech));
    let caller = authenticate(&world.aws, &world.clock, request, service)?;
    let answer = match operation {
        "ListMetrics" => cloudwatch::list_metrics,
        "GetMetricData" => cloudwatch::metric_data,
        _ => return Err(AwsError::bad("InvalidAction", operation)),
    };
    caller.may(service, operation)?;
    let quirk = world.aws.quirk(&caller.account.id, &caller.region, operation);
    answer(world, (caller.account, &caller.region), speech, &request.body, &quirk)
}

fn ec2(
    world: &mut World,
    request: &Request,
    call: &Call,
    request_id: &str,
) -> Result<Xml, AwsError> {
    let World { aws, clock, .. } = world;
    let operation = call.operation.as_str();
    let caller = authenticate(aws, clock, request, Service::Ec2)?;
    let found = find(operation).ok_or_else(|| {
        let message = format!("The action {operation} is not valid for this web service.");
        AwsError::bad("InvalidAction", message)
    })?;
    caller.may(Service::Ec2, operation)?;
    let form = Form::of(request);
    if form.is_true("DryRun") {
        return Err(AwsError::new(
            StatusCode::PRECONDITION_FAILED,
            "DryRunOperation",
            "Request would have succeeded, but DryRun flag is set.",
        ));
    }
    let (account, region) = (caller.account.id.clone(), caller.region.clone());
    match found {
        Operation::Read(read) => {
            let ask = Ask { aws, clock, caller: &caller, form: &form, operation, request_id };
            let answer = read(&ask)?;
            if operation == LIST {
                for id in &call.ids {
                    aws.passages.seen(&(account.clone(), region.clone(), id.clone()));
                }
            }
            Ok(answer)
        }
        Operation::Change(change) => {
            change(&mut Order { aws, clock, account, region, form: &form, operation, request_id })
        }
    }
}

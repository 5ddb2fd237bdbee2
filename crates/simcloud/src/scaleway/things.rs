//! The lists of volumes, snapshots, images and addresses: pages by the Instances API with their total
//! in a header, pages by the block API with it in the body.

use http::StatusCode;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::scaleway::instance::Page;
use crate::scaleway::problem::Problem;
use crate::scaleway::recording::page_of;
use crate::scaleway::route::query;
use crate::scaleway::storage::Kept;
use crate::scaleway::world::{Organization, ScalewayWorld};
use crate::wire::{Reply, Request};

const DEFAULT_PAGE: usize = 50;
const LARGEST_PAGE: usize = 100;
/// The kinds of block volumes: IOPS, and billionths of a euro per GB and hour, of the volume and of
/// its snapshots.
const KINDS: [(&str, u32, u32, u32); 2] =
    [("sbs_5k", 5_000, 118_000, 40_000), ("sbs_15k", 15_000, 177_000, 40_000)];

/// Who asks for what: one organisation's things in one zone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) world: &'a ScalewayWorld,
    pub(crate) clock: &'a Clock,
    pub(crate) organization: &'a Organization,
    pub(crate) zone: &'a str,
    pub(crate) request: &'a Request,
}

impl Asked<'_> {
    /// Whether it is the organisation's, in the zone, and of the project that is asked for.
    fn fits(&self, thing: &impl Kept, parameter: &str) -> bool {
        let (organization, _, zone) = thing.place();
        organization == self.organization.id
            && zone == self.zone
            && query(self.request, parameter).is_none_or(|wanted| wanted == thing.project())
    }

    /// A list of the Instances API.
    pub(crate) fn instances(&self, list: &str) -> Result<Reply, Problem> {
        let Self { world, clock, .. } = *self;
        let page = Page::of(self.request)?;
        let all: Vec<Value> = match list {
            "volumes" => world
                .all_volumes()
                .iter()
                .filter(|volume| !volume.is_block() && self.fits(*volume, "project"))
                .map(|volume| volume.local_json(world, clock))
                .collect(),
            "snapshots" => world
                .storage
                .snapshots
                .iter()
                .filter(|snapshot| !snapshot.is_block() && self.fits(*snapshot, "project"))
                .map(|snapshot| snapshot.local_json(clock))
                .collect(),
            "images" => {
                let public = query(self.request, "public");
                let shown = |is_public: bool| {
                    let word = is_public.to_string();
                    public.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(&word))
                };
                world
                    .storage
                    .images
                    .iter()
                    .filter(|image| shown(image.public) && self.fits(*image, "project"))
                    .map(|image| image.json(world, clock))
                    .collect()
            }
            _ => world
                .all_addresses()
                .iter()
                .filter(|(ip, _)| self.fits(ip, "project"))
                .map(|(ip, server)| ip.json(*server))
                .collect(),
        };
        let total = all.len() as u64;
        let shown = page.of_all(all);
        Ok(page.reply(&json!({ list: shown }), &format!("/{list}"), total))
    }

    /// A list of the block API. A project that is not there, or not any more, is denied.
    pub(crate) fn blocks(&self, list: &str) -> Result<Reply, Problem> {
        let Self { world, clock, organization, zone, request } = *self;
        if query(request, "project_id").is_some_and(|project| !organization.owns(&project)) {
            return Err(Problem::denied("read", list.trim_end_matches('s')));
        }
        let size = match query(request, "page_size") {
            None => DEFAULT_PAGE,
            Some(text) => text
                .parse()
                .ok()
                .filter(|size| (1..=LARGEST_PAGE).contains(size))
                .ok_or_else(|| Problem::invalid("page_size", "constraint", "1 to 100"))?,
        };
        let (name, all): (&str, Vec<Value>) = match list {
            "volumes" => {
                let found = world.all_volumes();
                let found = found.iter().filter(|it| it.is_block() && self.fits(*it, "project_id"));
                (list, found.map(|volume| volume.block_json(world, clock)).collect())
            }
            "snapshots" => {
                let found = world.storage.snapshots.iter();
                let found = found.filter(|it| it.is_block() && self.fits(*it, "project_id"));
                (list, found.map(|snapshot| snapshot.block_json(world, clock)).collect())
            }
            _ => ("volume_types", KINDS.map(|kind| volume_type(kind, zone)).to_vec()),
        };
        let total = all.len();
        let first = (page_of(request) as usize - 1) * size;
        let shown: Vec<Value> = all.into_iter().skip(first).take(size).collect();
        Ok(Reply::json(StatusCode::OK, &json!({ name: shown, "total_count": total })))
    }
}

fn volume_type((name, iops, price, snapshot): (&str, u32, u32, u32), zone: &str) -> Value {
    let money = |nanos: u32| json!({ "currency_code": "EUR", "units": 0, "nanos": nanos });
    json!({
        "type": name,
        "pricing": money(price),
        "snapshot_pricing": money(snapshot),
        "specs": { "perf_iops": iops, "class": "sbs" },
        "zone": zone,
    })
}

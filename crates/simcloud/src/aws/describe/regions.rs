//! `DescribeRegions`: the enabled regions, or with `AllRegions` those to opt into as well.

use crate::aws::error::AwsError;
use crate::aws::region::OptIn;
use crate::aws::wire::Ask;
use crate::aws::xml::Xml;

pub(crate) fn regions(ask: &Ask<'_>) -> Result<Xml, AwsError> {
    let all = ask.form.is_true("AllRegions");
    let names = ask.form.list("RegionName");
    let filters =
        ask.form.filters(|name| matches!(name, "region-name" | "endpoint" | "opt-in-status"))?;
    let known = ask.aws.regions(ask.caller.account);
    if let Some(unknown) = names.iter().find(|name| !known.contains_key(*name)) {
        let message = format!("Invalid region names: {unknown}");
        return Err(AwsError::bad("InvalidParameterValue", message));
    }
    let listed = known.into_iter().filter(|(region, opt_in)| {
        (all || *opt_in != OptIn::NotOptedIn)
            && (names.is_empty() || names.contains(region))
            && filters.iter().all(|filter| match filter.name.as_str() {
                "region-name" => filter.fits(region),
                "endpoint" => filter.fits(&endpoint(region)),
                _ => filter.fits(opt_in.word()),
            })
    });
    Ok(ask.answer(|xml| {
        xml.set("regionInfo", listed, |xml, (region, opt_in)| {
            xml.leaf("regionName", region);
            xml.leaf("regionEndpoint", &endpoint(region));
            xml.leaf("optInStatus", opt_in.word());
        });
    }))
}

fn endpoint(region: &str) -> String {
    format!("ec2.{region}.amazonaws.com")
}

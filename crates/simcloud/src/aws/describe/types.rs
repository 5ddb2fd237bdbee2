//! `DescribeInstanceTypes`: what the types of a region are made of, at most 100 to a page.

use std::ops::Bound;

use crate::aws::error::AwsError;
use crate::aws::form::Filter;
use crate::aws::types::{Device, InstanceType};
use crate::aws::wire::Ask;
use crate::aws::xml::Xml;

const MOST_ON_A_PAGE: usize = 100;

pub(crate) fn instance_types(ask: &Ask<'_>) -> Result<Xml, AwsError> {
    let names = ask.form.list("InstanceType");
    let filters = ask.form.filters(|name| {
        matches!(
            name,
            "bare-metal"
                | "instance-storage-supported"
                | "instance-type"
                | "processor-info.supported-architecture"
                | "supported-usage-class"
        )
    })?;
    let region = &ask.caller.region;
    if names.len() > MOST_ON_A_PAGE {
        return Err(AwsError::bad(
            "InvalidParameterValue",
            format!("No more than {MOST_ON_A_PAGE} instance types can be asked for at once"),
        ));
    }
    if !names.is_empty() && ask.form.get("MaxResults").is_some() {
        return Err(AwsError::bad(
            "InvalidParameterCombination",
            "The parameter instanceType cannot be used with the parameter maxResults",
        ));
    }
    let known = ask.aws.types();
    let offered = |name: &str| known.get(name).is_some_and(|found| found.is_offered_in(region));
    let missing: Vec<&str> = names.iter().copied().filter(|name| !offered(name)).collect();
    if !missing.is_empty() {
        let missing = missing.join(", ");
        return Err(AwsError::bad(
            "InvalidInstanceType",
            format!("The following supplied instance types do not exist: [{missing}]"),
        ));
    }
    let paging = ask.paging(5..=MOST_ON_A_PAGE, Some(MOST_ON_A_PAGE))?;
    let from = paging.after().map_or(Bound::Unbounded, |(name, _)| Bound::Excluded(name));
    let types = known.range::<str, _>((from, Bound::Unbounded)).filter(|(name, described)| {
        described.is_offered_in(region)
            && (names.is_empty() || names.contains(&name.as_str()))
            && filters.iter().all(|filter| passes(filter, name, described))
    });
    let page = paging.take(types.map(|found| ((found.0.as_str(), ""), found)));
    Ok(ask.answer(|xml| {
        xml.set("instanceTypeSet", page.items, |xml, (name, described)| {
            describe(xml, name, described);
        });
        xml.maybe("nextToken", page.next.as_deref());
    }))
}

fn passes(filter: &Filter, name: &str, described: &InstanceType) -> bool {
    let flag = |value: bool| filter.fits(if value { "true" } else { "false" });
    match filter.name.as_str() {
        "instance-type" => filter.fits(name),
        "bare-metal" => flag(described.bare_metal),
        "instance-storage-supported" => flag(!described.disks.is_empty()),
        "processor-info.supported-architecture" => filter.fits(architecture(described)),
        _ => usage(described).iter().any(|class| filter.fits(class)),
    }
}

fn architecture(described: &InstanceType) -> &'static str {
    if described.arm { "arm64" } else { "x86_64" }
}

fn usage(described: &InstanceType) -> Vec<&str> {
    if described.usage.is_empty() {
        vec!["on-demand", "spot"]
    } else {
        described.usage.iter().map(String::as_str).collect()
    }
}

fn describe(xml: &mut Xml, name: &str, described: &InstanceType) {
    xml.leaf("instanceType", name);
    xml.value("currentGeneration", true);
    xml.value("freeTierEligible", false);
    xml.node("supportedUsageClasses", |xml| {
        for class in usage(described) {
            xml.leaf("item", class);
        }
    });
    xml.node("supportedRootDeviceTypes", |xml| xml.leaf("item", "ebs"));
    xml.node("supportedVirtualizationTypes", |xml| xml.leaf("item", "hvm"));
    xml.value("bareMetal", described.bare_metal);
    if !described.bare_metal {
        xml.leaf("hypervisor", "nitro");
    }
    xml.node("processorInfo", |xml| {
        xml.node("supportedArchitectures", |xml| xml.leaf("item", architecture(described)));
    });
    xml.node("vCpuInfo", |xml| xml.value("defaultVCpus", described.vcpus));
    xml.node("memoryInfo", |xml| xml.value("sizeInMiB", described.memory_mib));
    storage(xml, described);
    gpus(xml, described);
    devices(xml, "fpgaInfo", "fpgas", "totalFpgaMemoryInMiB", &described.fpga);
    inference(xml, &described.inference);
    devices(xml, "mediaAcceleratorInfo", "accelerators", "totalMediaMemoryInMiB", &described.media);
    devices(xml, "neuronInfo", "neuronDevices", "totalNeuronDeviceMemoryInMiB", &described.neuron);
    xml.value("hibernationSupported", false);
}

fn storage(xml: &mut Xml, described: &InstanceType) {
    xml.value("instanceStorageSupported", !described.disks.is_empty());
    if described.disks.is_empty() {
        return;
    }
    xml.node("instanceStorageInfo", |xml| {
        let total: u64 = described.disks.iter().map(|d| u64::from(d.count) * d.size_gb).sum();
        xml.value("totalSizeInGB", total);
        xml.set("disks", &described.disks, |xml, disk| {
            xml.value("sizeInGB", disk.size_gb);
            xml.value("count", disk.count);
            xml.leaf("type", "ssd");
        });
        xml.leaf("nvmeSupport", "required");
        xml.leaf("encryptionSupport", "required");
    });
}

fn gpus(xml: &mut Xml, described: &InstanceType) {
    if described.gpus.is_empty() {
        return;
    }
    xml.node("gpuInfo", |xml| {
        xml.set("gpus", &described.gpus, |xml, gpu| {
            xml.leaf("name", &gpu.name);
            xml.leaf("manufacturer", &gpu.manufacturer);
            xml.value("count", gpu.count);
            xml.value("logicalGpuCount", gpu.logical.unwrap_or(gpu.count));
            xml.value("gpuPartitionSize", gpu.partition.unwrap_or(1.0));
            xml.node("memoryInfo", |xml| xml.value("sizeInMiB", gpu.memory_mib));
        });
        let total: u64 = described
            .gpus
            .iter()
            .map(|gpu| u64::from(gpu.logical.unwrap_or(gpu.count)) * gpu.memory_mib)
            .sum();
        xml.value("totalGpuMemoryInMiB", total);
    });
}

fn devices(xml: &mut Xml, info: &str, set: &str, total: &str, devices: &[Device]) {
    if devices.is_empty() {
        return;
    }
    xml.node(info, |xml| {
        xml.set(set, devices, device);
        xml.value(total, memory(devices));
    });
}

/// The one list of EC2 whose items are called `member`.
fn inference(xml: &mut Xml, devices: &[Device]) {
    if devices.is_empty() {
        return;
    }
    xml.node("inferenceAcceleratorInfo", |xml| {
        xml.node("accelerators", |xml| {
            for each in devices {
                xml.node("member", |xml| device(xml, each));
            }
        });
        xml.value("totalInferenceMemoryInMiB", memory(devices));
    });
}

fn device(xml: &mut Xml, device: &Device) {
    xml.value("count", device.count);
    xml.leaf("name", &device.name);
    if !device.manufacturer.is_empty() {
        xml.leaf("manufacturer", &device.manufacturer);
    }
    if device.cores > 0 {
        xml.node("coreInfo", |xml| xml.value("count", device.cores));
    }
    xml.node("memoryInfo", |xml| xml.value("sizeInMiB", device.memory_mib));
}

fn memory(devices: &[Device]) -> u64 {
    devices.iter().map(|device| u64::from(device.count) * device.memory_mib).sum()
}

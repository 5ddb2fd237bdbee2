//! The real NVML, loaded at run time.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use nvml_wrapper::enum_wrappers::device::Sampling;
use nvml_wrapper::enums::device::SampleValue;
use nvml_wrapper::enums::gpm::GpmMetricId;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::gpm::{GpmSample, gpm_metrics_get};
use nvml_wrapper::{Device, Nvml};

use crate::nvml::{Answer, Driver, Refusal};

/// Names of the library. Machines that only run programs have the first one alone.
const NAMES: [&str; 2] = ["libnvidia-ml.so.1", "libnvidia-ml.so"];

/// Longest name of a program that is asked for.
const LONGEST_PROGRAM: usize = 256;

/// The loaded library.
#[derive(Debug)]
pub struct Library {
    /// Never unloaded: its samples and devices point into it, and it is loaded once, or again where
    /// a driver was replaced below it.
    nvml: &'static Nvml,
    /// What counters of the engines stood at, by accelerator and slice.
    counters: BTreeMap<(u32, Option<u32>), GpmSample<'static>>,
}

impl Library {
    /// Loads it.
    ///
    /// # Errors
    ///
    /// It is not there, or there is no driver below it; in words.
    pub fn load() -> Result<Self, String> {
        let mut why = String::new();
        for name in NAMES {
            match Nvml::builder().lib_path(OsStr::new(name)).init() {
                Ok(nvml) => {
                    let nvml: &'static Nvml = Box::leak(Box::new(nvml));
                    return Ok(Self { nvml, counters: BTreeMap::new() });
                }
                // The first name is the one that matters.
                Err(error) if why.is_empty() => why = format!("NVML: {error}"),
                Err(_) => {}
            }
        }
        Err(why)
    }

    fn device(&self, gpu: u32) -> Answer<Device<'static>> {
        self.nvml.device_by_index(gpu).map_err(refusal)
    }
}

impl Driver for Library {
    fn count(&mut self) -> Answer<u32> {
        self.nvml.device_count().map_err(refusal)
    }

    fn uuid(&mut self, gpu: u32) -> Answer<String> {
        self.device(gpu)?.uuid().map_err(refusal)
    }

    fn model(&mut self, gpu: u32) -> Answer<String> {
        self.device(gpu)?.name().map_err(refusal)
    }

    fn mig(&mut self, gpu: u32) -> Answer<bool> {
        self.device(gpu)?.mig_mode().map(|mode| mode.current != 0).map_err(refusal)
    }

    fn utilisation_since(&mut self, gpu: u32, after: u64) -> Answer<Vec<(u64, f64)>> {
        let samples = self.device(gpu)?.samples(Sampling::GpuUtilization, after);
        let samples = samples.map_err(refusal)?.into_iter();
        Ok(samples.filter_map(|sample| Some((sample.timestamp, number(&sample.value)?))).collect())
    }

    fn utilisation(&mut self, gpu: u32) -> Answer<u32> {
        self.device(gpu)?.utilization_rates().map(|rates| rates.gpu).map_err(refusal)
    }

    fn engine(&mut self, gpu: u32, slice: Option<u32>) -> Answer<Option<f64>> {
        let device = self.device(gpu)?;
        if !device.gpm_support().map_err(refusal)? {
            return Err(Refusal::NotOffered);
        }
        let now = match slice {
            None => device.gpm_sample(),
            Some(slice) => device.gpm_mig_sample(slice),
        };
        let now = now.map_err(refusal)?;
        let before = self.counters.remove(&(gpu, slice));
        let active = match &before {
            None => None,
            Some(before) => {
                let wanted = [GpmMetricId::GraphicsUtil];
                let told = gpm_metrics_get(self.nvml, before, &now, &wanted).map_err(refusal)?;
                let first = told.into_iter().next().ok_or(Refusal::NotOffered)?;
                Some(first.map_err(refusal)?.value)
            }
        };
        self.counters.insert((gpu, slice), now);
        Ok(active)
    }

    fn power(&mut self, gpu: u32) -> Answer<u32> {
        self.device(gpu)?.power_usage().map_err(refusal)
    }

    fn power_limit(&mut self, gpu: u32) -> Answer<u32> {
        self.device(gpu)?.enforced_power_limit().map_err(refusal)
    }

    fn memory(&mut self, gpu: u32) -> Answer<(u64, u64)> {
        self.device(gpu)?.memory_info().map(|info| (info.used, info.total)).map_err(refusal)
    }

    fn computing(&mut self, gpu: u32) -> Answer<Vec<u32>> {
        let processes = self.device(gpu)?.running_compute_processes().map_err(refusal)?;
        Ok(processes.into_iter().map(|process| process.pid).collect())
    }

    fn drawing(&mut self, gpu: u32) -> Answer<Vec<u32>> {
        let processes = self.device(gpu)?.running_graphics_processes().map_err(refusal)?;
        Ok(processes.into_iter().map(|process| process.pid).collect())
    }

    fn program(&mut self, process: u32) -> Answer<String> {
        self.nvml.sys_process_name(process, LONGEST_PROGRAM).map_err(refusal)
    }
}

#[expect(clippy::cast_precision_loss, reason = "percents")]
fn number(value: &SampleValue) -> Option<f64> {
    match *value {
        SampleValue::F64(value) => Some(value),
        SampleValue::U32(value) => Some(f64::from(value)),
        SampleValue::U64(value) => Some(value as f64),
        SampleValue::I64(value) => Some(value as f64),
        #[expect(unreachable_patterns, reason = "kinds that later versions of the library add")]
        _ => None,
    }
}

/// What a card, a driver or a library of its age does not offer is no failure.
fn refusal(error: NvmlError) -> Refusal {
    match error {
        NvmlError::NotSupported
        | NvmlError::NotFound
        | NvmlError::FunctionNotFound
        | NvmlError::FailedToLoadSymbol(_) => Refusal::NotOffered,
        other => Refusal::Failed(other.to_string()),
    }
}

//! Accelerators read through NVML, NVIDIA's library. What is asked of it is a trait, so that tests
//! can stand in for a driver.

use std::collections::{BTreeMap, BTreeSet};

use crate::reading::{GpuReading, Gpus, Level, SliceReading, drives_a_display};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// This accelerator, driver or library does not offer it.
    NotOffered,
    /// Anything else, in the library's words.
    Failed(String),
}

/// An answer of the driver.
pub type Answer<T> = Result<T, Refusal>;

/// What is asked of a driver. Accelerators go by their number.
pub trait Driver {
    /// How many there are.
    fn count(&mut self) -> Answer<u32>;
    /// UUID.
    fn uuid(&mut self, gpu: u32) -> Answer<String>;
    /// What it is called.
    fn model(&mut self, gpu: u32) -> Answer<String>;
    /// Whether it is cut into slices.
    fn mig(&mut self, gpu: u32) -> Answer<bool>;
    /// What the driver itself sampled of the utilisation after a time: times and percents.
    fn utilisation_since(&mut self, gpu: u32, after: u64) -> Answer<Vec<(u64, f64)>>;
    /// Utilisation of the last moment, percent.
    fn utilisation(&mut self, gpu: u32) -> Answer<u32>;
    /// How active the engine was since this was asked before, percent; `None` the first time.
    fn engine(&mut self, gpu: u32, slice: Option<u32>) -> Answer<Option<f64>>;
    /// Power drawn, milliwatts.
    fn power(&mut self, gpu: u32) -> Answer<u32>;
    /// The most that it may draw, milliwatts.
    fn power_limit(&mut self, gpu: u32) -> Answer<u32>;
    /// Memory in use and all of it, bytes.
    fn memory(&mut self, gpu: u32) -> Answer<(u64, u64)>;
    /// Processes that compute on it.
    fn computing(&mut self, gpu: u32) -> Answer<Vec<u32>>;
    /// Processes that draw on it.
    fn drawing(&mut self, gpu: u32) -> Answer<Vec<u32>>;
    /// What a process runs.
    fn program(&mut self, pid: u32) -> Answer<String>;
}

/// A driver and what was last heard of it.
#[derive(Debug)]
pub struct Nvml<D> {
    driver: D,
    /// Accelerator → time of the newest sample of its utilisation that was seen.
    seen: BTreeMap<String, u64>,
}

impl<D: Driver> Nvml<D> {
    /// Nothing heard yet.
    pub const fn new(driver: D) -> Self {
        Self { driver, seen: BTreeMap::new() }
    }

    /// Reads all accelerators.
    ///
    /// # Errors
    ///
    /// The driver does not even say how many there are.
    pub fn read(&mut self) -> Result<Gpus, String> {
        let count = self.driver.count().map_err(|refusal| match refusal {
            Refusal::NotOffered => "NVML does not tell how many GPUs there are".to_owned(),
            Refusal::Failed(why) => format!("NVML: {why}"),
        })?;
        let mut all = Gpus::default();
        for index in 0..count {
            let mut told = Told { index, troubles: BTreeSet::new() };
            let reading = self.gpu(index, &mut told);
            all.troubles.extend(told.troubles);
            all.gpus.push(reading);
        }
        Ok(all)
    }

    fn gpu(&mut self, index: u32, told: &mut Told) -> GpuReading {
        let driver = &mut self.driver;
        let uuid = told.known(driver.uuid(index));
        let mut gpu = GpuReading {
            index,
            uuid,
            model: told.known(driver.model(index)),
            mig: told.known(driver.mig(index)).unwrap_or(false),
            ..GpuReading::default()
        };
        if let Some((used, total)) = told.known(driver.memory(index)) {
            gpu.values.memory_used = Some(used);
            gpu.values.memory_total = Some(total);
        }
        let drawn = told.known(driver.power(index));
        let limit = told.known(driver.power_limit(index)).filter(|limit| *limit > 0);
        if let (Some(drawn), Some(limit)) = (drawn, limit) {
            gpu.values.power = Some(Level::of(100.0 * f64::from(drawn) / f64::from(limit)));
        }
        gpu.values.engine = told.known(driver.engine(index, None)).flatten().map(Level::of);
        gpu.values.utilisation = self.utilisation(&gpu, told);
        self.processes(&mut gpu, told);
        gpu
    }

    /// What the driver sampled since the look before; where it keeps no samples, of the moment.
    fn utilisation(&mut self, gpu: &GpuReading, told: &mut Told) -> Option<Level> {
        let seen = self.seen.entry(gpu.id()).or_default();
        let samples = self.driver.utilisation_since(gpu.index, *seen).unwrap_or_default();
        // Some drivers hand over what was asked to be left out.
        let samples: Vec<_> = samples.into_iter().filter(|(at, _)| *at > *seen).collect();
        if let Some(newest) = samples.iter().map(|(at, _)| *at).max() {
            *seen = newest;
            let values = samples.iter().map(|(_, value)| *value);
            let peak = values.clone().fold(f64::MIN, f64::max);
            let number = f64::from(u32::try_from(samples.len()).unwrap_or(u32::MAX));
            return Some(Level { peak, mean: values.sum::<f64>() / number });
        }
        told.known(self.driver.utilisation(gpu.index)).map(|value| Level::of(f64::from(value)))
    }

    /// Who holds it: what computes, and what draws unless it drives a display. Where one of both
    /// lists is not known, their number is not.
    fn processes(&mut self, gpu: &mut GpuReading, told: &mut Told) {
        let computing = told.known(self.driver.computing(gpu.index));
        let drawing = match self.driver.drawing(gpu.index) {
            // Cards for computing alone keep no such list.
            Err(Refusal::NotOffered) => Some(Vec::new()),
            answer => told.known(answer),
        };
        let (Some(mut holders), Some(drawing)) = (computing, drawing) else { return };
        let driver = &mut self.driver;
        holders.extend(drawing.into_iter().filter(|process| {
            !driver.program(*process).is_ok_and(|program| drives_a_display(&program))
        }));
        let holders: BTreeSet<u32> = holders.into_iter().collect();
        gpu.values.processes = u32::try_from(holders.len()).ok();
    }

    /// How active the engines of the slices of an accelerator were; their numbers come from elsewhere.
    pub fn slices(&mut self, gpu: u32, slices: &mut [SliceReading]) {
        for slice in slices {
            let Ok(id) = slice.id.parse() else { continue };
            // What is not offered stays unknown; what fails shows at the whole accelerator too.
            let active = self.driver.engine(gpu, Some(id)).ok().flatten();
            slice.values.engine = active.map(Level::of);
        }
    }
}

/// Takes down what went wrong with one accelerator.
struct Told {
    index: u32,
    troubles: BTreeSet<String>,
}

impl Told {
    fn known<T>(&mut self, answer: Answer<T>) -> Option<T> {
        match answer {
            Ok(value) => Some(value),
            Err(Refusal::NotOffered) => None,
            Err(Refusal::Failed(why)) => {
                self.troubles.insert(format!("GPU {}: {why}", self.index));
                None
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;

//! Which way the accelerators are read: through NVML where it can be loaded, else by `nvidia-smi`.
//! NVML lives on a thread of its own, because a call of it can hang in the driver for ever.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use crate::nvml::{Driver, Nvml};
use crate::reading::{Gpus, Values};
use crate::smi::Smi;

/// After this time NVML is tried again: a driver may have been installed, or replaced.
const TRY_AGAIN: Duration = Duration::from_mins(10);

/// Work for the thread that has the library, or why it has none.
type Job<D> = Box<dyn FnOnce(Result<&mut Nvml<D>, &str>) + Send>;

/// How NVML is loaded.
type Load<D> = Arc<dyn Fn() -> Result<D, String> + Send + Sync>;

/// Both ways to the accelerators.
pub struct Ways<D> {
    /// `None`: the tool alone is asked.
    load: Option<Load<D>>,
    limit: Duration,
    smi: Smi,
    thread: Option<Thread<D>>,
    /// Before this time NVML is not loaded again.
    not_before: Option<Instant>,
}

impl<D> fmt::Debug for Ways<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ways").field("smi", &self.smi).finish_non_exhaustive()
    }
}

impl<D: Driver + 'static> Ways<D> {
    /// Nothing is loaded and nothing run yet. `limit` bounds one answer of either.
    pub fn new(
        load: impl Fn() -> Result<D, String> + Send + Sync + 'static,
        smi: Smi,
        limit: Duration,
    ) -> Self {
        Self { load: Some(Arc::new(load)), limit, smi, thread: None, not_before: None }
    }

    /// The tool alone.
    pub fn tool(smi: Smi) -> Self {
        Self { load: None, limit: Duration::ZERO, smi, thread: None, not_before: None }
    }

    /// Reads all accelerators.
    ///
    /// # Errors
    ///
    /// None could be read by either way; why, without a full stop.
    pub async fn read(&mut self) -> Result<Gpus, String> {
        let mut gpus = self.read_either().await?;
        // Of a card that is cut into slices its own figures do not see their work. With slices beside
        // them that shows; without, an idle card would.
        for gpu in gpus.gpus.iter_mut().filter(|gpu| gpu.mig && gpu.slices.is_empty()) {
            gpu.values.utilisation = None;
            gpu.values.engine = None;
        }
        let mut troubles = Vec::new();
        for gpu in &mut gpus.gpus {
            let id = gpu.id();
            let slices = gpu.slices.iter_mut().map(|slice| &mut slice.values);
            for gauge in std::iter::once(&mut gpu.values)
                .chain(slices)
                .flat_map(Values::leave_out_the_impossible)
            {
                troubles.push(format!("{id}: an impossible {gauge} was left out"));
            }
        }
        gpus.troubles.extend(troubles);
        Ok(gpus)
    }

    async fn read_either(&mut self) -> Result<Gpus, String> {
        let Some(load) = self.load.clone() else { return self.smi.read().await };
        let why = match self.by_library(load).await {
            Ok(gpus) => return Ok(self.with_slices(gpus).await),
            Err(Silence::Hangs(why)) => return Err(why),
            Err(Silence::Says(why)) => why,
        };
        self.smi.read().await.map_err(|other| format!("{other}; {why}"))
    }

    async fn by_library(&mut self, load: Load<D>) -> Result<Gpus, Silence> {
        if self.thread.is_none() {
            if self.not_before.is_some_and(|time| Instant::now() < time) {
                return Err(Silence::Says(
                    "NVML could not be used and is tried again later".into(),
                ));
            }
            self.thread = Some(Thread::begin(load).map_err(Silence::Says)?);
        }
        let Some(thread) = &mut self.thread else { return Err(Silence::Says(String::new())) };
        let read = thread.ask(self.limit, Nvml::read).await;
        match read.and_then(|read| read.map_err(Silence::Says)) {
            Err(Silence::Says(why)) => {
                // The thread ends with its channel.
                self.thread = None;
                self.not_before = Some(Instant::now() + TRY_AGAIN);
                Err(Silence::Says(why))
            }
            read => read,
        }
    }

    /// NVML numbers slices otherwise than everybody else, so `nvidia-smi` is asked for them, and NVML
    /// for what it alone knows: how active their engines were.
    async fn with_slices(&mut self, mut gpus: Gpus) -> Gpus {
        if !gpus.gpus.iter().any(|gpu| gpu.mig) {
            return gpus;
        }
        let told = match self.smi.read().await {
            Ok(told) => told,
            Err(why) => {
                gpus.troubles.push(format!("MIG slices: {why}"));
                return gpus;
            }
        };
        for gpu in gpus.gpus.iter_mut().filter(|gpu| gpu.mig) {
            if let Some(same) = told.gpus.iter().find(|other| other.id() == gpu.id()) {
                gpu.slices.clone_from(&same.slices);
            }
        }
        let Some(thread) = &mut self.thread else { return gpus };
        let mut cut = gpus.gpus.clone();
        let asked = thread.ask(self.limit, move |nvml| {
            for gpu in cut.iter_mut().filter(|gpu| gpu.mig) {
                nvml.slices(gpu.index, &mut gpu.slices);
            }
            cut
        });
        match asked.await {
            Ok(cut) => gpus.gpus = cut,
            Err(Silence::Hangs(why) | Silence::Says(why)) => gpus.troubles.push(why),
        }
        gpus
    }
}

/// Why NVML said nothing.
enum Silence {
    /// It does not come back. Its own tool would not either.
    Hangs(String),
    /// It said why.
    Says(String),
}

/// The thread that has the library.
struct Thread<D> {
    jobs: mpsc::Sender<Job<D>>,
    /// Whether the last job has ended.
    idle: Arc<AtomicBool>,
}

impl<D: Driver + 'static> Thread<D> {
    fn begin(load: Load<D>) -> Result<Self, String> {
        let (jobs, queue) = mpsc::channel::<Job<D>>();
        let idle = Arc::new(AtomicBool::new(true));
        std::thread::Builder::new()
            .name("nvml".to_owned())
            .spawn(move || {
                let mut library = load().map(Nvml::new);
                while let Ok(job) = queue.recv() {
                    job(library.as_mut().map_err(|why| why.as_str()));
                }
            })
            .map_err(|error| format!("no thread for NVML: {error}"))?;
        Ok(Self { jobs, idle })
    }

    async fn ask<T: Send + 'static>(
        &mut self,
        limit: Duration,
        work: impl FnOnce(&mut Nvml<D>) -> T + Send + 'static,
    ) -> Result<T, Silence> {
        if !self.idle.swap(false, Ordering::Acquire) {
            return Err(Silence::Hangs("NVML hangs: the driver holds it".to_owned()));
        }
        let (answer, answered) = oneshot::channel();
        let idle = Arc::clone(&self.idle);
        let job = Box::new(move |library: Result<&mut Nvml<D>, &str>| {
            let told = library.map(work).map_err(str::to_owned);
            idle.store(true, Ordering::Release);
            // Who no longer waits has said so already.
            let _ = answer.send(told);
        });
        let gone = || Silence::Says("NVML: its thread has ended".to_owned());
        self.jobs.send(job).map_err(|_| gone())?;
        match timeout(limit, answered).await {
            Ok(Ok(told)) => told.map_err(Silence::Says),
            Ok(Err(_)) => Err(gone()),
            Err(_) => {
                let seconds = limit.as_secs();
                Err(Silence::Hangs(format!("NVML gave no answer within {seconds} s")))
            }
        }
    }
}

#[cfg(test)]
mod tests;

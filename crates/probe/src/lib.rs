//! Reads what a machine does: GPUs through NVML or `nvidia-smi`, CPU, network and disks from the
//! kernel. Runs on that machine, opens no port, and judges nothing.
//!
//! | module | holds |
//! | --- | --- |
//! | [`mod@probe`] | [`Probe`]: one look at a time, gathered into what is written |
//! | [`reading`] | what one look brings; what is not known is not there |
//! | [`gpus`] | [`Ways`]: NVML on a thread of its own, else `nvidia-smi` |
//! | [`nvml`] | accelerators through the trait [`Driver`] |
//! | [`library`] | [`Library`]: the real NVML, loaded at run time |
//! | [`smi`] | [`Smi`]: `nvidia-smi`, run with bounds |
//! | [`smi_xml`] | what it prints, read |
//! | [`host`] | CPU, network and disks |
//! | [`machine`] | which machine this is |
//! | [`buckets`] | raw samples, five minutes at a time |
//! | [`said`] | troubles told without a flood |
//! | [`history`] | what is remembered over restarts |
//! | [`mod@textfile`] | the text format of Prometheus |

pub mod buckets;
pub mod gpus;
pub mod history;
pub mod host;
pub mod library;
pub mod machine;
pub mod nvml;
pub mod probe;
pub mod reading;
pub mod said;
pub mod smi;
pub mod smi_xml;
pub mod textfile;

pub use gpus::Ways;
pub use history::{History, Memory};
pub use host::Host;
pub use library::Library;
pub use machine::identify;
pub use nvml::Driver;
pub use probe::{Look, Probe};
pub use said::Said;
pub use smi::Smi;
pub use textfile::textfile;

//! What `nvidia-smi -q -x` prints, read with all that real machines put where a number should be.
//! The XML form, because it alone holds MIG slices and processes, and because a column that goes
//! missing cannot shift another into its place.

use std::collections::BTreeSet;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::reading::{GpuReading, Gpus, Level, SliceReading, Values, drives_a_display};

/// Elements lie no deeper in what the tool prints.
const DEEPEST: usize = 16;

/// What is kept of one text.
const LONGEST: usize = 200;

/// Reads what was printed. What stands before a cut or a fault is used, and the rest is a trouble.
///
/// # Errors
///
/// It is no document of the tool at all; its first line.
pub fn read(text: &str) -> Result<Gpus, String> {
    let Some(start) = text.find("<nvidia_smi_log") else {
        return Err(first_line(text));
    };
    let mut walk = Walk::default();
    let mut reader = Reader::from_str(&text[start..]);
    // A text may come in pieces: a reference such as `&lt;` parts it.
    let mut value = String::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                value.clear();
                walk.open(element.name().as_ref());
            }
            Ok(Event::Text(piece)) if value.len() < LONGEST => {
                value.push_str(&piece);
            }
            Ok(Event::Empty(element)) => {
                walk.open(element.name().as_ref());
                walk.close("");
                value.clear();
            }
            Ok(Event::End(_)) => {
                let whole = walk.close(value.trim());
                value.clear();
                if whole {
                    break;
                }
            }
            Ok(Event::Eof) => {
                walk.cut("ends in the middle");
                break;
            }
            Err(error) => {
                walk.cut(&error.to_string());
                break;
            }
            Ok(_) => {}
        }
        if walk.path.len() > DEEPEST {
            walk.cut("lies deeper than it ever did");
            break;
        }
    }
    Ok(walk.end())
}

/// The first line that says something.
pub(crate) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect()
}

/// One program in the list.
#[derive(Default)]
struct Program {
    process: String,
    kind: String,
    name: String,
    slice: Option<String>,
}

/// Where in the document the reader is, and what it has gathered.
#[derive(Default)]
struct Walk {
    path: Vec<String>,
    found: Gpus,
    attached: Option<usize>,
    gpu: GpuReading,
    power: [Option<f64>; 2],
    /// `None`: the list of programs was not told.
    programs: Option<Vec<Program>>,
    program: Program,
    slice: Option<SliceReading>,
    odd: BTreeSet<String>,
}

impl Walk {
    fn open(&mut self, name: &str) {
        self.path.push(name.to_owned());
        match self.inside().as_str() {
            "gpu" => {
                self.gpu = GpuReading {
                    index: u32::try_from(self.found.gpus.len()).unwrap_or(u32::MAX),
                    ..GpuReading::default()
                };
                self.power = [None, None];
                self.programs = None;
                self.odd.clear();
            }
            "gpu/processes/process_info" => self.program = Program::default(),
            "gpu/mig_devices/mig_device" => {
                self.slice = Some(SliceReading { id: String::new(), values: Values::default() });
            }
            _ => {}
        }
    }

    /// Names of the open elements below the document's own.
    fn inside(&self) -> String {
        self.path.get(1..).unwrap_or_default().join("/")
    }

    /// An element ends, with the text that came last. Whether it was the document's own.
    fn close(&mut self, text: &str) -> bool {
        let inside = self.inside();
        self.path.pop();
        if let Some(field) = inside.strip_prefix("gpu/mig_devices/mig_device") {
            self.of_slice(field.trim_start_matches('/'), text);
        } else if let Some(field) = inside.strip_prefix("gpu/processes") {
            self.of_processes(field.trim_start_matches('/'), text);
        } else if inside == "gpu" {
            self.gpu_ends();
        } else if let Some(field) = inside.strip_prefix("gpu/") {
            self.of_gpu(field, text);
        } else if inside == "attached_gpus" {
            self.attached = text.parse().ok();
        }
        self.path.is_empty()
    }

    fn of_gpu(&mut self, field: &str, text: &str) {
        match field {
            "product_name" => self.gpu.model = words(text),
            "uuid" => self.gpu.uuid = words(text),
            "mig_mode/current_mig" => self.gpu.mig = text.eq_ignore_ascii_case("enabled"),
            "fb_memory_usage/total" => self.gpu.values.memory_total = self.bytes(text),
            "fb_memory_usage/used" => self.gpu.values.memory_used = self.bytes(text),
            "utilization/gpu_util" => {
                self.gpu.values.utilisation = self.number(text, "%").map(Level::of);
            }
            // Named differently over the years; the first that has a number counts.
            "gpu_power_readings/instant_power_draw"
            | "gpu_power_readings/power_draw"
            | "gpu_power_readings/average_power_draw"
            | "power_readings/power_draw" => {
                let drawn = self.number(text, "W");
                self.power[0] = self.power[0].or(drawn);
            }
            "gpu_power_readings/current_power_limit"
            | "gpu_power_readings/power_limit"
            | "gpu_power_readings/enforced_power_limit"
            | "power_readings/enforced_power_limit"
            | "power_readings/power_limit" => {
                let limit = self.number(text, "W");
                self.power[1] = self.power[1].or(limit);
            }
            // What to do about a card that has failed: reset it, start the machine anew.
            "gpu_recovery_action" if !is_missing(text) => {
                self.odd.insert(format!("needs recovery: {}", text.to_lowercase()));
            }
            _ => {}
        }
    }

    fn of_slice(&mut self, field: &str, text: &str) {
        let Some(mut slice) = self.slice.take() else { return };
        match field {
            "" => return self.slice_ends(slice),
            "gpu_instance_id" => slice.id = words(text).unwrap_or_default(),
            "fb_memory_usage/total" => slice.values.memory_total = self.bytes(text),
            "fb_memory_usage/used" => slice.values.memory_used = self.bytes(text),
            _ => {}
        }
        self.slice = Some(slice);
    }

    /// Several compute instances of one GPU instance share its memory.
    fn slice_ends(&mut self, slice: SliceReading) {
        if slice.id.is_empty() {
            self.odd.insert("a MIG slice without a number".to_owned());
        } else if let Some(same) = self.gpu.slices.iter_mut().find(|other| other.id == slice.id) {
            same.values.memory_used = same.values.memory_used.max(slice.values.memory_used);
        } else {
            self.gpu.slices.push(slice);
        }
    }

    fn of_processes(&mut self, field: &str, text: &str) {
        match field {
            // An empty list says that there are none; `N/A` says nothing.
            "" if self.programs.is_none() && text.is_empty() => self.programs = Some(Vec::new()),
            "" if self.programs.is_none() && !is_missing(text) => {
                self.odd.insert(format!("processes: {text}"));
            }
            "process_info" => {
                let program = std::mem::take(&mut self.program);
                self.programs.get_or_insert_default().push(program);
            }
            "process_info/pid" => text.clone_into(&mut self.program.process),
            "process_info/type" => text.clone_into(&mut self.program.kind),
            "process_info/process_name" => text.clone_into(&mut self.program.name),
            "process_info/gpu_instance_id" if !is_missing(text) => {
                self.program.slice = Some(text.to_owned());
            }
            _ => {}
        }
    }

    fn gpu_ends(&mut self) {
        let mut gpu = std::mem::take(&mut self.gpu);
        if let [Some(drawn), Some(limit)] = self.power
            && limit > 0.0
        {
            gpu.values.power = Some(Level::of(100.0 * drawn / limit));
        }
        if let Some(programs) = self.programs.take() {
            let number = |slice: Option<&str>| {
                let held = programs.iter().filter(|program| {
                    let computes = program.kind.contains('C');
                    (computes || !drives_a_display(&program.name))
                        && slice.is_none_or(|slice| program.slice.as_deref() == Some(slice))
                });
                let processes: BTreeSet<&str> =
                    held.map(|program| program.process.as_str()).collect();
                u32::try_from(processes.len()).ok()
            };
            gpu.values.processes = number(None);
            // Slices that no program names are known to be free only if all others are named.
            if programs.iter().all(|program| program.slice.is_some()) {
                for slice in &mut gpu.slices {
                    slice.values.processes = number(Some(&slice.id));
                }
            }
        }
        let odd = std::mem::take(&mut self.odd);
        let told = odd.into_iter().map(|what| format!("GPU {}: {what}", gpu.index));
        self.found.troubles.extend(told);
        self.found.gpus.push(gpu);
    }

    fn cut(&mut self, why: &str) {
        let trouble = format!("what nvidia-smi printed {why}");
        self.found.troubles.push(trouble);
    }

    fn end(mut self) -> Gpus {
        let listed = self.found.gpus.len();
        if let Some(attached) = self.attached.filter(|attached| *attached != listed) {
            let trouble = format!("nvidia-smi counts {attached} GPUs and describes {listed}");
            self.found.troubles.push(trouble);
        }
        self.found
    }

    fn bytes(&mut self, text: &str) -> Option<u64> {
        let units = [("MiB", 20), ("MB", 20), ("GiB", 30), ("KiB", 10), ("B", 0)];
        for (unit, shift) in units {
            if let Some(number) = text.strip_suffix(unit) {
                let number = number.trim().parse::<u64>().ok();
                return number.and_then(|number| number.checked_shl(shift)).or_else(|| {
                    self.odd.insert(text.to_owned());
                    None
                });
            }
        }
        self.number(text, "").and(None)
    }

    /// A number with its unit. What is not offered is not known; anything else there is a trouble.
    fn number(&mut self, text: &str, unit: &str) -> Option<f64> {
        if is_missing(text) {
            return None;
        }
        let number = text.strip_suffix(unit).map(str::trim).and_then(|text| text.parse().ok());
        let number = number.filter(|number: &f64| number.is_finite());
        if number.is_none() {
            self.odd.insert(text.trim_matches(['[', ']']).to_owned());
        }
        number
    }
}

/// A text, unless it says that there is none.
fn words(text: &str) -> Option<String> {
    (!is_missing(text)).then(|| text.chars().take(LONGEST).collect())
}

/// Words in the place of a value that say that there is none, with and without brackets.
fn is_missing(text: &str) -> bool {
    let text = text.trim().trim_matches(['[', ']']).to_ascii_lowercase();
    matches!(text.as_str(), "" | "n/a" | "none" | "not supported" | "not available")
        || text.contains("deprecated")
}

#[cfg(test)]
mod tests;

//! The facts of a machine that can stand in a column, or, where there is no room, in words below.

use reaper_model::document::{Billing, MachineView};

use crate::layout::{Align, Column, Grid};
use crate::machine;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Machine,
    Id,
    Place,
    Type,
    Gpus,
    Age,
    Owner,
    SoFar,
    PerMonth,
}

impl Field {
    const fn column(self) -> Column {
        // Floors hold what is usual: no type of the four providers is longer than 20, and a
        // provider's id that is cut is no id.
        let (title, align, floor) = match self {
            Self::Machine => ("MACHINE", Align::Left, Some(14)),
            Self::Id => ("ID", Align::Left, Some(36)),
            Self::Place => ("WHERE", Align::Left, Some(28)),
            Self::Type => ("TYPE", Align::Left, Some(20)),
            Self::Gpus => ("GPUS", Align::Left, Some(12)),
            Self::Age => ("AGE", Align::Right, None),
            Self::Owner => ("OWNER", Align::Left, Some(20)),
            Self::SoFar => ("SO FAR", Align::Right, None),
            Self::PerMonth => ("PER MONTH", Align::Right, None),
        };
        Column { title, align, floor }
    }

    fn cell(self, machine: &MachineView) -> String {
        match self {
            Self::Machine => machine::name(machine).to_owned(),
            Self::Id => machine.native_id.clone(),
            Self::Place => machine::place(machine),
            Self::Type => machine.machine_type.to_string(),
            Self::Gpus => machine::gpus(machine),
            Self::Age => machine::age(machine),
            Self::Owner => machine::owner(machine),
            Self::SoFar => machine::so_far(machine),
            Self::PerMonth => machine::per_month(machine),
        }
    }

    /// The same outside of a column; nothing where the words alone would say nothing.
    fn phrase(self, machine: &MachineView) -> Option<String> {
        let cell = self.cell(machine);
        match self {
            Self::Machine | Self::Id | Self::Place | Self::Type | Self::Gpus => Some(cell),
            Self::Age => machine.age_hours.is_some().then(|| format!("age {cell}")),
            Self::Owner => Some(format!("owner {cell}")),
            Self::SoFar if machine.billing == Billing::NotBilled => None,
            Self::SoFar => Some(format!("{cell} so far")),
            Self::PerMonth if machine.billing == Billing::NotBilled => Some(cell),
            Self::PerMonth => Some(format!("{cell} a month")),
        }
    }
}

/// Which fields stand in columns.
pub(super) struct Arrangement {
    columns: &'static [Field],
    grid: Option<Grid>,
}

impl Arrangement {
    /// The first of the layouts that fits these machines; without any, there are no columns.
    pub(super) fn choose(
        layouts: &[&'static [Field]],
        machines: &[&MachineView],
        width: usize,
    ) -> Self {
        let fitting = layouts.iter().find_map(|&fields| {
            let columns: Vec<Column> = fields.iter().map(|field| field.column()).collect();
            Some((fields, Grid::fit(&columns, &rows(fields, machines), width)?))
        });
        match fitting {
            Some((columns, grid)) => Self { columns, grid: Some(grid) },
            None => Self { columns: &[], grid: None },
        }
    }

    /// The columns' widths; `None` when nothing fits side by side.
    pub(super) const fn grid(&self) -> Option<&Grid> {
        self.grid.as_ref()
    }

    /// The row of a machine.
    pub(super) fn cells(&self, machine: &MachineView) -> Vec<String> {
        self.columns.iter().map(|field| field.cell(machine)).collect()
    }

    /// Those of the fields that have no column, in words.
    pub(super) fn below(&self, machine: &MachineView, fields: &[Field]) -> Vec<String> {
        fields
            .iter()
            .filter(|field| !self.columns.contains(field))
            .filter_map(|field| field.phrase(machine))
            .collect()
    }
}

fn rows(fields: &[Field], machines: &[&MachineView]) -> Vec<Vec<String>> {
    machines
        .iter()
        .map(|machine| fields.iter().map(|field| field.cell(machine)).collect())
        .collect()
}

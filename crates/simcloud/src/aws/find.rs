//! Machines by their ids, all or none.

use crate::aws::error::AwsError;
use crate::aws::instance::Instance;
use crate::aws::world::Machines;

/// The machines of these ids; one that is malformed, not there or not shown fails them all.
pub(super) fn find<'a>(
    machines: Option<&'a Machines>,
    ids: &[&str],
    is_shown: impl Fn(&Instance) -> bool,
) -> Result<Vec<&'a Instance>, AwsError> {
    if let Some(malformed) = ids.iter().find(|id| !id.starts_with("i-")) {
        let message = format!("Invalid id: \"{malformed}\" (expecting \"i-...\")");
        return Err(AwsError::bad("InvalidInstanceID.Malformed", message));
    }
    let find = |id: &&str| machines?.get(*id).filter(|machine| is_shown(machine));
    let missing: Vec<&str> = ids.iter().copied().filter(|id| find(id).is_none()).collect();
    match missing[..] {
        [] => Ok(ids.iter().filter_map(find).collect()),
        [id] => Err(not_found(&format!("The instance ID '{id}' does not exist"))),
        _ => {
            let ids = missing.join(", ");
            Err(not_found(&format!("The instance IDs '{ids}' do not exist")))
        }
    }
}

fn not_found(message: &str) -> AwsError {
    AwsError::bad("InvalidInstanceID.NotFound", message)
}

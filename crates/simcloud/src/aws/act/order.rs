//! One request that changes something, of a caller who may make it.

use crate::aws::act::passage::Key;
use crate::aws::error::AwsError;
use crate::aws::find::find;
use crate::aws::form::Form;
use crate::aws::instance::Instance;
use crate::aws::world::AwsWorld;
use crate::aws::xml::Xml;
use crate::clock::Clock;

/// The request, and the world to carry it out in.
pub(crate) struct Order<'a> {
    pub(crate) aws: &'a mut AwsWorld,
    pub(crate) clock: &'a Clock,
    pub(crate) account: String,
    pub(crate) region: String,
    pub(crate) form: &'a Form,
    pub(crate) operation: &'a str,
    pub(crate) request_id: &'a str,
}

impl Order<'_> {
    /// The ids that a list names, each once; none at all is an error.
    pub(crate) fn ids(&self, list: &str) -> Result<Vec<String>, AwsError> {
        let mut ids: Vec<String> = Vec::new();
        for id in self.form.list(list) {
            if !ids.iter().any(|known| known == id) {
                ids.push(id.to_owned());
            }
        }
        if ids.is_empty() {
            let message = format!("The request must contain the parameter {list}");
            return Err(AwsError::bad("MissingParameter", message));
        }
        Ok(ids)
    }

    /// The machines of these ids; one that is not there fails them all.
    pub(crate) fn machines(&self, ids: &[String]) -> Result<Vec<&Instance>, AwsError> {
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        find(self.aws.machines(&self.account, &self.region), &ids, |_| true)
    }

    pub(crate) fn key(&self, id: &str) -> Key {
        (self.account.clone(), self.region.clone(), id.to_owned())
    }

    /// The answer to this request.
    pub(crate) fn answer(&self, write: impl FnOnce(&mut Xml)) -> Xml {
        Xml::ec2(self.operation, self.request_id, write)
    }
}

//! `DescribeInstanceAttribute`: one attribute of one machine; the only way to see protections.

use crate::aws::describe::instances::find;
use crate::aws::error::AwsError;
use crate::aws::wire::Ask;
use crate::aws::xml::Xml;

pub(crate) fn instance_attribute(ask: &Ask<'_>) -> Result<Xml, AwsError> {
    let id = ask.form.required("InstanceId")?;
    let attribute = ask.form.required("Attribute")?;
    let machine = find(ask, &[id])?;
    let value = match attribute {
        "disableApiStop" => machine.iter().map(|m| m.disable_api_stop.to_string()).collect(),
        "disableApiTermination" => {
            machine.iter().map(|m| m.disable_api_termination.to_string()).collect()
        }
        "instanceType" => machine.iter().map(|m| m.instance_type.as_str()).collect(),
        "instanceInitiatedShutdownBehavior" => "stop".to_owned(),
        _ => {
            let message = format!(
                "Value ({attribute}) for parameter attribute is invalid. Unknown attribute."
            );
            return Err(AwsError::bad("InvalidParameterValue", message));
        }
    };
    Ok(ask.answer(|xml| {
        xml.leaf("instanceId", id);
        xml.node(attribute, |xml| xml.leaf("value", &value));
    }))
}

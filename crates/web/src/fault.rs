//! Errors in requests.

use serde_json::{Value, json};

/// A fault of the input.
#[derive(Debug)]
pub struct Fault {
    /// The whole message, as the command prints it.
    message: String,
    /// The parameter to blame, if it is one.
    parameter: Option<String>,
}

impl Fault {
    /// Returns the fault as the host gets it. `reason` is the message without the place, for readers who see the place already.
    pub fn answer(&self) -> Value {
        let mut answer = json!({ "error": self.message });
        if let Some(name) = &self.parameter {
            let place = format!("parameters.{name}: ");
            let reason = self.message.split_once(&place).map_or(self.message.as_str(), |(_, reason)| reason);
            answer["parameter"] = json!(name);
            answer["reason"] = json!(reason);
        }
        answer
    }
}

impl From<airfair_scenario::Error> for Fault {
    fn from(error: airfair_scenario::Error) -> Fault {
        let parameter = error.path().strip_prefix("parameters.").map(str::to_owned);
        Fault { message: error.to_string(), parameter }
    }
}

impl From<String> for Fault {
    fn from(message: String) -> Fault {
        Fault { message, parameter: None }
    }
}

impl From<&str> for Fault {
    fn from(message: &str) -> Fault {
        Fault::from(message.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_scenario::Override;

    fn fault(name: &str, value: &str) -> Value {
        let set = [Override { name: name.into(), value: value.into() }];
        Fault::from(airfair_scenario::load("jung/mixed", &set).unwrap_err()).answer()
    }

    #[test]
    fn a_fault_names_its_parameter_once() {
        let told = fault("period", "10");
        assert_eq!(told["parameter"], "period");
        let reason = told["reason"].as_str().unwrap();
        assert!(reason.starts_with("`10` is a bare number"), "{reason}");
        assert_eq!(told["error"], format!("jung/mixed: parameters.period: {reason}"));
    }

    #[test]
    fn a_fault_of_no_parameter_names_none() {
        assert_eq!(fault("perid", "10 s")["parameter"], Value::Null);
        assert_eq!(Fault::from("too much").answer(), json!({ "error": "too much" }));
    }
}

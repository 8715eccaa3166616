//! Which of a bot's programs this one is, so that a program that starts again finds its seats.

use std::fmt::Write;
use std::process::Command;

use ring::digest::{SHA256, digest};

const GAMES: &str = "cheat,cheater";

/// The name of this process among the programs of its bot. If nobody chose it, it derives from this machine.
#[derive(Clone)]
pub struct Instance {
    pub name: String,
    /// Whether the server may still give this program another name.
    pub is_derived: bool,
    /// Whether nobody chose the name.
    may_change: bool,
}

impl Instance {
    pub fn new(chosen: Option<String>, version: &str) -> Self {
        let may_change = chosen.is_none();
        Self { name: chosen.unwrap_or_else(|| derive(&host_name(), version)), is_derived: may_change, may_change }
    }

    /// Takes the name that the server gave, and returns whether it is another one. Older servers give none.
    pub fn settle(&mut self, given: String) -> bool {
        let is_other = self.may_change && !given.is_empty() && given != self.name;
        self.is_derived = false;
        if is_other {
            self.name = given;
        }
        is_other
    }

    /// Takes a random name, once, because an older server lets another program replace this one. Returns false for a
    /// name that must not change.
    pub fn give_way(&mut self) -> bool {
        let gives = self.may_change;
        if gives {
            *self = Self { name: format!("{:016x}", fastrand::u64(..)), is_derived: false, may_change: false };
        }
        gives
    }
}

fn derive(host: &str, version: &str) -> String {
    let is_container = host.len() == 12 && host.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let machine = if is_container { "container" } else { host }; // each container has another name
    let digest = digest(&SHA256, format!("{machine}\n{GAMES}\n{version}").as_bytes());
    digest.as_ref()[..8].iter().fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    })
}

fn host_name() -> String {
    let printed = Command::new("uname").arg("-n").output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&printed).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::Instance;

    #[test]
    fn a_program_that_starts_again_has_the_same_instance() {
        let (mut first, mut again) = (Instance::new(None, "2.1"), Instance::new(None, "2.1"));
        assert!(first.name == again.name && first.name != Instance::new(None, "2.2").name);
        let own = first.name.clone();
        assert!(!first.settle(own));
        assert!(again.settle("name.2".to_owned()) && again.name == "name.2" && !again.is_derived);
        assert!(again.give_way() && !again.give_way());
    }

    #[test]
    fn a_chosen_instance_stays() {
        let mut chosen = Instance::new(Some("one".to_owned()), "");
        assert!(!chosen.is_derived && !chosen.settle("other".to_owned()) && !chosen.give_way());
        assert_eq!(chosen.name, "one");
    }
}

//! Why a stream or the program ends, and whether a new stream may help.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::proto::ErrorReason;
use crate::session::PROTOCOL_VERSION;

/// What the TLS library and the HTTP/2 library say if a new attempt would end in the same way, and what it means.
const HOPELESS: [(&str, &str); 9] = [
    ("BadSignature", "the authority of the server's certificate is not trusted: check CHEATARENA_CA"),
    ("not valid for name", "the server's certificate is for another host name"),
    ("UnknownIssuer", "the authority of the server's certificate is not trusted: check CHEATARENA_CA"),
    ("Expired", "the server's certificate has expired, or this clock is wrong"),
    ("NotValidYet", "the server's certificate is not valid yet, or this clock is wrong"),
    ("NotValidForName", "the server's certificate is for another host name"),
    ("invalid peer certificate", "the server's certificate is not good"),
    ("CertificateRequired", "the server asks for a client certificate: set CHEATARENA_CERT and CHEATARENA_KEY"),
    ("InvalidContentType", "this bot speaks TLS, and the server plaintext"),
];

/// The exit code if a newer process took over.
const REPLACED: u8 = 75;

/// The end of a stream or of the program, with one sentence for people.
pub struct Ending {
    exit: Option<u8>,
    text: String,
    /// Whether a connection was made, and ended without a word.
    is_mute: bool,
    /// Whether the arena itself says so. Anything else may pass once an arena has answered.
    is_of_arena: bool,
}

impl Ending {
    /// An end after which another stream may help.
    pub fn lost(text: impl Into<String>) -> Self {
        Self { exit: None, text: text.into(), is_mute: false, is_of_arena: false }
    }

    /// An end after which no stream can help.
    fn last(exit: u8, text: impl Into<String>) -> Self {
        Self { exit: Some(exit), text: text.into(), is_mute: false, is_of_arena: false }
    }

    pub fn bad_setting(text: impl Into<String>) -> Self {
        Self::last(64, text)
    }

    pub fn server_gone(text: impl Into<String>) -> Self {
        Self::last(69, text)
    }

    pub fn no_arena() -> Self {
        let text = "what answers there closes the connection: it is no arena, only one side uses TLS, \
            or it asks for a client certificate";
        Self::last(76, text)
    }

    pub fn other_version(version: u32) -> Self {
        let text =
            format!("the server speaks version {version} of the protocol, and this bot version {PROTOCOL_VERSION}");
        Self { is_of_arena: true, ..Self::last(76, text) }
    }

    pub fn from_status(status: &Status) -> Self {
        if let Some(info) = status.get_details_error_info() {
            return Self::from_reason(&info.reason, status.message());
        }
        let text = status.message();
        match status.code() {
            Code::Unauthenticated => Self::last(77, format!("the server refused the token: {text}")),
            Code::PermissionDenied => Self::last(77, format!("the token may not play: {text}")),
            Code::Unimplemented => Self::last(76, format!("no arena answers: {text}")),
            Code::InvalidArgument => Self::last(76, format!("the server refused what was sent: {text}")),
            code => match status.source() {
                Some(source) => Self { is_mute: true, ..Self::from_error(source) }, // only after a connection was made
                None => Self::lost(format!("{code:?}: {text}")),
            },
        }
    }

    /// The end of a connection, or a connection that could not be made.
    pub fn from_error(error: &dyn Error) -> Self {
        let mut words = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            let more = error.to_string();
            if !words.contains(&more) {
                words = format!("{words}: {more}");
            }
            source = error.source();
        }
        match HOPELESS.iter().find(|(part, _)| words.contains(part)) {
            Some((_, meaning)) => Self::last(76, format!("{meaning} ({words})")),
            None => Self::lost(words),
        }
    }

    fn from_reason(reason: &str, detail: &str) -> Self {
        let reason = reason.trim_start_matches("ERROR_REASON_");
        let (exit, meaning) = match reason {
            "UNAUTHENTICATED" => (Some(77), "the server refused the token"),
            "TOKEN_REVOKED" => (Some(77), "the token was revoked"),
            "TOKEN_EXPIRED" => (Some(77), "the token has expired"),
            "SCOPE_MISSING" => (Some(77), "the token lacks the scope `play`"),
            "SESSION_REPLACED" => (Some(REPLACED), "another process with this token and instance took over"),
            "UNSUPPORTED_VERSION" => (Some(76), "the server speaks another version of the protocol"),
            "HELLO_EXPECTED" | "INVALID_ARGUMENT" | "TOO_MANY_INVALID" => {
                (Some(76), "the server refused what was sent")
            }
            _ => (None, reason),
        };
        Self { exit, text: format!("{meaning}: {detail}"), is_mute: false, is_of_arena: true }
    }

    /// Whether a new stream would end in the same way. `is_known` tells whether an arena has answered before.
    pub fn is_final(&self, is_known: bool) -> bool {
        self.exit.is_some() && (self.is_of_arena || !is_known)
    }

    pub fn is_replaced(&self) -> bool {
        self.exit == Some(REPLACED)
    }

    pub fn is_mute(&self) -> bool {
        self.is_mute
    }

    pub fn at(self, address: &str) -> Self {
        Self { text: format!("{address}: {}", self.text), ..self }
    }

    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit.unwrap_or(70))
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.text)
    }
}

/// The name of a reason as people read it.
pub fn name(reason: ErrorReason) -> &'static str {
    reason.as_str_name().trim_start_matches("ERROR_REASON_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_was_replaced_is_not_opened_again() {
        assert!(Ending::from_reason("SESSION_REPLACED", "").is_final(true));
        assert!(!Ending::from_reason("SHUTTING_DOWN", "").is_final(true));
        assert!(!Ending::from_status(&Status::unavailable("")).is_final(false));
        assert!(Ending::from_status(&Status::unauthenticated("")).is_final(false));
    }

    #[test]
    fn what_something_on_the_way_to_an_arena_says_may_pass() {
        assert!(!Ending::from_status(&Status::unimplemented("")).is_final(true));
    }
}

//! Settings from the environment.

use std::env;
use std::fs;
use std::time::Duration;

use tonic::codegen::http::uri::Authority;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use crate::instance::Instance;
use crate::pools::{parse_challenges, parse_pools, parse_version};
use crate::proto::{ChallengePolicy, PoolEntry};

pub struct Settings {
    pub address: String,
    pub endpoint: Endpoint,
    /// The value of the metadata `authorization`.
    pub authorization: MetadataValue<Ascii>,
    pub instance: Instance,
    /// For how long to dial a server that is gone.
    pub patience: Duration,
    /// Whether to resume from positions; otherwise from snapshots.
    pub is_exact: bool,
    pub pools: Vec<PoolEntry>,
    /// Of this program, for ratings.
    pub version: String,
    pub challenges: ChallengePolicy,
}

impl Settings {
    /// Reads the variables of the protocol guide, and `CHEATARENA_PATIENCE` (seconds). An error is one sentence.
    pub fn from_environment() -> Result<Self, String> {
        let address =
            variable("CHEATARENA_ADDRESS").ok_or("no server is named: set CHEATARENA_ADDRESS to host:port")?;
        let authorization = authorization(&env::var_os("CHEATARENA_TOKEN").unwrap_or_default().to_string_lossy())?;
        let version = parse_version(variable("CHEATARENA_VERSION").unwrap_or_default())?;
        let patience = variable("CHEATARENA_PATIENCE").unwrap_or_else(|| "30".to_owned());
        let patience =
            patience.parse().map_err(|_| format!("CHEATARENA_PATIENCE is {patience:?}, expected seconds"))?;
        let resume = variable("CHEATARENA_RESUME");
        if resume.as_deref().is_some_and(|way| way != "exact") {
            return Err("CHEATARENA_RESUME may only be `exact`".to_owned());
        }
        Ok(Self {
            endpoint: endpoint(&address)?,
            address,
            authorization,
            instance: Instance::new(variable("CHEATARENA_INSTANCE"), &version),
            patience: Duration::from_secs(patience),
            is_exact: resume.is_some(),
            pools: parse_pools(&variable("CHEATARENA_POOLS").unwrap_or_default())?,
            version,
            challenges: parse_challenges(variable("CHEATARENA_CHALLENGES").as_deref().unwrap_or("own"))?,
        })
    }
}

/// Returns the metadata for a token, without what editors add to it: white space, and a byte order mark.
fn authorization(token: &str) -> Result<MetadataValue<Ascii>, &'static str> {
    let token = token.trim_matches(|character: char| character.is_whitespace() || character == '\u{feff}');
    if token.is_empty() {
        return Err("there is no token: set CHEATARENA_TOKEN");
    }
    let not_a_token = "CHEATARENA_TOKEN is not a token: expected cat_ and 46 letters and digits, copied completely";
    let is_token = token.bytes().all(|byte| byte.is_ascii_graphic());
    let value = is_token.then(|| format!("Bearer {token}").parse().ok()).flatten();
    let mut authorization: MetadataValue<Ascii> = value.ok_or(not_a_token)?;
    authorization.set_sensitive(true);
    Ok(authorization)
}

fn endpoint(address: &str) -> Result<Endpoint, String> {
    let bad = || format!("CHEATARENA_ADDRESS is {address:?}, expected host:port");
    let (uri, tls) = if address.starts_with("unix:/") {
        (address.to_owned(), tls("localhost")?) // a Unix socket is on this machine
    } else {
        let authority: Authority = address.parse().map_err(|_| bad())?;
        authority.port_u16().ok_or_else(bad)?;
        let tls = tls(authority.host())?;
        (format!("{}://{address}", if tls.is_some() { "https" } else { "http" }), tls)
    };
    let endpoint = Endpoint::from_shared(uri)
        .map_err(|_| bad())?
        .connect_timeout(Duration::from_secs(10))
        .http2_keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    match tls {
        Some(tls) => endpoint.tls_config(tls).map_err(|error| format!("TLS cannot be used: {error:?}")),
        None => Ok(endpoint),
    }
}

/// Returns how to use TLS with a host, or `None` for plaintext.
fn tls(host: &str) -> Result<Option<ClientTlsConfig>, String> {
    let ca = pem("CHEATARENA_CA")?;
    let identity = match (pem("CHEATARENA_CERT")?, pem("CHEATARENA_KEY")?) {
        (Some(certificate), Some(key)) => Some(Identity::from_pem(certificate, key)),
        (None, None) => None,
        _ => return Err("a certificate and its key come together: set CHEATARENA_CERT and CHEATARENA_KEY".to_owned()),
    };
    let is_insecure = variable("CHEATARENA_INSECURE").is_some_and(|value| value == "1");
    if is_insecure && (ca.is_some() || identity.is_some()) {
        return Err("CHEATARENA_INSECURE turns TLS off, so CHEATARENA_CA and CHEATARENA_CERT would do nothing".into());
    }
    if is_insecure || ca.is_none() && is_loopback(host) {
        return Ok(None);
    }
    let mut tls = ClientTlsConfig::new();
    tls = match ca {
        Some(ca) => tls.ca_certificate(Certificate::from_pem(ca)),
        None => tls.with_enabled_roots(),
    };
    Ok(Some(match identity {
        Some(identity) => tls.identity(identity),
        None => tls,
    }))
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn pem(name: &str) -> Result<Option<String>, String> {
    let Some(path) = variable(name) else { return Ok(None) };
    let text =
        fs::read_to_string(&path).map_err(|error| format!("{name} names {path}, which cannot be read: {error}"))?;
    if text.contains("-----BEGIN ") {
        Ok(Some(text))
    } else {
        Err(format!("{name} names {path}, which is not a PEM file"))
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{authorization, endpoint, is_loopback};

    #[test]
    fn what_an_editor_adds_to_a_token_is_stripped() {
        for token in ["cat_x\r\n", "\u{feff}cat_x", " cat_x\t"] {
            assert_eq!(authorization(token).unwrap(), "Bearer cat_x");
        }
        assert!(["cat_é", "cat_a b", "“cat_x”", "\u{feff}"].into_iter().all(|token| authorization(token).is_err()));
    }

    #[test]
    fn a_unix_socket_is_an_address() {
        assert!(endpoint("unix:/run/arena.sock").is_ok());
        assert!(["unix:", "unix:arena.sock", "arena.example"].into_iter().all(|address| endpoint(address).is_err()));
    }

    #[test]
    fn only_this_machine_is_loopback() {
        assert!(["localhost", "127.0.0.1", "127.1.2.3", "[::1]"].into_iter().all(is_loopback));
        assert!(!["arena.example", "10.0.0.1", "[2001:db8::1]"].into_iter().any(is_loopback));
    }
}

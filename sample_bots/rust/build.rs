//! Generates the messages and the client from `proto/`, with the `protoc` of a crate.

use std::env;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let proto = env::var("CHEATARENA_PROTO").unwrap_or_else(|_| "../../proto".to_owned());
    let mut prost = tonic_prost_build::Config::new();
    prost.protoc_executable(protoc_bin_vendored::protoc_bin_path()?);
    println!("cargo::rerun-if-env-changed=CHEATARENA_PROTO");
    println!("cargo::rerun-if-changed={proto}");
    tonic_prost_build::configure().build_server(false).compile_with_config(
        prost,
        &[format!("{proto}/cheatarena/v1/play.proto")],
        &[proto],
    )?;
    Ok(())
}

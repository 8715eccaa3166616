//! Generates the messages and the client from `proto/`, with the `protoc` of a crate.

use std::error::Error;

const PROTO: &str = "../../proto";

fn main() -> Result<(), Box<dyn Error>> {
    let mut prost = tonic_prost_build::Config::new();
    prost.protoc_executable(protoc_bin_vendored::protoc_bin_path()?);
    println!("cargo::rerun-if-changed={PROTO}");
    tonic_prost_build::configure().build_server(false).compile_with_config(
        prost,
        &[format!("{PROTO}/cheatarena/v1/play.proto")],
        &[PROTO.to_owned()],
    )?;
    Ok(())
}

//! A bot for Cheat and CHEATER: settings come from the environment, and the bot plays until a signal stops it.
//!
//! Exit codes: 0 after SIGTERM or SIGINT, 64 for a bad setting, 69 if the server is gone, 75 if a newer process took
//! over, 76 if the server or its TLS refuses the bot, 77 if the server refuses the token.

mod cheat;
mod cheater;
mod ending;
mod game;
mod instance;
mod line;
mod pools;
mod search;
mod seat;
mod session;
mod settings;
mod watch;

#[allow(dead_code, clippy::all, clippy::pedantic)]
mod proto {
    tonic::include_proto!("cheatarena.v1");
}

use std::process::ExitCode;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch::Sender;

use ending::Ending;
use line::{Line, Wish};
use settings::Settings;

#[tokio::main(worker_threads = 1)]
async fn main() -> ExitCode {
    match play().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(ending) => {
            eprintln!("{ending}");
            ending.exit_code()
        }
    }
}

async fn play() -> Result<(), Ending> {
    let settings = Settings::from_environment().map_err(Ending::bad_setting)?;
    let wish = Sender::new(Wish::Play);
    let told = wish.clone();
    let failed = |error: std::io::Error| Ending::bad_setting(format!("signals cannot be handled: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {
                told.send_replace(Wish::Finish);
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
            }
        }
        told.send_replace(Wish::Leave);
    });
    Line::new(settings, wish).run().await
}

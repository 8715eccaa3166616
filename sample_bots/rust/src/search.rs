//! The search for a server while there is no stream.

use std::time::Duration;

use tokio::time::Instant;

use crate::ending::Ending;

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How long the bot keeps silent about a server that is gone.
const QUIET_TIME: Duration = Duration::from_secs(2);
/// So many connections in a row that end without a word mean that no arena listens there.
const MOST_MUTE: u32 = 5;

pub struct Search {
    address: String,
    patience: Duration,
    began: Instant,
    pause: Duration,
    mute_count: u32,
    /// Whether a line has said that the bot is still trying.
    is_told: bool,
    /// Whether the server has answered on this stream.
    is_over: bool,
    /// Whether an arena has ever answered at the address.
    is_known: bool,
}

impl Search {
    pub fn new(address: String, patience: Duration) -> Self {
        let (began, pause) = (Instant::now(), FIRST_PAUSE);
        Self { address, patience, began, pause, mute_count: 0, is_told: false, is_over: false, is_known: false }
    }

    /// Notes that the server has answered.
    pub fn end(&mut self) {
        (self.is_over, self.is_known) = (true, true);
    }

    /// Returns how long to wait before the next stream, or why there is no point in one.
    pub fn next(&mut self, ending: Ending) -> Result<Duration, Ending> {
        if self.is_over {
            (self.is_over, self.is_told, self.began, self.pause) = (false, false, Instant::now(), FIRST_PAUSE);
        }
        self.mute_count = if ending.is_mute() { self.mute_count + 1 } else { 0 };
        if ending.is_final(self.is_known) {
            return Err(ending.at(&self.address));
        }
        if !self.is_known && self.mute_count >= MOST_MUTE {
            return Err(Ending::no_arena().at(&self.address));
        }
        let (address, patience, away) = (&self.address, self.patience.as_secs(), self.began.elapsed());
        let left = self.patience.saturating_sub(away);
        if left.is_zero() {
            let text = format!("no server at {address} for {patience} s, so this bot gives up ({ending})");
            return Err(Ending::server_gone(text));
        }
        let is_judged_soon = !self.is_known && self.mute_count > 0;
        if !self.is_told && !is_judged_soon && away >= QUIET_TIME {
            self.is_told = true;
            eprintln!("still trying {address} ({ending}); giving up in {:.0} s", left.as_secs_f64());
        }
        // a random pause, so that bots do not all come back at the same moment
        let pause = self.pause.mul_f64(0.5 + fastrand::f64() / 2.0);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(pause.min(left))
    }
}

//! The session: all seats of this process. It reads frames and answers them; `line.rs` carries them.

use std::collections::HashMap;

use crate::ending::Ending;
use crate::pools::describe;
use crate::proto::bot_notice::Notice as Said;
use crate::proto::server_notice::Notice as Heard;
use crate::proto::{BotNotice, GameSupport, Hello, OfferAnswer, PlayRequest, PlayResponse, Pong, Welcome};
use crate::seat::{Key, Seat};
use crate::settings::Settings;

pub const PROTOCOL_VERSION: u32 = 1;
/// Seats at the same time; the answers of all fit into one frame.
const CAPACITY: u32 = 1000;

pub struct Session {
    /// Opens each stream, with the positions of that time.
    hello: Hello,
    /// Whether the session goes on from positions after a lost connection; otherwise from snapshots.
    is_exact: bool,
    seats: HashMap<Key, Seat>,
    /// Of the last stream. Its node names the server's process, which is another one after a restart.
    welcome: Welcome,
}

impl Session {
    pub fn new(settings: &Settings) -> Self {
        let hello = Hello {
            protocol_version: PROTOCOL_VERSION,
            instance: settings.instance.clone(),
            games: ["cheat", "cheater"].map(|game| GameSupport { game: game.to_owned(), presets: Vec::new() }).to_vec(),
            capacity: CAPACITY,
            pools: settings.pools.clone(),
            version: settings.version.clone(),
            challenges: settings.challenges.into(),
            ..Hello::default()
        };
        Self { hello, is_exact: settings.is_exact, seats: HashMap::new(), welcome: Welcome::default() }
    }

    /// Begins a stream. A seat with a position gets the messages that it has missed, and any other seat gets a snapshot.
    /// So most bots need no positions.
    pub fn hello(&mut self) -> PlayRequest {
        if !self.is_exact {
            self.seats.clear();
        }
        let hello = Hello {
            positions: self.seats.values_mut().map(Seat::resume).collect(),
            node: self.welcome.node.clone(),
            ..self.hello.clone()
        };
        PlayRequest { decisions: Vec::new(), notices: vec![say(Said::Hello(hello))] }
    }

    /// Reads a whole frame, and then adds the answers to all of it to a reply. Returns when more answers are due.
    pub fn read(&mut self, frame: PlayResponse, reply: &mut PlayRequest) -> Result<i64, Ending> {
        for message in frame.messages.into_iter().filter(|message| message.sequence > 0) {
            let key = (message.r#match, message.entrant); // 0 refuses a decision for a seat that is no longer ours
            self.seats.entry(key).or_insert_with(|| Seat::new(key)).hear(message, frame.now_us)?;
        }
        for notice in frame.notices.into_iter().filter_map(|notice| notice.notice) {
            match notice {
                Heard::Welcome(welcome) => self.begin(welcome)?,
                Heard::Offered(offered) => reply.notices.push(say(Said::OfferAnswer(OfferAnswer {
                    offer_id: offered.offer_id,
                    accept: true,
                    entropy_promise: Vec::new(),
                }))),
                Heard::PoolNotice(notice) => eprintln!("{}", describe(&notice)),
                Heard::Ping(ping) => reply.notices.push(say(Said::Pong(Pong { nonce: ping.nonce }))),
                _ => {}
            }
        }
        Ok(self.answer(frame.now_us, reply))
    }

    /// Adds to a reply all that is due now. Returns the instant at which more is due.
    pub fn answer(&mut self, now_us: i64, reply: &mut PlayRequest) -> i64 {
        let takes_no_answer = self.welcome.takes_no_answer;
        let next = self.seats.values_mut().map(|seat| seat.answer(now_us, takes_no_answer, reply)).min();
        self.seats.retain(|_, seat| !seat.is_over);
        next.unwrap_or(i64::MAX)
    }

    fn begin(&mut self, welcome: Welcome) -> Result<(), Ending> {
        if welcome.protocol_version != PROTOCOL_VERSION {
            return Err(Ending::other_version(welcome.protocol_version));
        }
        if welcome.node != self.welcome.node {
            self.seats.clear();
        }
        self.welcome = welcome;
        Ok(())
    }
}

pub fn say(notice: Said) -> BotNotice {
    BotNotice { notice: Some(notice) }
}

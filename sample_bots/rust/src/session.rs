//! The session: all seats of this process. It reads frames and answers them; `line.rs` carries them.

use std::collections::HashMap;

use crate::ending::Ending;
use crate::instance::Instance;
use crate::pools::describe;
use crate::proto::bot_notice::Notice as Said;
use crate::proto::server_notice::Notice as Heard;
use crate::proto::{BotNotice, ChallengePolicy, GameSupport, Hello, OfferAnswer, PlayRequest, PlayResponse, Welcome};
use crate::seat::{Key, Seat};
use crate::settings::Settings;
use crate::watch::Watch;

pub const PROTOCOL_VERSION: u32 = 1;
/// Seats at the same time; the answers of all fit into one frame.
const CAPACITY: u32 = 1000;

pub struct Session {
    /// Opens each stream, with the positions of that time.
    hello: Hello,
    pub instance: Instance,
    /// Whether the session goes on from positions after a lost connection; otherwise from snapshots.
    is_exact: bool,
    seats: HashMap<Key, Seat>,
    /// Of the last stream. Its node names the server's process, which is another one after a restart.
    welcome: Welcome,
    watch: Watch,
    /// Whether the bot takes no new seats, and ends with its last match.
    is_finishing: bool,
    /// Whether the server has named all seats on this stream.
    is_caught_up: bool,
}

impl Session {
    pub fn new(settings: &Settings) -> Self {
        let hello = Hello {
            protocol_version: PROTOCOL_VERSION,
            games: ["cheat", "cheater"].map(|game| GameSupport { game: game.to_owned(), presets: Vec::new() }).to_vec(),
            capacity: CAPACITY,
            pools: settings.pools.clone(),
            version: settings.version.clone(),
            challenges: settings.challenges.into(),
            ..Hello::default()
        };
        Self {
            hello,
            instance: settings.instance.clone(),
            is_exact: settings.is_exact,
            seats: HashMap::new(),
            welcome: Welcome::default(),
            watch: Watch::new(),
            is_finishing: false,
            is_caught_up: false,
        }
    }

    /// Begins a stream. A seat with a position gets the messages that it has missed, and any other seat gets a snapshot.
    /// So most bots need no positions.
    pub fn hello(&mut self) -> PlayRequest {
        if !self.is_exact {
            self.seats.clear();
        }
        (self.watch, self.is_caught_up) = (Watch::new(), false);
        let hello = Hello {
            instance: self.instance.name.clone(),
            is_instance_derived: self.instance.is_derived,
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
        if !self.watch.hear(frame.now_us, self.seats.values().filter_map(Seat::oldest_us).min()) {
            return Err(Ending::lost("nothing of what this bot sends arrives"));
        }
        for notice in frame.notices.into_iter().filter_map(|notice| notice.notice) {
            match notice {
                Heard::Welcome(welcome) => self.begin(welcome)?,
                Heard::Offered(offered) => reply.notices.push(say(Said::OfferAnswer(OfferAnswer {
                    offer_id: offered.offer_id,
                    accept: !self.is_finishing,
                    entropy_promise: Vec::new(),
                }))),
                Heard::PoolNotice(notice) => eprintln!("{}", describe(&notice)),
                Heard::Resumed(_) => self.is_caught_up = true,
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
        let sent_us = self.watch.now_us();
        self.seats.values_mut().for_each(|seat| seat.stamp(sent_us));
        next.unwrap_or(i64::MAX)
    }

    /// Takes no new seats, from the next hello on. Returns how many matches are left, or 0 if the bot is in no pool or
    /// was told before.
    pub fn finish(&mut self) -> usize {
        let left = self.seats.len();
        if self.is_finishing || self.hello.pools.is_empty() || left == 0 {
            return 0;
        }
        self.is_finishing = true;
        self.hello.pools.clear();
        self.hello.challenges = ChallengePolicy::Nobody.into();
        self.hello.capacity = u32::try_from(left).unwrap_or(CAPACITY);
        left
    }

    pub fn is_finishing(&self) -> bool {
        self.is_finishing
    }

    /// Whether a session that finishes has no seat left.
    pub fn is_done(&self) -> bool {
        self.is_finishing && self.is_caught_up && self.seats.is_empty()
    }

    fn begin(&mut self, welcome: Welcome) -> Result<(), Ending> {
        if welcome.protocol_version != PROTOCOL_VERSION {
            return Err(Ending::other_version(welcome.protocol_version));
        }
        if welcome.node != self.welcome.node {
            self.seats.clear();
        }
        if self.instance.settle(welcome.instance.clone()) {
            let name = &self.instance.name;
            eprintln!("another program of this bot runs here, so this one is its instance {name}");
        }
        self.welcome = welcome;
        Ok(())
    }
}

pub fn say(notice: Said) -> BotNotice {
    BotNotice { notice: Some(notice) }
}

//! The session with the server: one stream for all seats, opened again whenever it is lost.

use std::collections::{BTreeSet, HashMap};
use std::mem::take;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch::Receiver;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Request};

use crate::ending::Ending;
use crate::proto::bot_notice::Notice as Said;
use crate::proto::play_service_client::PlayServiceClient;
use crate::proto::server_notice::Notice as Heard;
use crate::proto::{
    BotNotice, Decision, GameSupport, Goodbye, Hello, OfferAnswer, PlayRequest, PlayResponse, Pong, Position, Ready,
    Welcome,
};
use crate::seat::{Key, Seat};
use crate::settings::Settings;

const PROTOCOL_VERSION: u32 = 1;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long the server may take to answer a goodbye.
const FAREWELL_TIME: Duration = Duration::from_secs(2);
/// So many connections in a row that end without a word mean that no arena listens there.
const MOST_MUTE: u32 = 5;
/// Decisions of one frame: so many of the largest size fit into a frame of 1 MiB.
const FRAME_DECISIONS: usize = 250;

pub struct Session {
    settings: Settings,
    seats: HashMap<Key, Seat>,
    /// Seats with an answer that has to wait, and until when.
    waiting: BTreeSet<(i64, Key)>,
    node: String,
    takes_no_answer: bool,
    is_welcome: bool,
    /// How many connections have ended without a frame since the last Welcome.
    mute_count: u32,
    farewell: Option<Ending>,
    start: Instant,
    /// The smallest difference between this clock and the server's, both in microseconds.
    clock_offset_us: i64,
}

impl Session {
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            seats: HashMap::new(),
            waiting: BTreeSet::new(),
            node: String::new(),
            takes_no_answer: false,
            is_welcome: false,
            mute_count: 0,
            farewell: None,
            start: Instant::now(),
            clock_offset_us: i64::MAX,
        }
    }

    /// Plays until `stop` becomes true. An error says why no further stream can help.
    pub async fn run(mut self, stop: Receiver<bool>) -> Result<(), Ending> {
        let (mut pause, mut last_welcome) = (FIRST_PAUSE, Instant::now());
        loop {
            self.is_welcome = false;
            let mut stopped = stop.clone();
            let ending = tokio::select! {
                ending = self.run_stream(stop.clone()) => ending,
                () = async { wait(&mut stopped).await; sleep(FAREWELL_TIME).await } => return Ok(()),
            };
            let ending = self.farewell.take().unwrap_or(ending).at(&self.settings.address);
            if *stop.borrow() {
                return Ok(());
            }
            if ending.is_final() {
                return Err(ending);
            }
            if self.node.is_empty() && self.mute_count >= MOST_MUTE {
                return Err(Ending::no_arena().at(&self.settings.address));
            }
            if self.is_welcome {
                (pause, last_welcome) = (FIRST_PAUSE, Instant::now());
            } else if last_welcome.elapsed() > self.settings.patience {
                let patience = self.settings.patience.as_secs();
                return Err(Ending::server_gone(format!(
                    "no server for {patience} seconds, so this bot gives up; {ending}"
                )));
            }
            tokio::select! { // a random pause, so that bots do not all come back at the same moment
                () = sleep(pause.mul_f64(0.5 + fastrand::f64() / 2.0)) => {}
                () = wait(&mut stopped) => return Ok(()),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Runs one stream from Hello to its end.
    async fn run_stream(&mut self, mut stop: Receiver<bool>) -> Ending {
        let channel = match self.settings.endpoint.connect().await {
            Ok(channel) => channel,
            Err(error) => return Ending::from_error(&error),
        };
        let (out, requests) = unbounded_channel();
        let mut request = Request::new(UnboundedReceiverStream::new(requests));
        request.metadata_mut().insert("authorization", self.settings.authorization.clone());
        send(&out, Vec::new(), vec![Said::Hello(self.hello())]);
        let mut frames = match PlayServiceClient::new(channel).play(request).await {
            Ok(response) => response.into_inner(),
            Err(status) => {
                self.mute_count += u32::from(status.code() == Code::Unknown);
                return Ending::from_status(&status);
            }
        };
        let mut is_leaving = false;
        loop {
            let wake = self.waiting.first().map(|&(at_us, _)| self.local_instant(at_us));
            tokio::select! {
                frame = frames.message() => match frame {
                    Ok(Some(frame)) => match self.read(frame) {
                        Ok((decisions, notices)) => send(&out, decisions, notices),
                        Err(ending) => return ending,
                    },
                    Ok(None) => return Ending::lost("the server ended the stream"),
                    Err(status) => return Ending::from_status(&status),
                },
                () = sleep_until(wake.unwrap_or(self.start)), if wake.is_some() => {
                    let due = self.waiting.pop_first().map(|(_, key)| key);
                    send(&out, self.answer(due), Vec::new());
                }
                () = wait(&mut stop), if !is_leaving => {
                    send(&out, Vec::new(), vec![Said::Goodbye(Goodbye {})]); // the server ends the stream
                    is_leaving = true;
                }
            }
        }
    }

    /// Opens a session. With positions the server sends only what was missed, and otherwise snapshots.
    fn hello(&mut self) -> Hello {
        self.waiting.clear();
        // A seat that the server did not mention on the last stream may be over. If it is not, a snapshot comes.
        let is_exact = self.settings.is_exact;
        self.seats.retain(|_, seat| is_exact && seat.resume());
        let position =
            |(&(r#match, entrant), seat): (&Key, &Seat)| Position { r#match, entrant, sequence: seat.sequence };
        Hello {
            protocol_version: PROTOCOL_VERSION,
            instance: self.settings.instance.clone(),
            label: "sample in Rust".to_owned(),
            games: ["cheat", "cheater"].map(|game| GameSupport { game: game.to_owned(), presets: Vec::new() }).to_vec(),
            capacity: 1000,
            positions: self.seats.iter().map(position).collect(),
            node: self.node.clone(),
        }
    }

    /// Reads a whole frame, and returns the answers to all of it.
    fn read(&mut self, frame: PlayResponse) -> Result<(Vec<Decision>, Vec<Said>), Ending> {
        for notice in &frame.notices {
            if let Some(Heard::Welcome(welcome)) = &notice.notice {
                self.begin(welcome)?;
            }
        }
        self.clock_offset_us = self.clock_offset_us.min(self.local_us() - frame.now_us);
        let (mut touched, mut notices) = (BTreeSet::new(), Vec::new());
        for message in frame.messages.into_iter().filter(|message| message.sequence > 0) {
            let key = (message.r#match, message.entrant);
            let now_us = self.local_us() - self.clock_offset_us;
            let seat = self.seats.entry(key).or_insert_with(|| Seat::new(key));
            if !seat.hear(message, now_us) {
                self.seats.remove(&key); // without a position, the next stream gives it a snapshot
                return Err(Ending::lost(format!("a message to seat {key:?} is missing")));
            }
            if take(&mut seat.wants_ready) {
                notices.push(Said::Ready(Ready { r#match: key.0, entrant: key.1 }));
            }
            touched.insert(key);
        }
        for notice in frame.notices.into_iter().filter_map(|notice| notice.notice) {
            match notice {
                Heard::Offered(offered) => notices.push(Said::OfferAnswer(OfferAnswer {
                    offer_id: offered.offer_id,
                    accept: true,
                    entropy_promise: Vec::new(),
                })),
                Heard::Assigned(assigned) => {
                    let key = (assigned.r#match, assigned.entrant);
                    if let Some(seat) = self.seats.get_mut(&key) {
                        seat.is_confirmed = true;
                        touched.insert(key); // nothing was missed, but an answer may have been lost
                    }
                }
                Heard::Ping(ping) => notices.push(Said::Pong(Pong { nonce: ping.nonce })),
                Heard::Farewell(farewell) => self.farewell = Some(Ending::from_farewell(&farewell)),
                Heard::Welcome(_) | Heard::OfferClosed(_) | Heard::EntropyAsked(_) => {}
            }
        }
        Ok((self.answer(touched), notices))
    }

    fn begin(&mut self, welcome: &Welcome) -> Result<(), Ending> {
        if welcome.protocol_version != PROTOCOL_VERSION {
            return Err(Ending::other_version(welcome.protocol_version));
        }
        if welcome.node != self.node {
            self.seats.clear(); // another run of the server, with another clock
            self.clock_offset_us = i64::MAX;
        }
        self.node.clone_from(&welcome.node);
        (self.is_welcome, self.takes_no_answer) = (true, welcome.takes_no_answer);
        Ok(())
    }

    /// Answers the open prompts of these seats, and forgets the seats of matches that are over.
    fn answer(&mut self, keys: impl IntoIterator<Item = Key>) -> Vec<Decision> {
        let mut decisions = Vec::new();
        let now_us = self.local_us() - self.clock_offset_us;
        for key in keys {
            let Some(seat) = self.seats.get_mut(&key) else { continue };
            if seat.is_over {
                self.seats.remove(&key);
            } else if let Some(wake_us) = seat.answer(now_us, self.takes_no_answer, &mut decisions) {
                self.waiting.insert((wake_us, key));
            }
        }
        decisions
    }

    fn local_us(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    /// Returns when this clock shows an instant of the server's clock: never too early, because frames take time.
    fn local_instant(&self, server_us: i64) -> Instant {
        self.start + Duration::from_micros(u64::try_from(server_us + self.clock_offset_us).unwrap_or_default())
    }
}

async fn wait(stop: &mut Receiver<bool>) {
    let _ = stop.wait_for(|&stop| stop).await;
}

fn send(out: &UnboundedSender<PlayRequest>, decisions: Vec<Decision>, notices: Vec<Said>) {
    let mut notices: Vec<_> = notices.into_iter().map(|notice| BotNotice { notice: Some(notice) }).collect();
    let mut decisions = decisions.into_iter().peekable();
    while decisions.peek().is_some() || !notices.is_empty() {
        let decisions = decisions.by_ref().take(FRAME_DECISIONS).collect();
        let _ = out.send(PlayRequest { decisions, notices: take(&mut notices) }); // the reader learns of a lost stream
    }
}

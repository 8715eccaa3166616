//! The line: it carries the frames of a session, on one stream after another.

use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch::{Receiver, Sender};
use tokio::task::{JoinSet, block_in_place};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Request, Streaming};

use crate::ending::Ending;
use crate::proto::bot_notice::Notice;
use crate::proto::play_service_client::PlayServiceClient;
use crate::proto::server_notice::Notice as Heard;
use crate::proto::{Goodbye, PlayRequest, PlayResponse, Pong};
use crate::search::Search;
use crate::session::{Session, say};
use crate::settings::Settings;

/// How long the server may take to answer a goodbye.
const FAREWELL_TIME: Duration = Duration::from_secs(2);
/// How long the server may take to accept a stream.
const OPENING_TIME: Duration = Duration::from_secs(10);
/// How long a stream may be silent: the server sends a ping every 10 s.
const SILENCE_TIME: Duration = Duration::from_secs(25);

/// What the user wants of the bot.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub enum Wish {
    Play,
    /// Take no new seats, finish the matches, and leave.
    Finish,
    Leave,
}

pub struct Line {
    wish: Sender<Wish>,
    settings: Settings,
    session: Session,
    search: Search,
}

impl Line {
    pub fn new(settings: Settings, wish: Sender<Wish>) -> Self {
        let session = Session::new(&settings);
        let search = Search::new(settings.address.clone(), settings.patience);
        Self { wish, settings, session, search }
    }

    /// Opens streams until the wish is to leave. An error says why no further stream can help.
    pub async fn run(mut self) -> Result<(), Ending> {
        let wish = self.wish.subscribe();
        loop {
            let mut leaving = wish.clone();
            let ending = tokio::select! {
                ending = self.run_stream(wish.clone()) => ending,
                () = async { wait(&mut leaving, Wish::Leave).await; sleep(FAREWELL_TIME).await } => return Ok(()),
            };
            if *wish.borrow() == Wish::Leave {
                return Ok(());
            }
            let pause = self.judge(ending)?;
            tokio::select! {
                () = sleep(pause) => {}
                () = wait(&mut leaving, Wish::Leave) => return Ok(()),
            }
        }
    }

    /// Returns how long to wait before the next stream, or why there is no point in one.
    fn judge(&mut self, ending: Ending) -> Result<Duration, Ending> {
        if !ending.is_replaced() || !self.session.instance.give_way() {
            return self.search.next(ending);
        }
        let name = &self.session.instance.name;
        eprintln!("another program of this bot took over its seats: this one plays on as instance {name}");
        Ok(Duration::ZERO)
    }

    /// Lets the bot finish its matches on another stream, or leave if there are none.
    fn finish(&mut self) -> Option<Ending> {
        let left = self.session.finish();
        if left == 0 {
            self.wish.send_replace(Wish::Leave);
            return None;
        }
        eprintln!("no new seats: this bot ends after its matches, of which {left} are left; Ctrl-C again ends it now");
        Some(Ending::lost("this bot begins another stream"))
    }

    /// Runs one stream from its hello to its end.
    async fn run_stream(&mut self, mut wish: Receiver<Wish>) -> Ending {
        let (out, requests) = unbounded_channel();
        send(&out, self.session.hello());
        let frames = match timeout(OPENING_TIME, self.open(UnboundedReceiverStream::new(requests))).await {
            Ok(Ok(frames)) => frames,
            Ok(Err(ending)) => return ending,
            Err(_) => return Ending::lost("the server does not answer"),
        };
        let (arrived, mut arrivals) = unbounded_channel();
        let mut reader = JoinSet::new(); // ends with this function
        reader.spawn(receive(frames, out.clone(), arrived));
        let mut is_leaving = false;
        let mut finishing = wish.clone();
        let mut due = None; // the next answer that has to wait: when, here and on the server's clock
        loop {
            tokio::select! {
                arrival = timeout(SILENCE_TIME, arrivals.recv()) => match arrival {
                    Ok(Some(Ok(frame))) => {
                        let (now_us, mut reply) = (frame.now_us, PlayRequest::default());
                        match block_in_place(|| self.session.read(frame, &mut reply)) {
                            Ok(next_us) => due = later(now_us, next_us),
                            Err(ending) => return ending,
                        }
                        self.search.end();
                        send(&out, reply);
                        if self.session.is_done() {
                            self.wish.send_replace(Wish::Leave);
                        }
                    }
                    Ok(Some(Err(ending))) => return ending,
                    Ok(None) => return Ending::lost("the server ended the stream"),
                    Err(_) => return Ending::lost("the server has fallen silent"),
                },
                () = sleep_until(due.map_or_else(Instant::now, |(at, _)| at)), if due.is_some() => {
                    let now_us = due.map_or(0, |(_, due_us)| due_us);
                    let mut reply = PlayRequest::default();
                    due = later(now_us, block_in_place(|| self.session.answer(now_us, &mut reply)));
                    send(&out, reply);
                }
                () = wait(&mut finishing, Wish::Finish), if !is_leaving && !self.session.is_finishing() => {
                    if let Some(ending) = self.finish() {
                        return ending;
                    }
                }
                () = wait(&mut wish, Wish::Leave), if !is_leaving => {
                    is_leaving = true; // the server ends the stream
                    send(&out, PlayRequest { decisions: Vec::new(), notices: vec![say(Notice::Goodbye(Goodbye {}))] });
                }
            }
        }
    }

    async fn open(&self, requests: UnboundedReceiverStream<PlayRequest>) -> Result<Streaming<PlayResponse>, Ending> {
        let channel = self.settings.endpoint.connect().await.map_err(|error| Ending::from_error(&error))?;
        let mut request = Request::new(requests);
        request.metadata_mut().insert("authorization", self.settings.authorization.clone());
        match PlayServiceClient::new(channel).play(request).await {
            Ok(response) => Ok(response.into_inner()),
            Err(status) => Err(Ending::from_status(&status)),
        }
    }
}

/// Returns when answers are due, here and on the server's clock: never too early, because frames take time.
fn later(now_us: i64, due_us: i64) -> Option<(Instant, i64)> {
    let wait_us = u64::try_from(due_us.saturating_sub(now_us)).unwrap_or_default();
    (due_us < i64::MAX).then(|| (Instant::now() + Duration::from_micros(wait_us), due_us))
}

/// Reads frames until the stream ends. Answers pings at once, although the bot may think.
async fn receive(
    mut frames: Streaming<PlayResponse>,
    out: UnboundedSender<PlayRequest>,
    arrived: UnboundedSender<Result<PlayResponse, Ending>>,
) {
    loop {
        let arrival = match frames.message().await {
            Ok(Some(frame)) => Ok(frame),
            Ok(None) => Err(Ending::lost("the server ended the stream")),
            Err(status) => Err(Ending::from_status(&status)),
        };
        for notice in arrival.iter().flat_map(|frame| &frame.notices) {
            if let Some(Heard::Ping(ping)) = &notice.notice {
                let pong = say(Notice::Pong(Pong { nonce: ping.nonce }));
                send(&out, PlayRequest { decisions: Vec::new(), notices: vec![pong] });
            }
        }
        let is_over = arrival.is_err();
        if arrived.send(arrival).is_err() || is_over {
            return;
        }
    }
}

async fn wait(wish: &mut Receiver<Wish>, least: Wish) {
    let _ = wish.wait_for(|&wish| wish >= least).await;
}

/// Sends a frame, unless it is empty. The reader learns of a lost stream.
fn send(out: &UnboundedSender<PlayRequest>, frame: PlayRequest) {
    if !frame.decisions.is_empty() || !frame.notices.is_empty() {
        let _ = out.send(frame);
    }
}

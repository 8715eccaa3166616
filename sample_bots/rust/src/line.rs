//! The line: it carries the frames of a session, on one stream after another.

use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch::Receiver;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Request, Streaming};

use crate::ending::Ending;
use crate::proto::bot_notice::Notice;
use crate::proto::play_service_client::PlayServiceClient;
use crate::proto::{Goodbye, PlayRequest, PlayResponse};
use crate::search::Search;
use crate::session::{Session, say};
use crate::settings::Settings;

/// How long the server may take to answer a goodbye.
const FAREWELL_TIME: Duration = Duration::from_secs(2);
/// How long the server may take to accept a stream.
const OPENING_TIME: Duration = Duration::from_secs(10);
/// How long a stream may be silent: the server sends a ping every 10 s.
const SILENCE_TIME: Duration = Duration::from_secs(25);

pub struct Line {
    settings: Settings,
    session: Session,
    search: Search,
}

impl Line {
    pub fn new(settings: Settings) -> Self {
        let session = Session::new(&settings);
        let search = Search::new(settings.address.clone(), settings.patience);
        Self { settings, session, search }
    }

    /// Opens streams until `stop` becomes true. An error says why no further stream can help.
    pub async fn run(mut self, stop: Receiver<bool>) -> Result<(), Ending> {
        loop {
            let mut stopped = stop.clone();
            let ending = tokio::select! {
                ending = self.run_stream(stop.clone()) => ending,
                () = async { wait(&mut stopped).await; sleep(FAREWELL_TIME).await } => return Ok(()),
            };
            if *stop.borrow() {
                return Ok(());
            }
            let pause = self.search.next(ending)?;
            tokio::select! {
                () = sleep(pause) => {}
                () = wait(&mut stopped) => return Ok(()),
            }
        }
    }

    /// Runs one stream from its hello to its end.
    async fn run_stream(&mut self, mut stop: Receiver<bool>) -> Ending {
        let (out, requests) = unbounded_channel();
        send(&out, self.session.hello());
        let mut frames = match timeout(OPENING_TIME, self.open(UnboundedReceiverStream::new(requests))).await {
            Ok(Ok(frames)) => frames,
            Ok(Err(ending)) => return ending,
            Err(_) => return Ending::lost("the server does not answer"),
        };
        let mut is_leaving = false;
        let mut due = None; // the next answer that has to wait: when, here and on the server's clock
        loop {
            tokio::select! {
                frame = timeout(SILENCE_TIME, frames.message()) => match frame {
                    Ok(Ok(Some(frame))) => {
                        let (now_us, mut reply) = (frame.now_us, PlayRequest::default());
                        match self.session.read(frame, &mut reply) {
                            Ok(next_us) => due = later(now_us, next_us),
                            Err(ending) => return ending,
                        }
                        self.search.end();
                        send(&out, reply);
                    }
                    Ok(Ok(None)) => return Ending::lost("the server ended the stream"),
                    Ok(Err(status)) => return Ending::from_status(&status),
                    Err(_) => return Ending::lost("the server has fallen silent"),
                },
                () = sleep_until(due.map_or_else(Instant::now, |(at, _)| at)), if due.is_some() => {
                    let now_us = due.map_or(0, |(_, due_us)| due_us);
                    let mut reply = PlayRequest::default();
                    due = later(now_us, self.session.answer(now_us, &mut reply));
                    send(&out, reply);
                }
                () = wait(&mut stop), if !is_leaving => {
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

async fn wait(stop: &mut Receiver<bool>) {
    let _ = stop.wait_for(|&stop| stop).await;
}

/// Sends a frame, unless it is empty. The reader learns of a lost stream.
fn send(out: &UnboundedSender<PlayRequest>, frame: PlayRequest) {
    if !frame.decisions.is_empty() || !frame.notices.is_empty() {
        let _ = out.send(frame);
    }
}

//! One seat: this bot's part in one match. All instants are in microseconds, on the server's clock.

use std::collections::BTreeMap;

use crate::ending::{Ending, name};
use crate::game::{Game, decide, new_game};
use crate::proto::bot_notice::Notice;
use crate::proto::decision::Action;
use crate::proto::event::Fact;
use crate::proto::{
    Decision, DecisionAnswer, ErrorReason, Event, PlayRequest, Position, Prompt, Ready, SeatMessage, SeatSnapshot,
    ruleset,
};
use crate::session::say;

/// The instant of a decision that is about to be sent.
const IS_NOW: i64 = i64::MIN;

/// Match and entrant: together they name a seat.
pub type Key = (u32, u32);

/// An open prompt.
pub struct Question {
    pub prompt: Prompt,
    /// Of the next answer, or of the one that was sent.
    action_id: u32,
    /// Whether the answer was sent on this stream.
    is_sent: bool,
    /// When it may be sent.
    earliest_us: i64,
    /// Whether an answer broke a rule.
    pub is_refused: bool,
}

#[derive(Default)]
pub struct Seat {
    key: Key,
    /// Of the last message.
    sequence: u64,
    rules: Option<ruleset::Game>,
    game: Option<Box<dyn Game>>,
    questions: BTreeMap<u32, Question>,
    /// When the decisions were sent that have no answer yet, by prompt; also after it has closed.
    sent_us: BTreeMap<u32, i64>,
    pub is_over: bool,
    is_break: bool,
    /// Whether `Ready` was sent on this stream.
    is_ready: bool,
}

impl Seat {
    pub fn new(key: Key) -> Self {
        Self { key, ..Self::default() }
    }

    /// Begins a new stream, and returns the position. What was sent on the last stream may be lost, so it is sent again,
    /// under the same action ids.
    pub fn resume(&mut self) -> Position {
        self.is_ready = false;
        self.sent_us.clear();
        self.questions.values_mut().for_each(|question| question.is_sent = false);
        Position { r#match: self.key.0, entrant: self.key.1, sequence: self.sequence }
    }

    /// Processes a message. It is an error if a message before it is missing.
    pub fn hear(&mut self, message: SeatMessage, now_us: i64) -> Result<(), Ending> {
        if let Some(snapshot) = message.snapshot {
            self.restore(snapshot, now_us);
        } else if message.sequence != self.sequence + 1 {
            return Err(Ending::lost(format!("a message to seat {:?} is missing", self.key)));
        }
        self.sequence = message.sequence;
        message.events.into_iter().for_each(|event| self.learn(event));
        message.answers.iter().for_each(|answer| self.settle(answer, now_us));
        message.prompts.into_iter().for_each(|prompt| self.ask(prompt));
        self.questions.retain(|id, _| !message.withdrawn.contains(id));
        Ok(())
    }

    /// Notes when the answers that were added to the last reply are sent.
    pub fn stamp(&mut self, now_us: i64) {
        self.sent_us.values_mut().filter(|sent_us| **sent_us == IS_NOW).for_each(|sent_us| *sent_us = now_us);
    }

    /// Returns when the oldest decision was sent that has no answer yet.
    pub fn oldest_us(&self) -> Option<i64> {
        self.sent_us.values().copied().min()
    }

    fn restore(&mut self, snapshot: SeatSnapshot, now_us: i64) {
        self.questions.clear();
        snapshot.events.into_iter().for_each(|event| self.learn(event));
        if let (Some(game), Some(state)) = (&mut self.game, &snapshot.game) {
            game.restore(state);
        }
        snapshot.prompts.into_iter().for_each(|prompt| self.ask(prompt));
        snapshot.answers.iter().for_each(|answer| self.settle(answer, now_us));
        self.questions.retain(|id, _| !snapshot.answered.contains(id));
    }

    fn learn(&mut self, event: Event) {
        let Some(fact) = event.fact else { return };
        match fact {
            Fact::MatchStarted(started) => {
                self.rules = started.terms.and_then(|terms| terms.ruleset).and_then(|ruleset| ruleset.game);
            }
            Fact::GameStarted(started) => {
                self.is_break = false;
                self.game = new_game(self.rules.as_ref(), &started.entrants, self.key.1);
            }
            Fact::GameEnded(_) => self.questions.clear(),
            Fact::IntermissionStarted(_) => (self.is_break, self.is_ready) = (true, false),
            Fact::MatchEnded(_) => self.is_over = true,
            Fact::Fault(fault) => {
                eprintln!("seat {:?}: strike {:?} {}", self.key, fault.kind(), name(fault.reason()));
            }
            fact => self.game.iter_mut().for_each(|game| game.learn(&fact)),
        }
    }

    /// Notes a prompt. One that comes again has other times; an answer that was sent stays valid.
    fn ask(&mut self, prompt: Prompt) {
        let (id, earliest_us) = (prompt.id, prompt.earliest_us.unwrap_or_default());
        if let Some(known) = self.questions.get_mut(&id) {
            (known.prompt, known.earliest_us) = (prompt, earliest_us);
        } else {
            let question = Question { prompt, action_id: id * 16, is_sent: false, earliest_us, is_refused: false };
            self.questions.insert(id, question);
        }
    }

    /// Processes the result of a decision. After some refusals, another answer is welcome.
    fn settle(&mut self, answer: &DecisionAnswer, now_us: i64) {
        self.sent_us.remove(&answer.prompt_id);
        let question = self.questions.get_mut(&answer.prompt_id);
        let Some(question) = question.filter(|asked| asked.action_id <= answer.action_id) else { return };
        (question.action_id, question.is_sent) = (answer.action_id + 1, false);
        match ErrorReason::try_from(answer.reason) {
            Ok(
                ErrorReason::Unspecified // the decision counts, or is held
                | ErrorReason::Late
                | ErrorReason::UnknownPrompt
                | ErrorReason::AlreadyAnswered,
            ) => drop(self.questions.remove(&answer.prompt_id)),
            // the server has lost time: wait a little longer each time
            Ok(ErrorReason::TooEarly) => question.earliest_us = now_us + 5_000 * i64::from(question.action_id % 16),
            Ok(ErrorReason::ActionIdConflict) => {}
            _ => question.is_refused = true,
        }
    }

    /// Adds to a reply what is due now. Returns the instant at which more is due.
    pub fn answer(&mut self, now_us: i64, takes_no_answer: bool, reply: &mut PlayRequest) -> i64 {
        let ((r#match, entrant), mut next_us) = (self.key, i64::MAX);
        for (&prompt_id, question) in self.questions.iter_mut().filter(|(_, question)| !question.is_sent) {
            if question.earliest_us > now_us {
                next_us = next_us.min(question.earliest_us);
                continue;
            }
            question.is_sent = true;
            let action = Some(decide(self.game.as_deref(), question));
            if takes_no_answer || !matches!(action, Some(Action::NoAnswer(_))) {
                let action_id = question.action_id;
                self.sent_us.insert(prompt_id, IS_NOW);
                reply.decisions.push(Decision { r#match, entrant, prompt_id, action_id, action, note: String::new() });
            } // otherwise the server, an old one, moves by itself at the deadline
        }
        if self.is_break && !self.is_ready {
            self.is_ready = true;
            reply.notices.push(say(Notice::Ready(Ready { r#match, entrant })));
        }
        next_us
    }
}

//! One seat: its messages in order, its open prompts, and its answers.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::cheat::Cheat;
use crate::cheater::Cheater;
use crate::ending::name;
use crate::proto::decision::Action;
use crate::proto::event::Fact;
use crate::proto::{
    CheatActionKind, Decision, DecisionAnswer, DecisionStatus, ErrorReason, NoAnswer, NoAnswerCause, Prompt,
    SeatMessage, ruleset, seat_snapshot,
};

/// Match and entrant: together they name a seat.
pub type Key = (u32, u32);

/// What one seat knows of one game, and how it plays.
pub trait Game: Send {
    fn learn(&mut self, fact: &Fact);
    fn restore(&mut self, snapshot: &seat_snapshot::Game);
    /// Returns the answer to a prompt. The same prompt in the same situation always gets the same answer.
    fn choose(&self, prompt: &Prompt) -> Option<Action>;
}

struct OpenPrompt {
    prompt: Prompt,
    /// The id of the next answer, or of the one that was sent.
    action_id: u32,
    /// Whether an answer was sent on this stream.
    is_sent: bool,
    /// Why the last answer broke a rule.
    broken: Option<ErrorReason>,
    not_before_us: i64,
}

impl OpenPrompt {
    fn new(prompt: Prompt) -> Self {
        Self { action_id: prompt.id * 16, prompt, is_sent: false, broken: None, not_before_us: 0 }
    }
}

pub struct Seat {
    key: Key,
    pub sequence: u64,
    /// Whether this stream has shown that the server still knows the seat.
    pub is_confirmed: bool,
    pub is_over: bool,
    /// Whether a break has begun and the server waits for `Ready`.
    pub wants_ready: bool,
    rules: Option<ruleset::Game>,
    game: Option<Box<dyn Game>>,
    open: BTreeMap<u32, OpenPrompt>,
}

impl Seat {
    pub fn new(key: Key) -> Self {
        Self {
            key,
            sequence: 0,
            is_confirmed: true,
            is_over: false,
            wants_ready: false,
            rules: None,
            game: None,
            open: BTreeMap::new(),
        }
    }

    /// Begins a new stream: every open prompt is answered again, with its old action id. Returns whether the last stream
    /// has shown that the server still knows the seat.
    pub fn resume(&mut self) -> bool {
        self.open.values_mut().for_each(|open| open.is_sent = false);
        std::mem::take(&mut self.is_confirmed)
    }

    /// Takes in a message. Returns false if messages before it are missing.
    pub fn hear(&mut self, message: SeatMessage, now_us: i64) -> bool {
        if message.snapshot.is_none() && message.sequence != self.sequence + 1 {
            return false;
        }
        (self.sequence, self.is_confirmed) = (message.sequence, true);
        if let Some(snapshot) = message.snapshot {
            self.open.clear();
            self.learn(snapshot.events.into_iter().filter_map(|event| event.fact));
            if let (Some(game), Some(state)) = (&mut self.game, &snapshot.game) {
                game.restore(state);
            }
            self.ask(snapshot.prompts.into_iter().filter(|prompt| !snapshot.answered.contains(&prompt.id)));
            for answer in snapshot.answers.iter().filter(|answer| answer.status() == DecisionStatus::Refused) {
                if let Some(open) = self.open.get_mut(&answer.prompt_id) {
                    open.action_id = open.action_id.max(answer.action_id + 1);
                }
            }
        }
        self.learn(message.events.into_iter().filter_map(|event| event.fact));
        for answer in &message.answers {
            self.judge(answer, now_us);
        }
        self.ask(message.prompts.into_iter());
        for id in &message.withdrawn {
            self.open.remove(id);
        }
        true
    }

    fn learn(&mut self, facts: impl Iterator<Item = Fact>) {
        for fact in facts {
            match fact {
                Fact::MatchStarted(started) => {
                    self.rules = started.terms.and_then(|terms| terms.ruleset).and_then(|ruleset| ruleset.game);
                }
                Fact::GameStarted(started) => {
                    let is_own = |&entrant: &u8| u32::from(entrant) == self.key.1;
                    let own = started.entrants.iter().position(is_own).unwrap_or_default();
                    self.wants_ready = false;
                    self.game = match &self.rules {
                        Some(ruleset::Game::Cheat(rules)) => Some(Box::new(Cheat::new(rules, started.entrants.len()))),
                        Some(ruleset::Game::Cheater(_)) => Some(Box::new(Cheater::new(own, started.entrants.len()))),
                        None => None,
                    };
                }
                Fact::GameEnded(_) => {
                    self.game = None;
                    self.open.clear();
                }
                Fact::IntermissionStarted(_) => self.wants_ready = true,
                Fact::MatchEnded(_) => self.is_over = true,
                Fact::Fault(fault) => {
                    eprintln!("seat {:?}: strike {:?} {}", self.key, fault.kind(), name(fault.reason()));
                }
                fact => {
                    if let Some(game) = &mut self.game {
                        game.learn(&fact);
                    }
                }
            }
        }
    }

    fn ask(&mut self, prompts: impl Iterator<Item = Prompt>) {
        for prompt in prompts {
            match self.open.get_mut(&prompt.id) {
                Some(known) => known.prompt = prompt, // it comes again with new times
                None => drop(self.open.insert(prompt.id, OpenPrompt::new(prompt))),
            }
        }
    }

    /// Reads what became of a decision.
    fn judge(&mut self, answer: &DecisionAnswer, now_us: i64) {
        let Some(open) = self.open.get_mut(&answer.prompt_id) else { return };
        if answer.status() != DecisionStatus::Refused {
            self.open.remove(&answer.prompt_id);
            return;
        }
        if answer.action_id != open.action_id {
            return; // an old answer, repeated
        }
        (open.is_sent, open.action_id) = (false, open.action_id + 1);
        match answer.reason() {
            ErrorReason::Late | ErrorReason::AlreadyAnswered | ErrorReason::UnknownPrompt => {
                self.open.remove(&answer.prompt_id);
            }
            ErrorReason::ActionIdConflict => {}
            ErrorReason::TooEarly => open.not_before_us = now_us + 5_000,
            reason => {
                eprintln!(
                    "seat {:?}: the answer to prompt {} was refused: {}",
                    self.key,
                    answer.prompt_id,
                    name(reason)
                );
                open.broken = Some(reason);
            }
        }
    }

    /// Adds the answers that are due. Returns when to ask again, if an answer has to wait.
    pub fn answer(&mut self, now_us: i64, takes_no_answer: bool, decisions: &mut Vec<Decision>) -> Option<i64> {
        let mut wake_us = None;
        for (&id, open) in self.open.iter_mut().filter(|(_, open)| !open.is_sent) {
            let action = match open.broken {
                Some(reason) => give_up(NoAnswerCause::Illegal, reason, "the answer was refused"),
                None => choose(self.game.as_deref(), &open.prompt),
            };
            if matches!(action, Action::NoAnswer(_)) && !takes_no_answer {
                continue; // silence: the server makes the automatic move at the deadline
            }
            let earliest_us = if is_call(&action) { open.prompt.earliest_us.unwrap_or(0) } else { 0 };
            let due_us = earliest_us.max(open.not_before_us);
            if due_us > now_us {
                wake_us = Some(wake_us.map_or(due_us, |other: i64| other.min(due_us)));
                continue;
            }
            let (r#match, entrant) = self.key;
            let (action_id, note) = (open.action_id, String::new());
            decisions.push(Decision { r#match, entrant, prompt_id: id, action_id, note, action: Some(action) });
            open.is_sent = true;
        }
        wake_us
    }
}

fn choose(game: Option<&dyn Game>, prompt: &Prompt) -> Action {
    match catch_unwind(AssertUnwindSafe(|| game.and_then(|game| game.choose(prompt)))) {
        Ok(Some(action)) => action,
        Ok(None) => give_up(NoAnswerCause::Empty, ErrorReason::Unspecified, "this bot does not know such a prompt"),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic");
            give_up(NoAnswerCause::Crashed, ErrorReason::Unspecified, text)
        }
    }
}

fn give_up(cause: NoAnswerCause, reason: ErrorReason, text: &str) -> Action {
    let text = text.chars().filter(char::is_ascii).take(200).collect();
    Action::NoAnswer(NoAnswer { cause: cause.into(), reason: reason.into(), text })
}

fn is_call(action: &Action) -> bool {
    matches!(action, Action::Cheat(cheat) if cheat.kind() == CheatActionKind::Call)
}

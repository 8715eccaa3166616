//! What a strategy has to do for the protocol.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::cheat::Cheat;
use crate::cheater::Cheater;
use crate::proto::decision::Action;
use crate::proto::event::Fact;
use crate::proto::{NoAnswer, NoAnswerCause, Prompt, ruleset, seat_snapshot};
use crate::seat::Question;

/// What one seat knows of one game, and how it plays.
pub trait Game: Send {
    fn learn(&mut self, fact: &Fact);
    fn restore(&mut self, snapshot: &seat_snapshot::Game);
    /// Returns the answer to a prompt. The same prompt in the same situation always gets the same answer.
    fn choose(&self, prompt: &Prompt) -> Option<Action>;
}

/// Returns the strategy for a game. `entrants` are by seat, and `own` is this bot's.
pub fn new_game(rules: Option<&ruleset::Game>, entrants: &[u8], own: u32) -> Option<Box<dyn Game>> {
    let seat = entrants.iter().position(|&entrant| u32::from(entrant) == own)?;
    match rules? {
        ruleset::Game::Cheat(rules) => Some(Box::new(Cheat::new(rules, entrants.len()))),
        ruleset::Game::Cheater(_) => Some(Box::new(Cheater::new(seat, entrants.len()))),
    }
}

/// Returns a game's answer. If there is none, it says so, so that nobody waits.
pub fn decide(game: Option<&dyn Game>, question: &Question) -> Action {
    if question.is_refused {
        return no_answer(NoAnswerCause::GaveUp, "the answer was refused"); // the next would be the same
    }
    match catch_unwind(AssertUnwindSafe(|| game.and_then(|game| game.choose(&question.prompt)))) {
        Ok(Some(action)) => action,
        Ok(None) => no_answer(NoAnswerCause::Empty, "this bot does not know such a prompt"),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic");
            no_answer(NoAnswerCause::Crashed, text)
        }
    }
}

fn no_answer(cause: NoAnswerCause, text: &str) -> Action {
    let text = text.chars().filter(char::is_ascii).take(200).collect();
    Action::NoAnswer(NoAnswer { cause: cause.into(), reason: 0, text })
}

//! CHEATER: collects the nearest word, and takes missing letters wherever it finds them.

use std::cmp::Reverse;

use crate::game::Game;
use crate::proto::decision::Action;
use crate::proto::event::Fact;
use crate::proto::prompt::Options;
use crate::proto::{
    CheaterAct, CheaterAction, CheaterActionKind as Kind, CheaterAttack as Attack, CheaterPick, Prompt, seat_snapshot,
};

const COLORS: std::ops::Range<u8> = 0..4;
const FIRST_ACTION: u8 = 24;
const TAKE: u8 = 24;
const WILD: u8 = 28;
/// How often the word has each of its letters C H E A T R.
const WORD: [u8; 6] = [1, 1, 2, 1, 1, 1];

/// How often each card occurs.
#[derive(Clone)]
struct Hand([u8; 29]);

impl Hand {
    fn of(cards: &[u8]) -> Self {
        let mut hand = Self([0; 29]);
        for &card in cards {
            hand.add(card);
        }
        hand
    }

    fn count(&self, card: u8) -> u8 {
        self.0[usize::from(card)]
    }

    fn add(&mut self, card: u8) {
        self.0[usize::from(card)] += 1;
    }

    fn remove(&mut self, cards: &[u8]) {
        for &card in cards {
            self.0[usize::from(card)] = self.count(card).saturating_sub(1);
        }
    }

    fn each(&self) -> impl Iterator<Item = u8> {
        (0..=WILD).flat_map(|card| std::iter::repeat_n(card, self.count(card).into()))
    }

    /// The cards of the word in a colour that this hand lacks, or those that it has.
    fn of_word(&self, color: u8, is_missing: bool) -> Vec<u8> {
        let card = |letter: usize| color * 6 + u8::try_from(letter).unwrap_or_default();
        let letters = WORD.iter().enumerate().map(|(letter, &wanted)| (card(letter), wanted));
        letters
            .flat_map(|(card, wanted)| {
                let held = self.count(card).min(wanted);
                std::iter::repeat_n(card, usize::from(if is_missing { wanted - held } else { held }))
            })
            .collect()
    }

    fn distance(&self, color: u8) -> usize {
        self.of_word(color, true).len()
    }

    fn nearest(&self) -> u8 {
        COLORS.min_by_key(|&color| self.distance(color)).unwrap_or_default()
    }

    /// All cards, those first that help least with the word in a colour: letters that it does not need, beginning with
    /// the colour that has the fewest useful cards; then action cards; then letters that it needs.
    fn least_useful_first(&self, color: u8) -> Vec<u8> {
        let (needed, mut spare) = (self.of_word(color, false), self.clone());
        spare.remove(&needed);
        let mut cards: Vec<u8> = spare.each().collect();
        cards.sort_by_key(|&card| (if card < FIRST_ACTION { 7 - self.distance(card / 6) } else { 8 }, card));
        cards.extend(needed);
        cards
    }
}

pub struct Cheater {
    seat: usize,
    hand: Hand,
    sizes: Vec<usize>,
    /// By seat: the cards that everybody knows to be in its hand.
    known: Vec<Hand>,
    /// The top card is the last one.
    discards: Vec<u8>,
}

impl Cheater {
    pub fn new(seat: usize, seats: usize) -> Self {
        let none = Hand::of(&[]);
        Self { seat, hand: none.clone(), sizes: vec![7; seats], known: vec![none; seats], discards: Vec::new() }
    }

    fn lose(&mut self, seat: u32, cards: &[u8]) {
        let seat = seat as usize;
        if seat == self.seat {
            self.hand.remove(cards);
        }
        self.known[seat].remove(cards);
        self.sizes[seat] = self.sizes[seat].saturating_sub(cards.len());
    }

    fn lay(&mut self, seat: u32, cards: &[u8]) {
        self.lose(seat, cards);
        self.discards.extend(cards);
    }

    fn gain(&mut self, seat: u32, card: u32) {
        let (seat, card) = (seat as usize, byte(card));
        if seat == self.seat {
            self.hand.add(card);
        }
        self.known[seat].add(card);
        self.sizes[seat] += 1;
    }

    /// How many copies of a letter card are in the draw pile or among the cards of others that nobody knows.
    fn unseen(&self, card: u8) -> usize {
        let packs = if self.sizes.len() > 4 { 2 } else { 1 };
        let copies = packs * if card % 6 == 2 { 4 } else { 2 };
        let discarded = self.discards.iter().filter(|&&other| other == card).count();
        usize::saturating_sub(copies, usize::from(self.hand.count(card)) + self.known_elsewhere(card) + discarded)
    }

    fn known_elsewhere(&self, card: u8) -> usize {
        let others = self.known.iter().enumerate().filter(|&(seat, _)| seat != self.seat);
        others.map(|(_, hand)| usize::from(hand.count(card))).sum()
    }

    /// Whether the word in a colour can be completed without a card of the discard pile.
    fn is_possible(&self, color: u8) -> bool {
        let missing = self.hand.of_word(color, true);
        missing.iter().all(|&card| {
            let wanted = missing.iter().filter(|&&other| other == card).count();
            wanted <= self.unseen(card) + self.known_elsewhere(card)
        })
    }

    /// The colour to collect: the nearest word, but rather one that needs no card of the discard pile.
    fn target_color(&self) -> u8 {
        COLORS
            .max_by_key(|&color| (self.is_possible(color), Reverse(self.hand.distance(color)), Reverse(color)))
            .unwrap_or_default()
    }

    fn act(&self, options: &CheaterAct) -> CheaterAction {
        let missing = self.hand.of_word(self.target_color(), true);
        if options.powers.contains(&2) && self.discards.last().is_some_and(|top| missing.contains(top)) {
            return act(Kind::TakeTop);
        }
        let Some(target) = options.targets.iter().copied().rev().max_by_key(|&seat| self.chance(seat.into(), &missing))
        else {
            return act(Kind::Draw);
        };
        let attack = CheaterAction { target: Some(target.into()), ..act(Kind::Play) };
        if options.playable.contains(&TAKE) {
            CheaterAction { card: Some(TAKE.into()), ..attack }
        } else if options.playable.contains(&WILD) {
            CheaterAction { card: Some(WILD.into()), wild_as: Attack::Take.into(), ..attack }
        } else if options.powers.contains(&3) {
            CheaterAction { kind: Kind::Demand.into(), ..attack }
        } else {
            act(Kind::Draw)
        }
    }

    /// How likely a seat has a missing card: certainly, or the more likely the more of its cards are unknown.
    fn chance(&self, seat: usize, missing: &[u8]) -> usize {
        if missing.iter().any(|&card| self.known[seat].count(card) > 0) {
            return usize::MAX;
        }
        let unknown = self.sizes[seat].saturating_sub(self.known[seat].each().count());
        unknown * missing.iter().map(|&card| self.unseen(card)).sum::<usize>()
    }

    fn pick(&self, pick: &CheaterPick) -> Option<CheaterAction> {
        let shown = Hand::of(&pick.hand);
        let letters = shown.of_word(shown.nearest(), false);
        if pick.attack() == Attack::Bust {
            let cards = letters.into_iter().take(pick.most as usize).collect();
            return Some(CheaterAction { cards, ..act(Kind::Bust) });
        }
        let color = self.target_color();
        let missing = self.hand.of_word(color, true);
        let wanted = pick.hand.iter().find(|card| missing.contains(card));
        let card = *wanted.or(letters.first()).or(pick.hand.first())?;
        let mut hand = self.hand.clone();
        hand.add(card);
        let discard = hand.least_useful_first(color).first().map(|&card| card.into());
        let discard = discard.filter(|_| pick.attack() == Attack::Demand);
        Some(CheaterAction { card: Some(card.into()), discard, ..act(Kind::Take) })
    }
}

impl Game for Cheater {
    fn learn(&mut self, fact: &Fact) {
        match fact {
            Fact::CheaterDealt(fact) => self.discards = vec![byte(fact.top)],
            Fact::CheaterHand(fact) => self.hand = Hand::of(&fact.cards),
            Fact::CheaterDrew(fact) => self.sizes[fact.seat as usize] += fact.count as usize,
            Fact::CheaterDrawn(fact) => fact.cards.iter().for_each(|&card| self.hand.add(card)),
            Fact::CheaterTookTop(fact) => {
                self.discards.pop();
                self.gain(fact.seat, fact.card);
            }
            Fact::CheaterDiscarded(fact) => self.lay(fact.seat, &fact.cards),
            Fact::CheaterAttacked(fact) => {
                if let Some(card) = fact.card {
                    self.lay(fact.seat, &[byte(card)]);
                }
            }
            Fact::CheaterHidden(fact) => self.lay(fact.seat, &[byte(fact.card)]),
            Fact::CheaterHandShown(fact) => self.known[fact.seat as usize] = Hand::of(&fact.cards),
            Fact::CheaterTaken(fact) => {
                self.lose(fact.target, &[byte(fact.card)]);
                self.gain(fact.seat, fact.card);
            }
            Fact::CheaterBusted(fact) => self.lay(fact.target, &fact.cards),
            Fact::CheaterReshuffled(_) => {
                self.discards.drain(..self.discards.len().saturating_sub(1));
            }
            Fact::CheaterLeft(fact) => {
                self.sizes[fact.seat as usize] = 0;
                self.known[fact.seat as usize] = Hand::of(&[]);
            }
            _ => {}
        }
    }

    fn restore(&mut self, snapshot: &seat_snapshot::Game) {
        let seat_snapshot::Game::Cheater(state) = snapshot else { return };
        self.hand = Hand::of(state.hand());
        self.sizes = state.hand_sizes.iter().map(|&size| size.into()).collect();
        self.known = state.known.iter().map(|cards| Hand::of(cards)).collect();
        self.discards.clone_from(&state.discards);
    }

    fn choose(&self, prompt: &Prompt) -> Option<Action> {
        let action = match prompt.options.as_ref()? {
            Options::CheaterAct(options) => self.act(options),
            Options::CheaterDiscard(discard) => {
                let mut cards = self.hand.least_useful_first(self.target_color());
                cards.truncate(discard.count as usize);
                CheaterAction { cards, ..act(Kind::Discard) }
            }
            Options::CheaterReaction(reaction) => match reaction.hiding.first() {
                Some(&card) => CheaterAction { card: Some(card.into()), ..act(Kind::Hide) },
                None => act(Kind::Allow),
            },
            Options::CheaterPick(pick) => self.pick(pick)?,
            _ => return None,
        };
        Some(Action::Cheater(action))
    }
}

fn act(kind: Kind) -> CheaterAction {
    CheaterAction { kind: kind.into(), ..CheaterAction::default() }
}

fn byte(card: u32) -> u8 {
    u8::try_from(card).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{CheaterAttacked, CheaterDrawn, CheaterTaken};

    /// Red C H E A T, one yellow C and a TAKE: the red word lacks an E and the R.
    fn table() -> Cheater {
        let mut game = Cheater::new(0, 3);
        game.hand = Hand::of(&[0, 1, 2, 3, 4, 6, TAKE]);
        game
    }

    #[test]
    fn the_nearest_word_needs_two_cards() {
        assert_eq!(table().hand.of_word(0, true), [2, 5]);
        assert_eq!(table().hand.least_useful_first(0), [6, TAKE, 0, 1, 2, 3, 4]);
    }

    #[test]
    fn it_attacks_the_seat_that_has_the_missing_card() {
        let mut game = table();
        game.known[2] = Hand::of(&[5]);
        let action = game.act(&CheaterAct { powers: vec![], playable: vec![TAKE], targets: vec![1, 2] });
        assert_eq!((action.kind(), action.target), (Kind::Play, Some(2)));
    }

    #[test]
    fn its_hand_follows_the_facts() {
        let mut game = table();
        game.learn(&Fact::CheaterAttacked(CheaterAttacked {
            seat: 0,
            target: 1,
            card: Some(24),
            attack: Attack::Take.into(),
        }));
        game.learn(&Fact::CheaterTaken(CheaterTaken { seat: 0, target: 1, card: 5 }));
        assert_eq!(game.hand.each().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
        game.learn(&Fact::CheaterTaken(CheaterTaken { seat: 1, target: 0, card: 6 }));
        game.learn(&Fact::CheaterDrawn(CheaterDrawn { cards: vec![2] }));
        assert_eq!(game.hand.distance(0), 0);
    }

    #[test]
    fn after_a_demand_it_discards_what_helps_least() {
        let pick = CheaterPick { attack: Attack::Demand.into(), target: 1, hand: vec![5, 9], most: 1 };
        let action = table().pick(&pick).unwrap();
        assert_eq!((action.card, action.discard), (Some(5), Some(6)));
    }
}

//! Cheat: lays as many true cards as it can, or else the smallest lie, and calls only claims that cannot be true.

use std::cmp::Reverse;

use crate::game::Game;
use crate::proto::decision::Action;
use crate::proto::event::Fact;
use crate::proto::prompt::Options;
use crate::proto::{
    CheatAction, CheatActionKind as Kind, CheatCards, CheatChoose, CheatCut, CheatRuleset, CheatTurn, Prompt,
    seat_snapshot,
};

const JOKER: u8 = 52;

/// How often each card occurs.
#[derive(Clone)]
struct Cards([u32; 53]);

impl Cards {
    fn none() -> Self {
        Self([0; 53])
    }

    /// Reads both forms in which cards are sent.
    fn read(cards: Option<&CheatCards>) -> Self {
        let mut read = Self::none();
        if let Some(cards) = cards {
            for &card in &cards.cards {
                read.0[usize::from(card)] += 1;
            }
            for pair in cards.counted.chunks_exact(2) {
                read.0[pair[0] as usize] += pair[1];
            }
        }
        read
    }

    fn add(&mut self, more: &Self) {
        self.0.iter_mut().zip(more.0).for_each(|(count, more)| *count += more);
    }

    fn remove(&mut self, gone: &Self) {
        self.0.iter_mut().zip(gone.0).for_each(|(count, gone)| *count = count.saturating_sub(gone));
    }

    /// The number of cards of a rank, without jokers.
    fn natural(&self, rank: u8) -> u32 {
        self.0[usize::from(rank) * 4..][..4].iter().sum()
    }

    fn jokers(&self) -> u32 {
        self.0[usize::from(JOKER)]
    }

    /// Every card, in ascending order.
    fn each(&self) -> impl Iterator<Item = u8> {
        (0..=JOKER).flat_map(|card| std::iter::repeat_n(card, self.0[usize::from(card)] as usize))
    }
}

/// The last move, as its seat claimed it.
#[derive(Clone, Copy)]
struct Claim {
    rank: u8,
    count: u32,
    /// Everybody saw that the claimed number was a lie.
    is_miscounted: bool,
}

pub struct Cheat {
    packs: u32,
    jokers: u32,
    hand: Cards,
    /// The cards on the pile that this seat knows: its own, and those that lie face up.
    pile: Cards,
    /// The known cards that are out of the game.
    banished: Cards,
    claim: Option<Claim>,
}

impl Cheat {
    pub fn new(rules: &CheatRuleset, seats: usize) -> Self {
        let packs = if rules.decks > 0 { rules.decks } else { 1 + u32::from(seats > 4) };
        let jokers = rules.jokers_per_deck * packs;
        let (hand, pile, banished) = (Cards::none(), Cards::none(), Cards::none());
        Self { packs, jokers, hand, pile, banished, claim: None }
    }

    /// Whether the last move is certainly a lie: it claims more cards than there are outside the places known here.
    fn is_lie(&self) -> bool {
        let Some(claim) = self.claim else { return false };
        let located: u32 = [&self.hand, &self.pile, &self.banished]
            .map(|known| known.natural(claim.rank) + known.jokers())
            .into_iter()
            .sum();
        claim.is_miscounted || claim.count > 0 && claim.count + located > 4 * self.packs + self.jokers
    }

    fn doubt(&self, can_believe: bool) -> CheatAction {
        let is_empty = self.claim.is_some_and(|claim| claim.count == 0); // a play of no cards is always true
        act(if self.is_lie() {
            Kind::Call
        } else if can_believe && is_empty {
            Kind::Believe
        } else {
            Kind::Decline
        })
    }

    fn turn(&self, turn: &CheatTurn) -> Option<CheatAction> {
        if turn.can_call {
            let doubt = self.doubt(turn.can_believe);
            if doubt.kind() != Kind::Decline {
                return Some(doubt);
            }
        }
        if let Some(play) = self.largest_true(turn) {
            return Some(play);
        }
        if turn.can_pass {
            return Some(act(Kind::Pass));
        }
        // A play of no cards comes last: who waits is soon the only one with cards.
        self.smallest_lie(turn).or_else(|| turn.zero.then(|| play(Vec::new(), turn.ranks[0], 0)))
    }

    /// The true play with the most cards; of several, the one with the fewest jokers, then the one of the lowest rank.
    fn largest_true(&self, turn: &CheatTurn) -> Option<CheatAction> {
        let has_natural = self.hand.each().any(|card| card != JOKER);
        let most = |rank: u8| match self.hand.natural(rank) {
            0 if turn.face_up && has_natural => 0, // jokers lie open only together with a card of the rank
            natural => natural + self.hand.jokers(),
        };
        let plays = turn.ranks.iter().map(|&rank| (largest_count(turn, most(rank)), rank));
        let (count, rank) =
            plays.max_by_key(|&(count, rank)| (count, self.hand.natural(rank).min(count), Reverse(rank)))?;
        let cards = self.hand.each().filter(|&card| card / 4 == rank || card == JOKER);
        (count > 0).then(|| play(cards.take(count as usize).collect(), rank, count))
    }

    /// A lie with as few cards as possible: single cards first, and of the rank that the others have the fewest of.
    fn smallest_lie(&self, turn: &CheatTurn) -> Option<CheatAction> {
        let count = *turn.counts.first()?;
        let laid = if let [least, most] = turn.laid[..] { count.clamp(least, most) } else { count };
        let rank = turn.ranks.iter().copied().max_by_key(|&rank| (self.hand.natural(rank), Reverse(rank)))?;
        let mut cards: Vec<u8> = self.hand.each().collect();
        cards.sort_by_key(|&card| (card == JOKER, card / 4 == rank, self.hand.natural(card / 4 % 13), card));
        cards.truncate(laid as usize);
        (!turn.face_up).then(|| play(cards, rank, count))
    }
}

impl Game for Cheat {
    fn learn(&mut self, fact: &Fact) {
        match fact {
            Fact::CheatHand(fact) => self.hand = Cards::read(fact.cards.as_ref()),
            Fact::CheatLaid(fact) => {
                let laid = Cards::read(fact.cards.as_ref());
                self.hand.remove(&laid);
                self.pile.add(&laid);
            }
            Fact::CheatTaken(fact) => self.hand.add(&Cards::read(fact.cards.as_ref())),
            Fact::CheatPlayed(fact) => {
                let rank = u8::try_from(fact.rank).unwrap_or_default();
                let is_miscounted = fact.laid.is_some_and(|laid| laid != fact.count);
                self.claim = Some(Claim { rank, count: fact.count, is_miscounted });
            }
            Fact::CheatCalled(_) => self.pile = Cards::none(),
            Fact::CheatHandChecked(fact) if !fact.true_claim => self.pile = Cards::none(),
            Fact::CheatBelieved(fact) if !fact.right => self.pile = Cards::none(),
            Fact::CheatBelieved(_) | Fact::CheatBanished(_) => {
                self.banished.add(&self.pile);
                self.pile = Cards::none();
            }
            _ => {}
        }
    }

    fn restore(&mut self, snapshot: &seat_snapshot::Game) {
        let seat_snapshot::Game::Cheat(state) = snapshot else { return };
        self.hand = Cards::read(state.hand.as_ref());
        self.pile = Cards::none();
        for layer in &state.pile {
            self.pile.add(&Cards::read(layer.own_cards.as_ref()));
        }
        let last = state.pile.last().filter(|last| state.callable && !last.abandoned && Some(last.seat) == state.mover);
        self.claim = last.map(|last| Claim {
            rank: u8::try_from(last.rank).unwrap_or_default(),
            count: last.count,
            is_miscounted: last.laid.is_some_and(|laid| laid != last.count),
        });
    }

    fn choose(&self, prompt: &Prompt) -> Option<Action> {
        let action = match prompt.options.as_ref()? {
            Options::CheatTurn(turn) => self.turn(turn)?,
            Options::CheatWindow(window) => self.doubt(window.can_believe),
            Options::CheatCut(cut) => cut_evenly(*cut),
            Options::CheatChoose(choice) => choose_thinnest(choice)?,
            _ => return None,
        };
        Some(Action::Cheat(action))
    }
}

fn act(kind: Kind) -> CheatAction {
    CheatAction { kind: kind.into(), ..CheatAction::default() }
}

fn play(cards: Vec<u8>, rank: u8, count: u32) -> CheatAction {
    CheatAction { cards, rank: rank.into(), count, ..act(Kind::Play) }
}

/// The largest number that a true play of at most `most` cards may claim; 0 if there is none.
fn largest_count(turn: &CheatTurn, most: u32) -> u32 {
    let (least, most) = if let [least, laid] = turn.laid[..] { (least, most.min(laid)) } else { (1, most) };
    let fitting = turn.counts.chunks_exact(2).filter(|span| span[0] <= most).map(|span| span[1].min(most)).max();
    fitting.filter(|&count| count >= least).unwrap_or(0)
}

fn cut_evenly(cut: CheatCut) -> CheatAction {
    let (size, rest) = (cut.card_count / cut.packet_count, cut.card_count % cut.packet_count);
    CheatAction { sizes: (0..cut.packet_count).map(|index| size + u32::from(index < rest)).collect(), ..act(Kind::Cut) }
}

fn choose_thinnest(choice: &CheatChoose) -> Option<CheatAction> {
    let packet = choice.free.iter().copied().min_by_key(|&packet| choice.sizes[usize::from(packet)])?;
    Some(CheatAction { packet: packet.into(), ..act(Kind::Choose) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_hand(cards: &[u8]) -> Cheat {
        let mut game = Cheat::new(&CheatRuleset { jokers_per_deck: 2, ..CheatRuleset::default() }, 4);
        game.hand = Cards::read(Some(&CheatCards { cards: cards.to_vec(), counted: Vec::new() }));
        game
    }

    #[test]
    fn both_forms_of_cards_are_read() {
        let cards = Cards::read(Some(&CheatCards { cards: vec![0, 52], counted: vec![4, 3, 52, 1] }));
        assert_eq!(cards.each().collect::<Vec<_>>(), [0, 4, 4, 4, 52, 52]);
    }

    #[test]
    fn the_largest_true_play_has_few_jokers() {
        let turn = CheatTurn { ranks: vec![0, 1, 2], counts: vec![1, 2], ..CheatTurn::default() };
        let played = with_hand(&[0, 4, 5, 12, 52]).turn(&turn).unwrap();
        assert_eq!((played.cards, played.rank, played.count), (vec![4, 5], 1, 2));
    }

    #[test]
    fn a_joker_lies_open_only_with_its_rank() {
        let turn =
            CheatTurn { ranks: vec![3], counts: vec![1, 4], face_up: true, can_pass: true, ..CheatTurn::default() };
        assert_eq!(with_hand(&[0, 52]).turn(&turn).unwrap().kind(), Kind::Pass);
        assert_eq!(with_hand(&[12, 52]).turn(&turn).unwrap().cards, [12, 52]);
        assert_eq!(with_hand(&[52]).turn(&turn).unwrap().cards, [52]);
    }

    #[test]
    fn the_smallest_lie_keeps_sets_and_jokers() {
        let turn = CheatTurn { ranks: vec![8, 9], counts: vec![1, 6], ..CheatTurn::default() };
        let mut game = with_hand(&[0, 1, 20, 52]);
        game.hand.0[52] = 0;
        assert_eq!(game.turn(&turn).unwrap().cards, [20]);
        assert_eq!(with_hand(&[0, 1, 20, 52]).smallest_lie(&turn).unwrap().cards, [20]);
    }

    #[test]
    fn it_calls_only_what_cannot_be_true() {
        // Two of the four aces and one of the two jokers are elsewhere: three cards can be true, four cannot.
        let mut game = with_hand(&[0, 1, 52, 8]);
        for (count, kind) in [(3, Kind::Decline), (4, Kind::Call), (0, Kind::Decline)] {
            game.claim = Some(Claim { rank: 0, count, is_miscounted: false });
            assert_eq!(game.doubt(false).kind(), kind, "{count} aces");
        }
    }

    #[test]
    fn a_cut_uses_every_card() {
        assert_eq!(cut_evenly(CheatCut { packet_count: 4, card_count: 54 }).sizes, [14, 14, 13, 13]);
    }
}

"""forecaster: a bot of CHEATER that estimates how each legal answer changes its chance to win, and takes the best one.

1. The bot looks for each missing letter where it may be. Copies in the draw pile and in unknown hands are likely to
   come. Copies in the discard pile or in a known hand are not.
2. The chance of a word is the product of the chances of its missing letters. The strength of a hand is the sum over the
   four colours, and grows with each card that attacks or hides. So the bot keeps two words open while both are likely.
3. The chance to win is the strength of the own hand, divided by the sum of the strengths of all hands.

Where a card is unknown, the bot averages over all cards that it may be.
"""

from collections.abc import Iterator
from itertools import product
from math import exp, inf, prod

from cheatarena import run
from cheatarena.cheater import (
    BUST,
    HIDE,
    TAKE,
    WILD,
    ActOptions,
    Allow,
    Attack,
    Bust,
    Card,
    CheaterBot,
    Discard,
    DiscardOptions,
    Draw,
    Move,
    Pick,
    PickOptions,
    Play,
    Reaction,
    ReactionOptions,
    Table,
    Take,
)
from cheatarena.cheater.cards import CARDS

# These numbers were found by experiment.
CARDS_SEEN = 8  # unseen cards that a seat gets to see before the game is decided
KNOWN_COPY = 0.05  # expected number of times that a copy in a known hand can be taken
DISCARDED_COPY = 0.05  # expected number of times that a discarded copy comes back
ACTION_VALUE = 0.8  # value of a TAKE, HIDE, BUST or WILD, as a share of the value of the hand without it
DENIAL_VALUE = 0.5  # value of a rival's loss, as a share of what it does to the bot's chance
BUSTED_SHARE = 0.2  # share of its strength that a seat keeps after a BUST
SECOND_CARD_VALUE = 0.5  # value of the second card of power 1, as a share of the value of the first
SHOW_VALUE = 1.01  # factor for seeing a hand

COPIES_NEEDED = (1, 1, 2, 1, 1, 1)
"""Number of copies of C H E A T R in a word."""

LETTER_COUNT = len(COPIES_NEEDED)
FIRST_LETTERS = range(0, 4 * LETTER_COUNT, LETTER_COUNT)
"""The card C of each colour; the five other letters follow it."""

Counts = list[int]
"""Number of copies by card."""


def count_cards(cards: tuple[Card, ...]) -> Counts:
    """Return the number of copies of each card."""
    return [cards.count(card) for card in CARDS]


def update_counts(counts: Counts, gained: tuple[Card, ...] = (), lost: tuple[Card, ...] = ()) -> Counts:
    """Return the counts after cards have come and gone."""
    after = counts.copy()
    for card in gained:
        after[card] += 1
    for card in lost:
        after[card] -= 1
    return after


class Strengths:
    """Computes the strength of hands, for given chances to find 0, 1 and 2 copies of each letter card in time."""

    def __init__(self, chances: list[tuple[float, float, float]]) -> None:
        self.chances = chances
        self.words: dict[tuple[int, ...], float] = {}  # the hands of a decision differ in few letters

    def of(self, counts: Counts) -> float:
        """Return the strength of a hand; infinite for a hand that wins."""
        words = sum([self.word_chance(first, counts[first : first + LETTER_COUNT]) for first in FIRST_LETTERS])
        actions = counts[TAKE] + counts[HIDE] + counts[BUST] + counts[WILD]
        return float((words * (1 + ACTION_VALUE * actions)) ** 0.5)

    def word_chance(self, first: int, letters: Counts) -> float:
        """Return the chance to complete the word whose first letter is `first`; infinite for a complete word."""
        known = self.words.get((first, *letters))
        if known is not None:
            return known
        lacking = [needed - held for needed, held in zip(COPIES_NEEDED, letters, strict=True)]
        missing = [self.chances[first + letter][number] for letter, number in enumerate(lacking) if number > 0]
        self.words[first, *letters] = chance = prod(missing) if missing else inf
        return chance


class Forecast:
    """What the bot knows at one decision, as chances."""

    def __init__(self, table: Table) -> None:
        self.hand = count_cards(table.hand)
        self.discards = count_cards(table.discards)
        self.unseen = [table.unseen(card) for card in CARDS]
        self.known = {seat: count_cards(table.known_cards(seat)) for seat in table.others}
        self.unknown = {seat: table.hand_sizes[seat] - sum(known) for seat, known in self.known.items()}
        self.unseen_count = max(sum(self.unseen), 1)
        self.drawable = self.unseen if any(self.unseen) else self.discards  # these come back when no card is left
        letters = [card for card in CARDS if card.is_letter]
        self.own = Strengths([self.find_chances(card) for card in letters])
        self.rival = {seat: Strengths([self.hold_chances(seat, card) for card in letters]) for seat in self.known}
        self.rivals = {seat: self.rival[seat].of(known) for seat, known in self.known.items()}

    def find_chances(self, card: Card) -> tuple[float, float, float]:
        """Return the chances to find 0, 1 and 2 copies in time, by the Poisson distribution."""
        known = sum(counts[card] for counts in self.known.values())
        mean = CARDS_SEEN * self.unseen[card] / self.unseen_count
        mean += KNOWN_COPY * known + DISCARDED_COPY * self.discards[card]
        none = exp(-mean)
        return 1, 1 - none, 1 - none * (1 + mean)

    def hold_chances(self, seat: int, card: Card) -> tuple[float, float, float]:
        """Return the chances that a seat holds the missing copies among its unknown cards, or finds them in time."""
        held = self.share(seat, card)
        one, two = (held + (1 - held) * chance for chance in self.own.chances[card][1:])
        return 1, one, two

    def share(self, seat: int, card: Card) -> float:
        """Return the chance that a certain card is among the unknown cards of a seat."""
        return min(self.unknown[seat] * self.unseen[card] / self.unseen_count, 0.95)

    def win_chance(self, own: float, rival: int | None = None, rival_strength: float = 0) -> float:
        """Return the bot's chance to win, if its strength is `own`, and perhaps that of a rival has changed."""
        if own == inf:
            return 1
        others = sum(self.rivals.values())
        if rival is not None:
            others += DENIAL_VALUE * (rival_strength - self.rivals[rival])
        return own / (own + others)

    def kept_strengths(self) -> list[float]:
        """Return the strength after each card that may come, if the bot then discards its least useful card."""
        return [
            max(self.own.of(update_counts(more, lost=(gone,))) for gone in CARDS if more[gone])
            for more in (update_counts(self.hand, (card,)) for card in CARDS)
        ]

    def played_strengths(self, played: Card) -> list[float]:
        """Return the strength after each card that may come in place of a played card."""
        return [self.own.of(update_counts(self.hand, (card,), (played,))) for card in CARDS]

    def after_draw(self, strengths: list[float], rival: int | None = None, rival_strength: float = 0) -> float:
        """Return the chance to win after a draw, given the strength that each card leads to."""
        chances = (self.win_chance(own, rival, rival_strength) for own in strengths)
        return sum(number * chance for number, chance in zip(self.drawable, chances, strict=True)) / sum(self.drawable)

    def after_take(self, strengths: list[float], seat: int) -> float:
        """Return the chance to win after taking the best card of a seat, given the strength that each card leads to.

        The cards are looked for in the order of their value. The chance of each one counts if no better card is there.
        """
        known, rival = self.known[seat], self.rivals[seat]
        found = [(self.win_chance(min(strengths), seat, rival), 1.0)]  # the worst card, if there is no other
        for card in CARDS:
            if known[card]:
                rest = self.rival[seat].of(update_counts(known, lost=(card,)))
                found.append((self.win_chance(strengths[card], seat, rest), 1))
            else:
                found.append((self.win_chance(strengths[card], seat, rival), self.share(seat, card)))
        chance, left = 0.0, 1.0
        for win, held in sorted(found, reverse=True):
            chance += left * held * win
            left *= 1 - held
        return chance

    def unless_hidden(self, seat: int, success: float, hidden: float) -> float:
        """Return the chance to win after an attack, from the chances after a success and after a seat has hidden."""
        if self.known[seat][HIDE] or self.known[seat][WILD]:
            return hidden
        hiding = (self.unseen[HIDE] + self.unseen[WILD]) / self.unseen_count
        shown = float((1 - hiding) ** self.unknown[seat])
        return shown * success + (1 - shown) * hidden


class Forecaster(CheaterBot):
    def act(self, table: Table, options: ActOptions) -> Move:
        forecast = Forecast(table)
        kept = forecast.kept_strengths()
        now = forecast.win_chance(forecast.own.of(forecast.hand))
        draw = forecast.after_draw(kept)
        values: dict[Move, float] = {Draw(): draw}
        if two := options.draw_two():
            values[two] = draw + SECOND_CARD_VALUE * (draw - now)
        if table.top is not None and (top := options.take_top()):
            values[top] = forecast.win_chance(kept[table.top])
        for seat in options.targets:
            if demand := options.attack(Attack.DEMAND, seat):
                values[demand] = forecast.unless_hidden(seat, forecast.after_take(kept, seat), now)
        return max([*values.items(), *self.plays(forecast, options)], key=lambda item: item[1])[0]

    def plays(self, forecast: Forecast, options: ActOptions) -> Iterator[tuple[Move, float]]:
        """Yield the attacks with a card, each with the bot's chance to win."""
        played = {card: forecast.played_strengths(card) for card in options.playable}
        for attack, seat in product((Attack.TAKE, Attack.BUST, Attack.SHOW), options.targets):
            play = options.attack(attack, seat)
            if not isinstance(play, Play):
                continue
            strengths = played[play.card]
            hidden = forecast.after_draw(strengths)
            if attack is Attack.TAKE:
                success = forecast.after_take(strengths, seat)
            elif attack is Attack.BUST:
                success = forecast.after_draw(strengths, seat, BUSTED_SHARE * forecast.rivals[seat])
            else:
                success = hidden * SHOW_VALUE
            yield play, forecast.unless_hidden(seat, success, hidden)

    def discard(self, table: Table, options: DiscardOptions) -> Discard:
        forecast = Forecast(table)
        kept = {choice: update_counts(forecast.hand, lost=choice.cards) for choice in options.choices()}
        return max(kept, key=lambda choice: forecast.own.of(kept[choice]))

    def reaction(self, table: Table, options: ReactionOptions) -> Reaction:
        return options.hide() or Allow()

    def pick(self, table: Table, options: PickOptions) -> Pick:
        """Pick the cards that improve the own hand or spoil the shown hand most."""
        forecast = Forecast(table)
        return max(options.choices(), key=lambda pick: self.pick_value(forecast, options.target, pick))

    def pick_value(self, forecast: Forecast, target: int, pick: Pick) -> float:
        """Return the bot's chance to win after a pick."""
        gained, lost = ((), pick.cards) if isinstance(pick, Bust) else ((pick.card,), (pick.card,))
        gone = (pick.discard,) if isinstance(pick, Take) and pick.discard is not None else ()
        own = forecast.own.of(update_counts(forecast.hand, gained, gone))
        rival = forecast.rival[target].of(update_counts(forecast.known[target], lost=lost))
        return forecast.win_chance(own, target, rival)


if __name__ == "__main__":
    run(Forecaster)

"""Counts each seat's attacks in a game of CHEATER, the results of these attacks, and the seats attacked.

CHEATER has no claims and no calls, so there are no lies to count. Colluding seats attack other seats instead of each
other.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.games.cheater.rules.actions import Attack
from arena.games.cheater.rules.cards import COLORS, LETTERS
from arena.replays.analytics.bot_figures import CommonFigures, Ratio, common_figures, padded_counts, single_count
from arena.replays.analytics.counts import Counts, SeatAnalytics, drop_zeros
from arena.replays.analytics.expected_calls import ChanceCounter
from arena.replays.analytics.game_analytics import above_mean

ATTACKS: Final = tuple(attack.value for attack in Attack)


class CheaterAnalyzer:
    def __init__(self, terms: Mapping[str, Any]) -> None:
        """Prepare for a game under these terms, which have the form of the terms in a match's row."""
        seat_count = len(terms["entrants"])
        self._active = set(range(seat_count))
        self._attack: tuple[int, int] = (0, 0)
        """The attacking seat and the kind of the latest attack."""
        self._luck = [0.0] * seat_count
        self._counts = [Counter[str]() for _ in range(seat_count)]
        self._attacks = [[0] * len(ATTACKS) for _ in range(seat_count)]
        self._hidden = [[0] * len(ATTACKS) for _ in range(seat_count)]
        self._choices = [ChanceCounter(seat_count) for _ in range(seat_count)]

    def apply_event(self, name: str, fields: Mapping[str, Any]) -> None:
        match name:
            case "Dealt":
                self._luck = cheater_luck(fields["hands"])
            case "Rolled":
                counts, dice = self._counts[fields["seat"]], fields["dice"]
                counts["turns"] += 1
                counts["turns_lost"] += fields["is_lost"]
                counts["markers"] += dice[0] == dice[1] and not fields["is_lost"]
            case "Attacked":
                self._on_attacked(fields["seat"], fields["target"], ATTACKS.index(fields["attack"]))
            case "Hidden":
                self._counts[fields["seat"]]["hides"] += 1
                self._hidden[self._attack[0]][self._attack[1]] += 1
            case "Taken":
                self._count_lost_cards(fields, 1)
            case "Busted":
                self._count_lost_cards(fields, len(fields["cards"]))
            case "SeatLeft":
                self._active.discard(fields["seat"])
            case _:
                pass

    def seat_analytics(self) -> tuple[SeatAnalytics, ...]:
        return tuple(
            SeatAnalytics(drop_zeros(self._seat_counts(seat)), choices.treatments())
            for seat, choices in enumerate(self._choices)
        )

    def _on_attacked(self, seat: int, target: int, attack: int) -> None:
        self._attack = seat, attack
        self._attacks[seat][attack] += 1
        self._counts[target]["attacks_suffered"] += 1
        others = self._active - {seat}
        if len(others) > 1:
            self._choices[seat].add_choice(sorted(others), target)

    def _count_lost_cards(self, event: Mapping[str, Any], number: int) -> None:
        self._counts[event["seat"]]["cards_won"] += number
        self._counts[event["target"]]["cards_lost"] += number

    def _seat_counts(self, seat: int) -> dict[str, list[float]]:
        luck = self._luck[seat]
        return {
            "games": [1],
            "luck": [luck],
            "luck_squared": [luck * luck],
            "attacks": [*self._attacks[seat]],
            "attacks_hidden": [*self._hidden[seat]],
            **{name: [number] for name, number in self._counts[seat].items()},
        }


CHEATER_LETTERS = [LETTERS.index(letter) for letter in "CHEATER"]


def cheater_luck(hands: Sequence[Sequence[int]]) -> list[float]:
    """Return the luck of each seat: how many letters of CHEATER its hand has, minus the mean of the deal's hands.

    The letters of a hand are counted in its best colour. Hands are lists of card codes.
    """
    return above_mean([max(_letters(hand, color) for color in range(len(COLORS))) for hand in hands])


def _letters(hand: Sequence[int], color: int) -> int:
    """Return how many letters of CHEATER a hand has in this colour."""
    codes = [color * len(LETTERS) + letter for letter in CHEATER_LETTERS]
    return sum(min(hand.count(code), codes.count(code)) for code in set(codes))


@dataclass(frozen=True, slots=True)
class CheaterFigures:
    """How a bot attacks and hides in CHEATER."""

    play: CommonFigures
    attacks: Ratio
    """Attacks per turn."""
    attacks_by_kind: Mapping[str, Ratio]
    """Share of each kind among the bot's attacks."""
    hidden_by_kind: Mapping[str, Ratio]
    """For each kind, the share of the bot's attacks that failed because the victim hid its hand."""
    hides: Ratio
    """Share of the attacks on the bot in which the bot hid its hand."""
    cards_an_attack: Ratio
    """Mean number of cards that an attack of the bot took or discarded from the victim's hand."""
    cards_lost: Ratio
    """Mean number of cards that the bot lost in a game to attacks of others."""
    markers: Ratio
    """How many times the bot became the CHEATER, per game."""


def cheater_figures(counts: Counts) -> CheaterFigures:
    attacks, hidden = (padded_counts(counts, name, len(ATTACKS)) for name in ("attacks", "attacks_hidden"))
    games = single_count(counts, "games")
    return CheaterFigures(
        play=common_figures(counts),
        attacks=Ratio(sum(attacks), single_count(counts, "turns")),
        attacks_by_kind={kind: Ratio(number, sum(attacks)) for kind, number in zip(ATTACKS, attacks, strict=True)},
        hidden_by_kind=dict(zip(ATTACKS, map(Ratio, hidden, attacks), strict=True)),
        hides=Ratio(single_count(counts, "hides"), single_count(counts, "attacks_suffered")),
        cards_an_attack=Ratio(single_count(counts, "cards_won"), sum(attacks)),
        cards_lost=Ratio(single_count(counts, "cards_lost"), games),
        markers=Ratio(single_count(counts, "markers"), games),
    )

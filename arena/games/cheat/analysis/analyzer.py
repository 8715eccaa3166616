"""Counts each seat's lies and calls in a game of the Cheat family, the cards taken after its calls, and whom it called.

A *lie* is a card move that differs from its claim. Lie rates leave out the moves that cannot be lies: moves of no cards
and face-up openings. A chance to call is a claim that a seat was asked about. In the sealed pace, a call that is
overruled, because a nearer seat called too, still counts.

A wrong call costs the cards that the caller takes, because a decline would have cost none. Other effects, such as a win
of the accused or the later use of the cards taken, are not counted.

The counters of a seat:

* `games`, `luck` and `luck_squared`;
* `claims_by_*` and `lies_by_*`, by rank, count and pile;
* `made`, its own claims, split by whether they are true and whether any seat called them;
* `faced`, the claims of other seats that it was asked about, split by whether they are true and whether it called them;
* `judged`, its calls that were judged, and `judged_cards`, the cards taken after these calls;
* `decisions` and `think_s`, added by `match_analytics`: its answers in the whole match, late ones included, and the
  time that they took.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.games.cheat.analysis.tracking import CardTracker, OpenClaim
from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.cards import JOKER, RANKS
from arena.replays.analytics.counts import SeatAnalytics, drop_zeros
from arena.replays.analytics.expected_calls import ChanceCounter
from arena.replays.analytics.game_analytics import above_mean

RANK_BANDS: Final = tuple(RANKS)
COUNT_BANDS: Final = ("1", "2", "3", "4", "5", "6", "7+")
"""Number of cards claimed."""
PILE_BANDS: Final = ("0", "1-4", "5-9", "10-19", "20-39", "40+")
"""Number of cards on the pile before the claim."""
_PILE_EDGES = (1, 5, 10, 20, 40)

TRUE, TRUE_CALLED, LIE, LIE_CALLED = range(4)
"""Indexes into `made` and `faced`. They say whether the claim is a lie, and whether it was called."""
WRONG, RIGHT = range(2)
"""Indexes into `judged` and `judged_cards`."""

_WIDTH = max(len(RANK_BANDS), len(COUNT_BANDS), len(PILE_BANDS))


class CheatAnalyzer:
    def __init__(self, terms: Mapping[str, Any]) -> None:
        """Prepare for a game under these terms, which have the form of the terms in a match's row."""
        rules = terms["ruleset"]
        seats = range(len(terms["entrants"]))
        self._is_sealed = terms["pace"]["style"] == "sealed"
        self._asks_all = rules["any_caller"] and rules["call_mode"] == "window"
        self._believes = rules["believe"]
        self._counts = [defaultdict[str, list[float]](lambda: [0] * _WIDTH, {"games": [1]}) for _ in seats]
        self._choices = [ChanceCounter(len(seats)) for _ in seats]
        self._table = CardTracker([[0] * 53 for _ in seats])
        self._claim: OpenClaim | None = None
        """The last claim, as long as it can be called."""
        self._skips = rules["passing"] in ("pass_trick", "single_turn")
        self._moves_once = rules["passing"] == "single_turn"
        self._out_of_trick = set[int]()
        """Seats that get no turn until the trick ends."""
        self._leader: int | None = None
        """The leader of the trick that starts after the last claim; None if the trick continues."""
        self._handlers = {
            "Dealt": self._on_dealt,
            "Played": self._on_played,
            "Passed": self._on_passed,
            "TrickEnded": self._on_trick_ended,
            "FinalWindowOpened": self._on_final_window_opened,
            "Called": self._on_called,
            "Believed": self._on_believed,
            "Overruled": self._on_overruled,
            "HandChecked": self._on_hand_checked,
            "PileBanished": self._on_pile_banished,
            "SeatLeft": self._on_seat_left,
        }
        """The handler of each event that affects the counts."""

    def apply_event(self, name: str, fields: Mapping[str, Any]) -> None:
        handler = self._handlers.get(name)
        if handler is not None:
            handler(fields)

    def seat_analytics(self) -> tuple[SeatAnalytics, ...]:
        self._close_claim()
        return tuple(
            SeatAnalytics(drop_zeros(counts), choices.treatments())
            for counts, choices in zip(self._counts, self._choices, strict=True)
        )

    # ---- event handlers

    def _on_dealt(self, event: Mapping[str, Any]) -> None:
        self._table = CardTracker(event["hands"])
        for counts, luck in zip(self._counts, cheat_luck(event["hands"]), strict=True):
            counts["luck"], counts["luck_squared"] = [luck], [luck * luck]

    def _on_played(self, event: Mapping[str, Any]) -> None:
        seat, rank, count, cards = event["seat"], event["rank"], event["count"], event["cards"]
        self._ask(seat)
        self._close_claim()
        is_lie = not is_truthful(bytes(cards), count, rank)
        if count and not event["face_up"]:
            self._count_claim(seat, rank, count, is_lie)
        self._table.lay_cards(seat, cards)
        self._leader = None
        if self._moves_once:
            self._out_of_trick.add(seat)
        if not event["face_up"]:
            strata = self._table.claim_strata(seat, rank, count, is_lie)
            self._claim = OpenClaim(seat, is_lie, strata, self._asks_all, self._is_sealed)

    def _on_passed(self, event: Mapping[str, Any]) -> None:
        self._ask(event["seat"])
        if self._skips:
            self._out_of_trick.add(event["seat"])

    def _on_trick_ended(self, event: Mapping[str, Any]) -> None:
        self._out_of_trick.clear()
        self._leader = event["leader"]

    def _on_final_window_opened(self, event: Mapping[str, Any]) -> None:
        """If seats are asked one by one, record that the final window asks the seat that would move next."""
        following = self._table.next_active(event["mover"], self._out_of_trick)
        self._ask(following if self._leader is None else self._leader)

    def _on_called(self, event: Mapping[str, Any]) -> None:
        if self._claim is not None:
            self._claim.record_call(event["caller"])
        counts = self._counts[event["caller"]]
        counts["judged"][event["right"]] += 1
        counts["judged_cards"][event["right"]] += sum(event["taken"])
        self._table.take_pile(event["taker"], event["taken"])

    def _on_believed(self, event: Mapping[str, Any]) -> None:
        if self._claim is not None:
            self._claim.record_believe(event["believer"])
        if event["right"]:
            self._table.pile = 0
        else:
            self._table.take_pile(event["believer"], event["pile"])

    def _on_overruled(self, event: Mapping[str, Any]) -> None:
        """Record an overruled call. If the ruleset has believing, drop the seat's answer: it may have been a belief."""
        if self._claim is not None:
            record = self._claim.withdraw if self._believes else self._claim.record_call
            record(event["seat"])

    def _on_hand_checked(self, event: Mapping[str, Any]) -> None:
        """Drop the claim, because no seat could call a checked move."""
        self._claim = None
        if not event["is_true"]:
            self._table.take_pile(event["seat"], event["pile"])

    def _on_pile_banished(self, _: Mapping[str, Any]) -> None:
        self._table.pile = 0

    def _on_seat_left(self, event: Mapping[str, Any]) -> None:
        """Remove the hand of the seat that left, and the seat's part in an open claim.

        If the seat made the claim, drop the claim, because nobody can call it any more. Otherwise drop the seat's
        chance to call it. A claim that a seat has already called or believed stays as it is.
        """
        seat, claim = event["seat"], self._claim
        self._table.remove_hand(seat, event["cards"])
        if claim is not None and not claim.is_judged:
            claim.withdraw(seat)
            self._claim = None if claim.seat == seat else claim

    # ---- counting

    def _count_claim(self, seat: int, rank: int, count: int, is_lie: bool) -> None:
        """Count a claim before its cards are laid."""
        counts = self._counts[seat]
        band, pile = min(count, len(COUNT_BANDS)) - 1, bisect_right(_PILE_EDGES, self._table.pile)
        counts["claims_by_rank"][rank] += 1
        counts["claims_by_count"][band] += 1
        counts["claims_by_pile"][pile] += 1
        if is_lie:
            counts["lies_by_rank"][rank] += 1
            counts["lies_by_count"][band] += 1
            counts["lies_by_pile"][pile] += 1

    def _ask(self, seat: int) -> None:
        """If seats are asked one by one, record that this seat is asked about the last claim."""
        if self._claim is not None and not self._asks_all:
            self._claim.add_asked(seat)

    def _close_claim(self) -> None:
        """Count the result of the last claim, which can no longer be called."""
        claim, self._claim = self._claim, None
        if claim is None or not claim.is_asked:
            return
        kind = LIE if claim.is_lie else TRUE
        self._counts[claim.seat]["made"][kind + claim.is_called] += 1
        for seat, stratum, is_call in claim.call_chances():
            self._counts[seat]["faced"][kind + is_call] += 1
            if claim.has_rivals:
                self._choices[seat].add_chance(stratum, claim.seat, is_call)


def cheat_luck(hands: Sequence[Sequence[int]]) -> list[float]:
    """Return the luck of each seat: how many fewer moves its hand needs than the hands of the deal need on average.

    A hand needs one true move for each of its ranks, if all cards of a rank are laid in one move. Jokers go along with
    any rank. Hands are counts by card code.
    """
    return above_mean([-_moves_needed(hand) for hand in hands])


def _moves_needed(hand: Sequence[int]) -> int:
    ranks = sum(any(hand[first : first + 4]) for first in range(0, JOKER, 4))
    return ranks or bool(hand[JOKER])

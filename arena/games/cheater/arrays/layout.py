"""What each value of an observation of CHEATER, and each action, means."""

from typing import Final

from arena.games.arrays import Layout, LayoutRow
from arena.games.cheater.rules.actions import Attack
from arena.games.cheater.rules.cards import BUST, CODE_COUNT, HIDE, SHOW, TAKE, WILD

MAX_SEATS: Final = 10
OTHERS: Final = MAX_SEATS - 1
MOVE_COUNT: Final = 16
"""Number of public steps that an observation remembers."""
STEPS: Final = "steps"

PLAYS: Final = (
    (TAKE, None),
    (SHOW, None),
    (BUST, None),
    (WILD, Attack.TAKE),
    (WILD, Attack.SHOW),
    (WILD, Attack.BUST),
)
"""The ways to play a card at another seat: the card, and what a WILD stands for."""
HIDING: Final = (HIDE, WILD)

_CARDS: Final = "24 letters, R Y P B with C H E A T R each, then TAKE SHOW HIDE BUST WILD"

OBSERVATION: Final = Layout(
    [
        LayoutRow("hand", CODE_COUNT, f"own cards: {_CARDS}"),
        LayoutRow("chosen", CODE_COUNT, "the cards that the seat has chosen for its present answer so far"),
        LayoutRow("phase", 4, "one of: act, discard, reaction, pick; all 0 when the game is over"),
        LayoutRow("seats", 1, "number of seats"),
        LayoutRow("places", MAX_SEATS, "place of each seat; 0 while it plays"),
        LayoutRow("turn", MAX_SEATS, "1 for the seat in turn"),
        LayoutRow("marker", MAX_SEATS, "1 for the CHEATER; all 0 if the marker lies in the centre"),
        LayoutRow("dice", 2, "the dice of this turn"),
        LayoutRow("attack", 4, "one of: TAKE, SHOW, BUST, power 3; all 0 without an attack"),
        LayoutRow("target", MAX_SEATS, "1 for the attacked seat"),
        LayoutRow("die", 1, "the die of a BUST"),
        LayoutRow("draw_pile", 1, "cards in the draw pile"),
        LayoutRow("top", CODE_COUNT, "1 for the top card of the discards"),
        LayoutRow("discards", CODE_COUNT, "all discards, the top card too"),
        LayoutRow("known", OTHERS * CODE_COUNT, "for each other seat clockwise: the cards of its hand that all know"),
        LayoutRow("move_seat", MOVE_COUNT, "the last public steps, newest first: seat from 1; 0 if there was none"),
        LayoutRow(
            "move_kind",
            MOVE_COUNT,
            "the same: 1 lost its turn, 2 became the CHEATER, 3 took the top, 4 discarded, 5 TAKE, 6 SHOW, 7 BUST, "
            "8 power 3, 9 hid, 10 took a card, 11 discarded a card of the target",
        ),
        LayoutRow("move_target", MOVE_COUNT, "the same: attacked seat from 1; 0 if there was none"),
        LayoutRow("move_card", MOVE_COUNT, "the same: card from 1; 0 if there was none"),
        LayoutRow("progress", 1, "ended turns, as a part of max_turns, from 0 to 127"),
        LayoutRow("option_titles", 1, "the option titles"),
    ]
)
"""Seats are counted clockwise from the observer, which is seat 0. Rows by seat have ten values; unused ones are 0."""

ACTIONS: Final = {
    STEPS: Layout(
        [
            LayoutRow("draw", 1, "draw a card, then discard one"),
            LayoutRow("draw_two", 1, "power 1: draw two cards, then discard two"),
            LayoutRow("take_top", 1, "power 2: take the top discard, then discard a card"),
            LayoutRow("demand", OTHERS, "power 3 at a seat, clockwise from the next one"),
            LayoutRow(
                "play", len(PLAYS) * OTHERS, "TAKE, SHOW, BUST, or WILD as one of them at a seat: 9 x card + seat"
            ),
            LayoutRow("allow", 1, "let the attacker see the hand"),
            LayoutRow("hide", len(HIDING), "hide the hand with HIDE, or with WILD"),
            LayoutRow("card", CODE_COUNT, "choose one card to discard or to take; several one by one, in their order"),
            LayoutRow("done", 1, "a BUST discards no further card"),
        ]
    )
}

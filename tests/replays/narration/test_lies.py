"""Replays that somebody has changed: a bit anywhere, or one thing with the digest made right again.

The digest protects nothing by itself: every part is worked out again, with the arena and without it.
"""

import json
import os
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest

from arena.games.cheat.rules.game import CHEAT
from arena.games.cheater.rules.game import CHEATER
from arena.replays.proof.replay_document import DamagedReplayError, decode_document
from tests.replays.narration.random_match import Doc, fault_alone, faults, with_fresh_digest
from tests.replays.proof.test_proof_of_games import match

SOAK = int(os.environ.get("VERIFY_SOAK", "100"))
"""So many bits are changed; `make verify-soak` changes 1 000."""

HOUSE = {
    "deal": "cut_and_choose",
    "believe": True,
    "banish_on_new_trick": True,
    "count_lies": True,
    "max_turns": 100,
}
"""With the preset rank_lock, which checks hands: everything that folk has not."""

Event = dict[str, Any]
Lie = Callable[[Doc], None]
Fits = Callable[[Event], bool]


@cache
def replay(kind: str) -> bytes:
    """A match in which everything happens that the lies are about."""
    match kind:
        case "folk":
            agreed = {"preset": "folk", "options": {"max_turns": 150}, "games": 2, "leaving": 0.004}
            return match_of(CHEAT, 5, agreed)
        case "house":
            return match_of(CHEAT, 2, {"preset": "rank_lock", "options": HOUSE, "games": 3})
        case _:
            return match_of(CHEATER, 1, {"options": {"max_turns": 400}, "games": 2, "leaving": 0.003})


def match_of(game: Any, seed: int, agreed: dict[str, Any]) -> bytes:
    return match(game, 4, seed, **agreed).play().file()


def flipped(raw: bytes, bit: int) -> bytes:
    changed = bytearray(raw)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folk", "house", "cheater"])
def test_no_bit_can_be_changed(kind):
    """The changes are at seeded random places anywhere in the file; both programs refuse it."""
    raw = replay(kind)

    for bit in Random(7).sample(range(len(raw) * 8), SOAK):
        with pytest.raises(DamagedReplayError):
            decode_document(flipped(raw, bit))
        assert fault_alone(flipped(raw, bit))


def fits_all(event: Event) -> bool:
    """Whatever it says."""
    return True


def place_of(document: Doc, name: str, fits: Fits = fits_all) -> int:
    """Where the first such event is. Raises StopIteration where there is none."""
    return next(at for at, (_, kind, e) in enumerate(document["events"]) if kind == name and fits(e))


def change(name: str, field: str, new: Callable[[Any], Any], fits: Fits = fits_all) -> Lie:
    """Something else in one field of the first such event."""

    def lie(document: Doc) -> None:
        event = document["events"][place_of(document, name, fits)][2]
        before = json.dumps(event[field])
        event[field] = new(event[field])
        assert json.dumps(event[field]) != before

    return lie


def drop(name: str, fits: Fits = fits_all) -> Lie:
    return lambda document: document["events"].pop(place_of(document, name, fits))


def repeat(name: str, fits: Fits = fits_all) -> Lie:
    def lie(document: Doc) -> None:
        at = place_of(document, name, fits)
        document["events"].insert(at, document["events"][at])

    return lie


def swap_with_next(name: str) -> Lie:
    def lie(document: Doc) -> None:
        events, at = document["events"], place_of(document, name)
        events[at], events[at + 1] = events[at + 1], events[at]

    return lie


def draw(purpose: str, new: Callable[[list[int]], list[int]]) -> Lie:
    """Other values of the first such draw."""

    def lie(document: Doc) -> None:
        drawn = next(each for each in document["draws"] if each["purpose"] == purpose)
        drawn["values"] = new(drawn["values"])

    return lie


def drop_draw(purpose: str) -> Lie:
    def lie(document: Doc) -> None:
        at = next(at for at, each in enumerate(document["draws"]) if each["purpose"] == purpose)
        document["draws"].pop(at)

    return lie


def play_of_another(document: Doc) -> None:
    """A card that its seat does not hold, and that another one does."""
    hands = document["events"][place_of(document, "Dealt")][2]["hands"]
    played = document["events"][place_of(document, "Played", lambda e: bool(e["cards"]))][2]
    held = hands[played["seat"]]
    played["cards"][0] = next(code for code in range(52) if not held[code])


def claim_before_a_call(document: Doc) -> None:
    """The claim of a move that was called rightly was another, as if it had been true."""
    events = document["events"]
    called = place_of(document, "Called", lambda e: e["right"] and len({code // 4 for code in e["cards"]}) == 1)
    played = next(e for _, name, e in reversed(events[:called]) if name == "Played")
    played["rank"], played["count"] = played["cards"][0] // 4, len(played["cards"])


def open_the_called(document: Doc) -> None:
    """The move that was called lay open."""
    called = place_of(document, "Called")
    next(e for _, name, e in reversed(document["events"][:called]) if name == "Played")["face_up"] = True


def another_winner(document: Doc) -> None:
    """In the event, the result and the sums: all agree."""
    ended = document["events"][place_of(document, "GameEnded")][2]
    winner, other = ended["places"].index(1), ended["places"].index(2)
    ended["places"][winner], ended["places"][other] = 2, 1
    places = document["results"][ended["game"]]["places"]
    first, second = ended["entrants"][winner], ended["entrants"][other]
    places[first], places[second] = 2, 1
    sums = document["events"][place_of(document, "MatchEnded")][2]["place_sums"]
    sums[first], sums[second] = sums[first] + 1, sums[second] - 1


def swapped_hands(hands: Any) -> Any:
    return [hands[1], hands[0], *hands[2:]]


def swapped_card(hands: Any) -> Any:
    """Two seats have each other's card; for hands as lists of codes."""
    mine, yours = sorted([*hands[0][1:], hands[1][0]]), sorted([*hands[1][1:], hands[0][0]])
    return [mine, yours, *hands[2:]]


def swapped_count(hands: Any) -> Any:
    """Two seats have each other's card; for hands as counts."""
    own = next(code for code in range(53) if hands[0][code] > hands[1][code])
    other = next(code for code in range(53) if hands[1][code] > hands[0][code])
    for seat, gone, new in ((0, own, other), (1, other, own)):
        hands[seat][gone] -= 1
        hands[seat][new] += 1
    return hands


def next_code(cards: Any) -> Any:
    return [(cards[0] + 4) % 24, *cards[1:]]


def one_less(counts: Any) -> Any:
    """A pile or hand without one of its cards."""
    at = next(code for code, count in enumerate(counts) if count)
    return [*counts[:at], counts[at] - 1, *counts[at + 1 :]]


def has_cards(event: Event) -> bool:
    return bool(event["cards"])


def back(values: Any) -> Any:
    return [*reversed(values)]


def turn(is_so: Any) -> Any:
    return not is_so


def next_seat(seat: Any) -> Any:
    return (seat + 1) % 4


def next_face(value: Any) -> Any:
    return value % 6 + 1


def put(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


CHEAT_LIES: dict[str, tuple[str, Lie]] = {
    "hands": ("folk", change("Dealt", "hands", swapped_hands)),
    "card-swapped-in-a-hand": ("folk", change("Dealt", "hands", swapped_count)),
    "first-mover": ("folk", change("Dealt", "first", next_seat)),
    "dealer": ("folk", change("Dealt", "dealer", next_seat)),
    "cut-hands": ("house", change("Dealt", "hands", swapped_hands)),
    "cut": ("house", change("DeckCut", "sizes", lambda sizes: [sizes[0] + 1, sizes[1] - 1, *sizes[2:]])),
    "who-cut": ("house", change("DeckCut", "dealer", next_seat)),
    "packet": ("house", change("PacketChosen", "packet", next_seat)),
    "who-chose": ("house", change("PacketChosen", "seat", next_seat)),
    "play-of-a-card-not-held": ("folk", play_of_another),
    "fewer-cards-played": ("folk", change("Played", "cards", lambda cards: cards[1:], has_cards)),
    "who-played": ("folk", change("Played", "seat", next_seat)),
    "emptied": ("folk", change("Played", "emptied", turn)),
    "claim": ("folk", claim_before_a_call),
    "open-move": ("folk", open_the_called),
    "called-cards": ("folk", change("Called", "cards", next_code, has_cards)),
    "verdict": ("folk", change("Called", "right", turn)),
    "accused": ("folk", change("Called", "accused", next_seat)),
    "taker": ("folk", change("Called", "taker", next_seat)),
    "taken-pile": ("folk", change("Called", "taken", one_less)),
    "belief": ("house", change("Believed", "right", turn)),
    "believed-cards": ("house", change("Believed", "cards", next_code, has_cards)),
    "believed-pile": ("house", change("Believed", "pile", one_less)),
    "checked-hand": ("house", change("HandChecked", "is_true", turn)),
    "checked-pile": ("house", change("HandChecked", "pile", one_less)),
    "banished-pile": ("house", change("PileBanished", "cards", one_less)),
    "banished-after-the-play": ("house", swap_with_next("PileBanished")),
    "nothing-banished": ("house", drop("PileBanished")),
    "leavers-cards": ("folk", change("SeatLeft", "cards", one_less)),
    "leavers-place": ("folk", change("SeatLeft", "place", lambda place: place - 1)),
    "nobody-left": ("folk", drop("SeatLeft")),
    "place": ("folk", change("SeatPlaced", "place", lambda place: 3 - place)),
    "who-was-placed": ("house", change("SeatPlaced", "seat", next_seat)),
    "another-winner": ("folk", another_winner),
    "place-sums": ("folk", change("MatchEnded", "place_sums", back)),
    "seats": ("folk", change("GameStarted", "entrants", back)),
    "forfeit": ("folk", change("GameEnded", "termination", put("forfeit"))),
    "play-dropped": ("folk", drop("Played", has_cards)),
    "play-repeated": ("house", repeat("Played", has_cards)),
    "call-repeated": ("folk", repeat("Called")),
    "deck": ("folk", draw("deck", back)),
    "draw-dropped": ("house", drop_draw("deck")),
}

CHEATER_LIES: dict[str, Lie] = {
    "hands": change("Dealt", "hands", swapped_hands),
    "card-swapped-in-a-hand": change("Dealt", "hands", swapped_card),
    "top": change("Dealt", "top", lambda card: (card + 1) % 29),
    "cards-to-draw": change("Dealt", "draw_count", lambda count: count - 1),
    "start-dice": change("StartRolled", "rolls", lambda rolls: [[rolls[0][0], [7, 7]], *rolls[1:]]),
    "who-starts": change("StartRolled", "first", next_seat),
    "dice": change("Rolled", "dice", lambda dice: [next_face(dice[0]), dice[1]]),
    "who-rolls": change("Rolled", "seat", next_seat),
    "marker": change("Rolled", "cheater", next_seat, lambda e: e["cheater"] is not None),
    "lost-turn": change("Rolled", "is_lost", turn, lambda e: e["is_lost"]),
    "drawn-card": change("Drew", "cards", next_code, has_cards),
    "order-of-draws": change("Drew", "cards", back, lambda e: len(set(e["cards"])) > 1),
    "who-drew": change("Drew", "seat", next_seat),
    "draw-dropped": drop("Drew"),
    "top-taken": change("TookTop", "card", lambda card: (card + 1) % 29),
    "who-took-the-top": change("TookTop", "seat", next_seat),
    "discard-of-a-card-not-held": change("Discarded", "cards", lambda cards: [28 if cards[0] != 28 else 0]),
    "who-discarded": change("Discarded", "seat", next_seat),
    "attacking-card": change("Attacked", "card", put(26), lambda e: e["card"] is not None),
    "attack": change("Attacked", "attack", put("bust"), lambda e: e["attack"] == "take" and e["card"] == 24),
    "victim": change("Attacked", "target", next_seat),
    "demand": change("Attacked", "attack", put("take"), lambda e: e["attack"] == "demand"),
    "hidden-card": change("Hidden", "card", put(24)),
    "who-hid": change("Hidden", "seat", next_seat),
    "shown-hand": change("HandShown", "cards", lambda cards: [*cards[:-1], cards[-1] - 1]),
    "die": change("DieRolled", "value", next_face),
    "taken-card": change("Taken", "card", lambda card: (card + 1) % 29),
    "who-took": change("Taken", "seat", next_seat),
    "busted-cards": change("Busted", "cards", next_code, has_cards),
    "fewer-busted": change("Busted", "cards", lambda cards: cards[1:], has_cards),
    "reshuffled": change("Reshuffled", "draw_count", lambda count: count - 1),
    "not-reshuffled": drop("Reshuffled"),
    "leavers-cards": change("SeatLeft", "cards", lambda cards: cards[1:]),
    "leavers-place": change("SeatLeft", "place", lambda place: place - 1),
    "nobody-left": drop("SeatLeft"),
    "winner": change("Won", "seat", next_seat),
    "colour": change("Won", "color", next_seat, lambda e: e["color"] is not None),
    "another-winner": another_winner,
    "roll-repeated": repeat("Rolled"),
    "dice-drawn": draw("dice", back),
    "leaver-not-shuffled": drop_draw("leaver"),
    "order-of-a-reshuffle": draw("reshuffle", back),
    "draw-left-out": drop_draw("dice"),
}


def is_found_out(raw: bytes, lie: Lie) -> None:
    """Both programs refuse what is whole, but not true."""
    document = decode_document(raw)
    lie(document)
    file = with_fresh_digest(document)
    assert faults(file)
    assert fault_alone(file)


@pytest.mark.parametrize("kind", ["folk", "house", "cheater"])
def test_unchanged_replays_are_valid(kind):
    assert (faults(replay(kind)), fault_alone(replay(kind))) == ([], "")


@pytest.mark.parametrize("name", CHEAT_LIES)
def test_lies_about_cheat_are_detected(name):
    kind, lie = CHEAT_LIES[name]

    is_found_out(replay(kind), lie)


@pytest.mark.parametrize("name", CHEATER_LIES)
def test_lies_about_cheater_are_detected(name):
    is_found_out(replay("cheater"), CHEATER_LIES[name])


def test_lies_only_the_rules_can_detect_are_detected_by_the_arena():
    """The program without the arena states in its header that it leaves titles to the rules."""
    document = decode_document(replay("cheater"))
    change("Won", "titles", put(["infinite"]))(document)

    assert faults(with_fresh_digest(document))
    assert not fault_alone(with_fresh_digest(document))

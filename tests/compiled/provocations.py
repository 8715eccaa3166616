"""Mistakes that users and bots make, and what the program says: `python -m tests.compiled.provocations` prints it.

Both builds must say the same.
"""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from arena.games.catalogue import games, pack_of
from arena.games.cheat.rules.actions import Choose, Cut, Play
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheater.rules.game import CHEATER
from arena.match.deal.stream import SeededChance, entrant_seed
from arena.match.game import ChanceRequest, Game, Seat, Style
from arena.match.referee.inputs import InputKind, pack_record, read_record, record_content, write_record
from arena.match.referee.pace import build_pace
from arena.match.referee.ports import MatchId
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import describe_terms, terms_from_plain
from arena.plain_data import canonical_json
from arena.practice import play
from arena.replays.proof.replay_document import decode_document
from arena.server.node.decisions import DecisionReader
from arena.server.node.limits import Limits
from arena.server.wire.bot_frames import BotFrame
from cheatarena import Bot, Call, Card, Decline
from cheatarena import Choose as BotChoose
from cheatarena import Cut as BotCut
from cheatarena import Play as BotPlay
from cheatarena.cheat.knowledge import Knowledge
from cheatarena.cheater import CheaterBot, Demand, Discard, Draw
from cheatarena.cheater import Play as CheaterPlay
from cheatarena.scanning import split_frame, split_message
from tests.match.referee.driver import make_driver
from tests.replays.narration.random_match import RandomMatch, faults, with_fresh_digest

Provocation = Callable[[], object]

SHORT = {"max_turns": 5}

RULESETS: dict[str, dict[str, Any]] = {
    "unknown option": {"no_such": 1},
    "option almost right": {"max_turn": 5},
    "no packs": {"decks": 0},
    "too many packs": {"decks": 252},
    "packs as a word": {"decks": "many"},
    "packs as a truth": {"decks": True},
    "packs as a fraction": {"decks": 1.5},
    "a number too large for a machine": {"max_turns": 10**30},
    "no turns": {"max_turns": 0},
    "negative turns": {"max_turns": -1},
    "turns not given": {"max_turns": None},
    "one joker": {"jokers_per_deck": 1},
    "unknown word": {"check": "loud"},
    "word in capitals": {"check": "ARBITER"},
    "word as a number": {"passing": 1},
    "words as a word": {"count": "same"},
    "unknown word in a list": {"count": ["same", "bigger"]},
    "word twice": {"count": ["same", "same"]},
    "truth as a word": {"believe": "yes"},
    "truth as a number": {"believe": 1},
    "conflicting counts": {"min_count": 6, "max_count": 3},
    "conflicting call options": {"call_mode": "turn_action", "any_caller": True},
    "conflicting openings": {"rank_mode": "rotation", "opening_face_up": True},
    "conflicting numbers of players": {"players_min": 5, "players_max": 3},
    "several faults": {"decks": 0, "check": "loud", "believe": 3, "max_turns": -5},
}
PACES: dict[str, tuple[str, dict[str, Any]]] = {
    "unknown style": ("fast", {}),
    "unknown setting": ("sealed", {"turns_ms": 5}),
    "negative time": ("sealed", {"turn_ms": -1}),
    "no time": ("live", {"turn_ms": 0}),
    "time as a word": ("live", {"call_ms": "soon"}),
    "time without end": ("live", {"call_ms": 10**12}),
    "window below its floor": ("live", {"call_ms": 100, "min_call_ms": 2000}),
    "several faults": ("live", {"turn_ms": "x", "call_ms": -4, "max_auto_moves": -1}),
}
CHEAT_TEXTS = (
    *("", "x", "2K", "2K KS4", "KK KS", "2X KS4D", "-1K KS", "call now", "cut", "cut 1 x", "choose", "choose -1", "Ä"),
    *("choose 99999999999999999999", "9999999999999999999999K KS", "2K KS4D 5H", "2K ks4d"),
)
CHEATER_TEXTS = ("", "x", "demand", "demand x", "demand -1", "discard XX", "play TAKE", "play RC 1", "take", "bust XX",
                 "play WILD 1 FLY", "hide RC 2", "discard " + "RC " * 200)  # fmt: skip
ODD_VALUES: tuple[Any, ...] = (None, [], {}, "x", -1, 1.5, True, [None], {"x": None})
"""What a file of another version, or a damaged one, may have in the place of any value."""
DAMAGED_RECORDS = (b"", b"\x00", b"\xff" * 9, b"\x93\x01\x02", b"\x81\xa1a\x01", b"\x92\x07\xc0")
DAMAGED_FRAMES = (b"\x0a", b"\x0a\x05", b"\x0a\x05abc", b"\x0f", b"\xff" * 12, b"\x0a\x02\x08", b"\x12\x00\x0a\x09")
DAMAGED_REPLAYS = (b"", b"x", b"[]", b"{}\n", b'{"format":"cheatarena-replay-1"}\n', b'{"a":NaN}', b"[" * 100_000)

ODD_ANSWERS: dict[str, Any] = {
    "nothing": None,
    "a text": "call",
    "a class": Call,
    "texts in a play": BotPlay("KS KD", "K"),  # type: ignore[arg-type]  # as bots may do
    "a rank as text": BotPlay((Card(0),), "K"),  # type: ignore[arg-type]  # as bots may do
    "a play of numbers": BotPlay((0, 1), 0),  # type: ignore[arg-type]  # as bots may do
    "a list of cards": BotPlay([Card(0)], 0),  # type: ignore[arg-type]  # as bots may do
    "cards out of range": BotPlay((Card(77),), 0),  # type: ignore[arg-type]  # as bots may do
    "a negative card": BotPlay((Card(-1),), 0),  # type: ignore[arg-type]  # as bots may do
    "a huge card": BotPlay((Card(10**30),), 0),  # type: ignore[arg-type]  # as bots may do
    "a huge rank": BotPlay((Card(0),), 10**30),  # type: ignore[arg-type]  # as bots may do
    "a huge count": BotPlay((Card(0),), 0, count=10**30),  # type: ignore[arg-type]  # as bots may do
    "a count as text": BotPlay((Card(0),), 0, count="two"),  # type: ignore[arg-type]  # as bots may do
    "a count as a fraction": BotPlay((Card(0),), 0, count=1.5),  # type: ignore[arg-type]  # as bots may do
    "no note": BotPlay((Card(0),), 0, None),  # type: ignore[arg-type]  # as bots may do
    "a number as note": BotPlay((Card(0),), 0, 5),  # type: ignore[arg-type]  # as bots may do
    "zero as note": BotPlay((Card(0),), 0, 0),  # type: ignore[arg-type]  # as bots may do
    "a long note": BotPlay((Card(0),), 0, "x" * 1000),  # type: ignore[arg-type]  # as bots may do
    "half a character as note": BotPlay((Card(0),), 0, "\ud800"),  # type: ignore[arg-type]  # as bots may do
    "an answer to another question": Decline(),
    "a cut": BotCut((1, 2)),
    "a choice": BotChoose(0),
}
ODD_CUTS: dict[str, Any] = {
    "a list": BotCut([26, 26]),  # type: ignore[arg-type]  # as bots may do
    "texts": BotCut(("a", "b")),  # type: ignore[arg-type]  # as bots may do
    "fractions": BotCut((1.5, 50.5)),  # type: ignore[arg-type]  # as bots may do
    "one packet": BotCut((52,)),
    "negative": BotCut((-1, 53)),
    "huge": BotCut((10**30, 1)),
    "a number": BotCut(5),  # type: ignore[arg-type]  # as bots may do
}
ODD_CHEATER_MOVES: dict[str, Any] = {
    "nothing": None,
    "a target as text": Demand("1"),  # type: ignore[arg-type]  # as bots may do
    "no target": Demand(None),  # type: ignore[arg-type]  # as bots may do
    "a huge target": Demand(10**30),
    "a letter": CheaterPlay(5, 1),  # type: ignore[arg-type]  # as bots may do
    "a wild as a text": CheaterPlay(28, 1, "SHOW"),  # type: ignore[arg-type]  # as bots may do
    "a card as text": CheaterPlay("TAKE", 1),  # type: ignore[arg-type]  # as bots may do
    "a discard": Discard(()),
    "no note": Draw(None),  # type: ignore[arg-type]  # as bots may do
}


def provocations() -> Iterator[tuple[str, Provocation]]:
    """Yield each mistake with its name."""
    yield from _about_rules()
    yield from _about_actions()
    yield from _about_records()
    yield from _about_replay_files()
    yield from _about_bots()


def _about_rules() -> Iterator[tuple[str, Provocation]]:
    yield "preset", partial(CHEAT.build_ruleset, "standart", {})
    yield "preset of CHEATER", partial(CHEATER.build_ruleset, "", {})
    for name, options in RULESETS.items():
        yield f"ruleset: {name}", partial(CHEAT.build_ruleset, "standard", options)
        yield f"ruleset of CHEATER: {name}", partial(CHEATER.build_ruleset, "cheater", options)
    for seats in (0, 1, 11, 300):
        yield f"{seats} seats", partial(CHEAT.check_seats, CHEAT.build_ruleset("standard", {}), seats, Style.LIVE)
        rules = CHEATER.build_ruleset("cheater", {})
        yield f"{seats} seats in CHEATER", partial(CHEATER.check_seats, rules, seats, Style.SEALED)
    for name, (style, settings) in PACES.items():
        yield f"pace: {name}", partial(build_pace, style, settings)
    yield "no games in a match", partial(make_driver, CHEAT, games=0, preset="standard")
    yield "one entrant", partial(make_driver, CHEAT, 1, preset="standard")
    yield "terms without a game", partial(terms_from_plain, {}, games())
    yield "terms of an unknown game", partial(terms_from_plain, {"game": "chess"}, games())


def _about_actions() -> Iterator[tuple[str, Provocation]]:
    for text in CHEAT_TEXTS:
        yield f"action {text!r}", partial(CHEAT.read_action, text)
    for text in CHEATER_TEXTS:
        yield f"CHEATER's action {text!r}", partial(CHEATER.read_action, text)
    odd = (Play(b"\xff", 1, 1), Play(b"\x00", -1, 1), Play(b"\x00", 1, 77), Cut((-1,)), Choose(-1))
    for action in odd:
        yield f"writing {action!r}", partial(CHEAT.write_action, action)
        yield f"refusal of {action!r}", partial(_refusals, CHEAT, action)
    for text in ("1A AS", "2A ASAH", "5A AS", "0A", "1K JK", "call", "decline", "pass", "believe", "cut 1 51"):
        yield f"refusal of {text}", partial(_refusals, CHEAT, text)
    for text in ("draw", "draw two", "allow", "demand 1", "hide WILD", "bust", "take RC", "discard RC"):
        yield f"CHEATER's refusal of {text}", partial(_refusals, CHEATER, text)
    for game in (CHEAT, CHEATER):
        yield f"no such group of {game.name}", partial(game.resolve, _dealt_state(game), "window?", {})
        yield f"no draw asked in {game.name}", partial(game.apply_chance, _dealt_state(game), [1])


def _dealt_state(game: Game) -> Any:
    return RandomMatch(game, 3, 5).play(3).bench.state


def _refusals(game: Game, action: Any) -> list[object]:
    """Return what the rules say to an action of each seat, in each open group. The action may be a text."""
    state = _dealt_state(game)
    read = game.read_action(action) if isinstance(action, str) else action
    kinds = [group.kind for group in game.open_groups(state)]
    return [game.why_illegal(state, Seat(seat), read, kind) for kind in kinds for seat in range(3)]


def _about_records() -> Iterator[tuple[str, Provocation]]:
    for number, record in enumerate(DAMAGED_RECORDS):
        yield f"record {number}", partial(read_record, record)
        yield f"replay of record {number}", partial(Replay, [record], games())
    records = RandomMatch(CHEAT, 3, 5, options=SHORT).play().records
    begin = json.loads(record_content(records[1]))
    for name in begin:
        for odd in ODD_VALUES:
            changed = pack_record(InputKind.BEGIN, 1, Instant(0), canonical_json(begin | {name: odd}))
            yield f"start whose {name} is {odd!r}", partial(_replay, [records[0], changed, *records[2:]])
    for name in begin["terms"]:
        for odd in ODD_VALUES:
            yield f"terms whose {name} is {odd!r}", partial(_read_terms, begin["terms"] | {name: odd})
    yield "replay of nothing", partial(Replay, [], games())
    yield "replay without a start", partial(Replay, records[2:], games())
    yield "replay of a game that nobody knows", partial(Replay, records, {})
    yield "replay that starts twice", partial(_replay, records * 2)
    for cut in (1, 5, 20):
        yield f"record without {cut} bytes", partial(_replay, [*records[:5], records[5][:-cut]])
    for number, frame in enumerate(DAMAGED_FRAMES):
        yield f"frame {number}", partial(split_frame, frame)
        yield f"message {number}", partial(split_message, frame)
        yield f"frame of a bot {number}", partial(_read_frame, frame)
    chance = SeededChance(bytes(32), MatchId("M"))
    yield "seed", partial(SeededChance, b"short", MatchId("M"))
    yield "match id", partial(SeededChance, bytes(32), MatchId("a|b"))
    yield "entrant's seed", partial(entrant_seed, bytes(32), MatchId("M"), EntrantIndex(-1))
    yield "draw with a bad name", partial(chance.draw, 0, ChanceRequest("a|b", 0, 0, 3))
    yield "draw of too few", partial(chance.draw, 0, ChanceRequest("deck", 0, 0, -3))


def _replay(records: list[bytes]) -> object:
    return list(Replay(records, games()).moments())


def _read_frame(frame: bytes) -> object:
    """Return the inputs of the decisions in a frame, as the server reads them."""
    read, reader = BotFrame(frame), DecisionReader(pack_of("cheat").load_codec(), Limits())
    decisions = read.read_decisions(0, read.decision_count)
    return [write_record(1, reader.read_input(each, Instant(1), Instant(2))) for each in decisions]


def _about_replay_files() -> Iterator[tuple[str, Provocation]]:
    for number, raw in enumerate(DAMAGED_REPLAYS):
        yield f"replay file {number}", partial(decode_document, raw)
    file = RandomMatch(CHEAT, 3, 5, options=SHORT).play().file()
    yield "replay file with another digest", partial(decode_document, file.replace(b"finished", b"vanished", 1))
    document = decode_document(file)
    for field in sorted(document.keys() - {"digest", "format"}):
        for odd in ODD_VALUES:
            changed = with_fresh_digest(document | {field: odd})
            yield f"replay file whose {field} is {odd!r}", partial(faults, changed)


class Odd(Bot):
    """Gives one odd answer for a turn, and cuts oddly."""

    move: Any = None
    cutting: Any = None

    def turn(self, table, options):
        return self.move

    def call_window(self, table, claim):
        return Decline()

    def cut(self, table, options):
        return self.cutting


class OddCheater(CheaterBot):
    """Gives one odd answer."""

    move: Any = None

    def act(self, table, options):
        return self.move


class Failing(Odd):
    """Fails."""

    def turn(self, table, options):
        return [][len(table.names)]


def _about_bots() -> Iterator[tuple[str, Provocation]]:
    for name, answer in ODD_ANSWERS.items():
        bot = type("Odd", (Odd,), {"move": answer})
        yield f"answer: {name}", partial(_practise, bot)
    for name, answer in ODD_CUTS.items():
        bot = type("Odd", (Odd,), {"cutting": answer})
        yield f"cut: {name}", partial(_practise, bot, seats=3, deal="cut_and_choose")
    for name, answer in ODD_CHEATER_MOVES.items():
        odd = type("Odd", (OddCheater,), {"move": answer})
        yield f"CHEATER's answer: {name}", partial(_practise, odd)
    yield "failing bot", lambda: _practise(Failing)
    yield "no bots", lambda: play([])
    yield "one bot", lambda: play([Odd])
    yield "bots of two games", lambda: play([Odd, OddCheater])
    yield "no games", lambda: play([Odd, Odd], games=0)
    yield "short seed", lambda: play([Odd, Odd], seed=b"short")
    yield "unknown preset", lambda: play([Odd, Odd], "standart")
    yield "cards that nobody has", lambda: _knowledge().lay_own([1, 2])
    yield "cards shown without a move", lambda: _knowledge().show([1])
    yield "verdict without a move", lambda: _knowledge().judge(is_lie=True)


def _practise(bot: Any, seats: int = 2, **options: object) -> object:
    result = play([bot] * seats, options={"max_turns": 4, **options}, seed=1, clock=lambda: 0)
    return result.places, [record.hex() for record in result.records[1:]]


def _knowledge() -> Knowledge:
    return Knowledge(0, [3, 3])


def _read_terms(values: dict[str, Any]) -> Any:
    """Return terms as plain values, because those with a game have an address in their text."""
    return describe_terms(terms_from_plain(values, games()))


def provoke(provocation: Provocation) -> str:
    """Return what the program answers or raises: the class and the text of the error."""
    try:
        answer = provocation()
    except Exception as error:  # noqa: BLE001  every error is compared
        return f"{type(error).__module__}.{type(error).__qualname__}: {error}"
    return f"no error: {answer!r}"


def collect() -> dict[str, str]:
    """Return what each mistake leads to, by name."""
    logging.disable()
    try:
        return {name: provoke(provocation) for name, provocation in provocations()}
    finally:
        logging.disable(logging.NOTSET)


if __name__ == "__main__":
    json.dump(collect(), sys.stdout, indent=1)

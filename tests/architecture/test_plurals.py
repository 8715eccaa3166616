"""No text says "1 packs": numbers get their nouns from one helper, and samples of all kinds of text are read."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest

import arena.plurals
import cheatarena.plurals
from arena.games.cheat.rules.explanation import explain_rules
from arena.games.cheat.rules.ruleset import Ruleset
from arena.games.cheater.rules.ruleset import Ruleset as CheaterRuleset
from arena.games.cheater.rules.ruleset import explain_rules as explain_cheater_rules
from cheatarena import Play
from cheatarena.testing import Script
from tests.sdk.test_text import ask

ROOT = Path(__file__).resolve().parents[2]

NOUNS = frozenset(
    [
        "answers", "attempts", "blocks", "bots", "cards", "checks", "claims", "cores", "days", "deals", "decisions",
        "decks", "entrants", "errors", "events", "faults", "files", "findings", "games", "hands", "hours", "inputs",
        "invitations", "jokers", "journals", "leagues", "leaks", "letters", "lines", "matches", "messages", "minutes",
        "moves", "nodes", "packs", "pairs", "places", "players", "points", "processes", "questions", "receipts",
        "records", "results", "rounds", "rows", "rules", "seats", "seconds", "sessions", "steps", "streams", "tables",
        "times", "tokens", "tricks", "turns", "values", "watchers",
    ]
)  # fmt: skip
"""What people count here. Words that are more often verbs are left out, such as calls and passes."""

FOLLOWED = re.compile(r"^ (?:(?:bot|earlier|finished|more|new|unused|valid) )?([a-z]+)\b")
"""A text that follows a number: its noun, perhaps after an adjective."""

PERHAPS = re.compile(r"""}(?:["']\s*\w*["'])?""" + FOLLOWED.pattern[1:])
"""What every file with such a text has, perhaps with the noun in the next string."""

NEVER_ONE = re.compile(r"(?:[a-z_.]+\.)?_?[A-Z][A-Z_]+(?:\.[a-z]+)?|.*\b(?:seat|name|dealer)")
"""A constant of the source, or no number of things at all."""

PLURAL_ONLY = {
    "arena/cli/compare/figures.py": {"blocks", "games", "places"},  # batches, and a margin with decimals
    "arena/cli/compare/progress.py": {"games"},  # at least a batch of blocks
    "arena/cli/compare/request.py": {"seats", "games"},  # a table has two seats or more, a look has many games
    "arena/cli/compare/run.py": {
        "processes",
        "tables",
        "nodes",
    },  # one for each lane, at least two; one node is not told
    "arena/cli/compare/answer.py": {"decisions", "games", "places"},  # hundreds, and a margin with decimals
    "arena/cli/league/progress.py": {"games"},  # "3 of 40 games": the planned number
    "arena/cli/main.py": {"faults"},  # a single fault is told without a number
    "arena/cli/match/run.py": {"nodes"},  # shared among several
    "arena/cli/replay/list_text.py": {"games"},  # the number comes after it
    "arena/competition/compare/comparison_result.py": {"blocks"},  # "3 of 8 blocks": the wanted number
    "arena/match/deal/stream.py": {"values"},  # beyond the largest draw
    "arena/organizer/file/league_format.py": {"games"},  # the largest number of a format
    "arena/organizer/file/league_dates.py": {"days"},  # more than the longest pause
    "arena/competition/formats/validation.py": {"entrants"},  # a seat for each, at least two
    "arena/server/node/frame_handler.py": {"decisions"},  # "decisions and notices" together
    "arena/replays/narration/blame.py": {"answers"},  # a single answer is told without a number
    "arena/games/cheat/phrasing.py": {"cards"},  # a range
    "arena/games/cheater/phrasing.py": {"seats"},  # at least two
    "arena/replays/proof/verification.py": {"cards", "receipts"},  # of a deck, and one for each seat
    "arena/organizer/report/rating_charts.py": {"games"},  # a rating comes after many
    "arena/games/cheat/rules/explanation.py": {
        "jokers",
        "moves",
    },  # two jokers or none; one move is told by another sentence
    "arena/games/cheat/rules/ruleset_options.py": {"cards"},  # of a pack
    "arena/games/cheater/rules/ruleset.py": {"seats"},  # a constant less one
    "arena/match/options.py": {"seats"},  # at least two
    "arena/server/store/token_rows.py": {"tokens"},  # at least the limit of a name
    "arena/verify/verify_league.py": {"games", "times", "checks"},  # imports nothing of the arena
    "sdk/cheatarena/cheat/game.py": {"cards"},  # of a deck
    "sdk/cheatarena/cheat/legal_text.py": {"cards"},  # a range
    "sdk/cheatarena/game.py": {"times"},  # a card that the hand has once, but not as often as the answer
    "sdk/cheatarena/no_answer.py": {"answers"},  # one and two are told by other words
    "sdk/cheatarena/session.py": {"matches"},  # a single match is told by other words
}
"""Nouns whose number is never 1 there, by file, each with the reason."""


def sources() -> list[Path]:
    """Return the hand-written Python files of everything that is shipped."""
    found = chain.from_iterable((ROOT / folder).rglob("*.py") for folder in ("arena", "sample_bots", "sdk/cheatarena"))
    return sorted(path for path in found if not {"v1", "node_modules"} & set(path.parts))


def counted_nouns(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and noun of each formatted number whose noun is always plural."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for number, text in pairwise(node.values):
            if not isinstance(number, ast.FormattedValue) or not isinstance(text, ast.Constant):
                continue
            found = FOLLOWED.match(str(text.value))
            if found and found[1] in NOUNS and not is_never_one(number):
                yield node.lineno, found[1]


def is_never_one(number: ast.FormattedValue) -> bool:
    """Return whether a number is a constant, or is shown with decimals, such as 1.00."""
    form = ast.unparse(number.format_spec) if number.format_spec else ""
    return bool(NEVER_ONE.fullmatch(ast.unparse(number.value)) or re.search(r"\.[1-9]", form))


def test_numbers_get_their_nouns_from_one_helper():
    found = [
        f"{name}:{line}: {noun}"
        for path in sources()
        if not NOUNS.isdisjoint(PERHAPS.findall(text := path.read_text(encoding="utf-8")))
        for line, noun in counted_nouns(ast.parse(text))
        if noun not in PLURAL_ONLY.get(name := str(path.relative_to(ROOT)), ())
    ]

    assert found == [], "use format_count of arena.plurals or cheatarena.plurals"


@pytest.mark.parametrize(
    ("text", "nouns"),
    [
        ('f"{n} packs of cards"', ["packs"]),
        ('f"{len(rows)} finished games"', ["games"]),
        ('f"{MAX_GAMES} games"', []),
        ('f"{mean:.2f} places"', []),
        ('f"seat {seat} claims"', []),
        ('f"{name} begins"', []),
    ],
)
def test_planted_plurals_are_found(text, nouns):
    assert [noun for _, noun in counted_nouns(ast.parse(text))] == nouns
    assert not nouns or PERHAPS.search(text)


# ---- samples of text, with the number one wherever a ruleset or a table can have it

WRONG = re.compile(
    rf"(?<![.\d])(?<!seat )(?<!game )(?<!turn )(?<!entrant )\b1 (?:[a-z]+ )?(?:{'|'.join(sorted(NOUNS))})\b"
)
"""A single thing in the plural."""


def rules_texts() -> Iterator[str]:
    smallest: dict[str, Any] = {
        "decks": 1,
        "min_count": 1,
        "max_count": 1,
        "max_turns": 1,
        "players_min": 2,
        "players_max": 2,
    }
    for rules in (Ruleset(), replace(Ruleset(), **smallest), replace(Ruleset(), decks=1, max_count=2)):
        yield from (sentence for sentence, _ in explain_rules(rules))
    for other in (CheaterRuleset(), replace(CheaterRuleset(), max_turns=1, players_min=2, players_max=2)):
        yield from (sentence for sentence, _ in explain_cheater_rules(other))


def test_rules_of_one_pack_one_card_and_one_move():
    texts = [*rules_texts()]

    assert {"1 pack", "1 card", "1 turn"} <= {*re.findall(r"\b1 [a-z]+", " ".join(texts))}
    assert [text for text in texts if WRONG.search(text)] == []


def test_table_and_options_of_one_card():
    table, options = ask("KS", script=Script(seats=2), after_a_move=True, counts=(1, 1))
    plays = Play.of("KS", "A"), Play.of("KS", "K", count=2), Play.of("2C", "K")
    wrong = [options.why_illegal(play) for play in plays]
    texts = [table.describe(), str(table), str(options), *wrong]

    assert "1 card" in texts[0]
    assert [text for text in texts if WRONG.search(text)] == []


@pytest.mark.parametrize("path", sorted((ROOT / "tests/playthroughs").glob("*.txt")), ids=lambda path: path.stem)
def test_whole_games_as_replays_tell_them(path: Path):
    """The recorded texts hold every event and every seat's view of a game of each preset."""
    text = path.read_text(encoding="utf-8")

    assert "1 card" in text
    assert WRONG.findall(text) == []


def test_both_helpers_agree():
    for number in (0, 1, 2, 0.5):
        for noun in ("card", "match", "pass", "unused deal"):
            form = "" if isinstance(number, int) else "g"
            assert arena.plurals.format_count(number, noun, form) == cheatarena.plurals.format_count(number, noun)

"""A game is added by its pack: Raid, which nothing of the arena knows, is registered and goes through every feature."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots.launch.programs import BotProgram, find_bot
from arena.cli.compare import request
from arena.cli.compare.options import CompareOptions, SequentialTestOptions, TableOptions
from arena.cli.compare.request import CompareRequest
from arena.cli.match.standings import EntrantTotals, standings_table, totals_as_dict
from arena.cli.options import RulesOptions
from arena.cli.ruleset_docs import option_docs
from arena.errors import UnknownNameError
from arena.games.catalogue import (
    PACKS,
    games,
    load_codecs,
    pack_of,
    phrasing_of,
    resolve_game_and_preset,
    watched_game_of,
)
from arena.games.pack import GamePack
from arena.games.secrecy import SurveyedGame, run_survey
from arena.match.game import RedactedEvent, Seat
from arena.match.referee.replay import Replay
from arena.organizer.report.play_view import build_bot_plays
from arena.organizer.report.published_match import build_published_match
from arena.practice import PracticeResult, play
from arena.replays.analytics.counts import AnalyticsTotals
from arena.replays.analytics.match_analytics import analyze_match
from arena.replays.narration.match_narration import narrate_match
from arena.replays.narration.seat_narration import narrate_seat
from arena.replays.watch.live_table import LiveTable
from arena.replays.watch.recorded_match import recorded_messages
from tests.support import toy_game
from tests.support.commands import run_arena
from tests.support.league_stories import entry_of
from tests.support.toy_bot import RaidBot
from tests.support.toy_game import CupsCovered, CupsFilled, RaidGame
from tests.support.toy_pack import RAID_PACK

ROOT = Path(__file__).resolve().parents[2]

CASE: Mapping[str, Any] = {
    "id": "R01",
    "title": "a raid that is let pass",
    "game": "raid",
    "preset": "plain",
    "hands": [[3], [5], [1]],
    "start": 0,
    "steps": [
        {"seat": 0, "do": "aim", "target": 2},
        {"seat": 2, "do": "allow", "die": 4},
        {"seat": 0, "do": "take", "count": 4, "expect": {"coins": [9, 5, 1]}},
    ],
    "expect": {"to_move": 1},
}


@pytest.fixture(autouse=True)
def raid(monkeypatch):
    """The catalogue lists Raid too."""
    monkeypatch.setitem(PACKS, "raid", RAID_PACK)


@pytest.fixture(scope="module")
def played():
    """A match of Raid in practice; the catalogue is asked while it is played."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PACKS, "raid", RAID_PACK)
        result = play([RaidBot, RaidBot, RaidBot], games=2, seed=4)
        assert result.record.games  # worked out while the game is known
        return result


# ---- the pack


def test_no_part_of_a_pack_can_be_omitted():
    """A forgotten part is an error where the pack is created."""
    assert [part.name for part in fields(GamePack) if part.default is not MISSING] == []
    assert [part.name for part in fields(GamePack) if part.default_factory is not MISSING] == []
    with pytest.raises(TypeError, match="load_phrasing"):
        GamePack(
            **{part.name: getattr(RAID_PACK, part.name) for part in fields(GamePack) if part.name != "load_phrasing"}
        )


def test_guide_names_every_part():
    """`Adding a game` lists what to write: a part that it does not name would not be written."""
    guide = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Adding a game")[2]

    named = set(re.findall(r"`(\w+)`", guide))
    assert {part.name for part in fields(GamePack)} <= named


@pytest.mark.parametrize("name", [*PACKS, "raid"])
def test_parts_of_a_pack_belong_to_one_game(name):
    """A part copied from another game's pack is detected."""
    pack = pack_of(name)

    assert pack.game.name == name
    assert pack.load_codec().game is pack.game
    assert pack.load_codec() is pack.load_codec()
    assert pack.load_knowledge_model().game is pack.game
    assert pack.load_scenario_adapter().game is pack.game
    source = pack.load_ruleset_source()
    assert type(pack.game.build_ruleset(pack.game.presets[0], {})) is source.ruleset
    assert source.readers.keys() == {option.name for option in fields(source.ruleset)}
    assert pack.columns
    assert pack.load_analytics().notes


def test_unknown_game_is_refused_with_list_of_known_ones():
    with pytest.raises(UnknownNameError, match="known: cheat, cheater, raid"):
        pack_of("chess")


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        pytest.param("arena.games.catalogue", "google arena.server.wire arena.replays", id="list"),
        pytest.param("arena.fleet.runner.node_main", "numpy arena.replays arena.games.secrecy", id="node"),
    ],
)
def test_heavy_parts_are_loaded_on_demand(module, absent):
    """Listing the games needs no protobuf, and a node starts without the narration code."""
    program = f"import sys, {module}; print(*{{*{absent.split()!r}}} & {{*sys.modules}})"

    ended = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    assert ended.stdout == "\n"


# ---- every feature that knows games


def test_new_game_is_listed_and_found_by_its_preset():
    assert list(games()) == list(load_codecs()) == ["cheat", "cheater", "raid"]
    assert resolve_game_and_preset("", "short") == ("raid", "short")
    assert resolve_game_and_preset("raid", "") == ("raid", "plain")


def test_new_games_rules_are_shown(capsys):
    listed = run_arena(capsys, "rules", "list").out
    shown = run_arena(capsys, "rules", "show", "raid/short").out

    assert "\nraid/short" in listed
    assert "rounds = 1   (differs, default 3)\n    Turns of each seat, 1 to 50.\n" in shown
    assert "Allowed: a whole number from 1 to 50.\n" in shown
    assert "* Everybody has 1 turns.\n" in shown
    assert [page.name for page in option_docs(RAID_PACK.game, "plain")] == ["rounds", "coins"]


def test_new_games_scenarios_are_run(capsys, tmp_path):
    file = tmp_path / "raid.json"
    cases = [CASE, {**CASE, "id": "R02", "expect": {"to_move": 2}}]
    file.write_text(json.dumps({"schema": "cheat-arena-rules-cases", "schema_version": 2, "cases": cases}))

    ended = run_arena(capsys, "rules", "run", file)

    assert "FAILED R02" in ended.out
    assert "1 passed, 1 failed, 0 not run" in ended.out


def test_new_games_secrets_are_surveyed(capsys):
    found = run_survey(60, 3, [SurveyedGame(RAID_PACK.load_knowledge_model(), RAID_PACK.load_codec())])

    assert found.leaks == []
    assert found.compared > 60
    assert "6 pairs" in run_arena(capsys, "secrecy", "--game", "raid", "--pairs", "6").out


def test_leak_in_new_game_is_detected(monkeypatch):
    """The survey checks Raid's own model against its views."""
    honest = RaidGame.redact

    def leak(self: RaidGame, event: toy_game.Event) -> RedactedEvent:
        told = honest(self, event)
        return told._replace(public=CupsCovered(sum(event.dice))) if isinstance(event, CupsFilled) else told

    monkeypatch.setattr(RaidGame, "redact", leak)

    assert run_survey(30, 3, [SurveyedGame(RAID_PACK.load_knowledge_model(), RAID_PACK.load_codec())]).leaks


def test_new_game_can_be_practised(played: PracticeResult):
    assert played.terms.game is RAID_PACK.game
    assert [min(places) for places in played.places] == [1, 1]
    assert sum(figures["turns"] for figures in played.statistics) == 18


def test_new_games_replay_is_narrated(played: PracticeResult):
    game = played.terms.game
    whole = [line.text for line in narrate_match(Replay(played.records, games()), phrasing_of(game))]
    seat = [*narrate_seat(Replay(played.records, games()), lambda _: Seat(1), phrasing_of(game))]
    match = build_published_match(entry_of("M", played.terms), Replay(played.records, games()))

    assert any("raids seat" in text for text in whole)
    assert any(line.kind == "decision" for line in seat)
    assert [page.steps[-1].line.kind for page in match.pages] == ["end"] * len(match.pages)


def test_new_games_table_is_followed_and_drawn(played: PracticeResult):
    table = LiveTable(watched_game_of)

    lines = [line for message in recorded_messages(Replay(played.records, games())) for line in table.add(message)]

    assert [line.kind for line in lines].count("end") == len(played.places)
    assert any(line.text.startswith("Aimed ") for line in lines), "Raid has no words of its own"
    assert [row.label for row in table.drawing.centre] == ["raid"]
    assert {seat.place for seat in table.drawing.seats} == {*played.places[-1]}


def test_new_games_matches_are_analysed_and_its_bots_described(played: PracticeResult):
    record, analytics = played.record, RAID_PACK.load_analytics()
    totals = AnalyticsTotals()
    for seats in analyze_match(record.match, record.games, analytics.build_analyzer):
        totals.add_game(record.match.entrants, seats)

    plays = build_bot_plays(totals, played.terms.game.name, played.names)

    assert sum(counts["turns"][0] for counts in totals.counts.values()) == 18
    assert [each.name for each in plays] == list(played.names)
    assert sum(each.figures["blocks"].of for each in plays) == 18


def test_new_games_standings_have_its_columns():
    standing = EntrantTotals("a")
    standing.counts.update(turns=4, blocks=2, coins=7)

    headings = [str(column.header) for column in standings_table([standing], "raid").columns]

    assert headings[4:-2] == ["raids", "luck"]
    assert totals_as_dict(standing, "raid")["counts"] == {"turns": 4, "blocks": 2, "coins": 7}


def test_new_games_samples_and_opponents_are_bots(monkeypatch):
    """Samples of Cheat stand for those of the new game, though their bot.toml names Cheat."""
    monkeypatch.setattr(request, "check_declared_games", lambda *_: None)
    rules = RulesOptions(game="raid", preset="short")
    options = CompareOptions(
        "sample:honest", "sample:counter", test=SequentialTestOptions(budget="600"), table=TableOptions(rules=rules)
    )
    asked = CompareRequest(options)

    comparison = asked.to_comparison()

    assert [program.name for program in comparison.programs.values()][-1] == "gambler"
    assert comparison.terms.game is RAID_PACK.game
    assert all(isinstance(find_bot(text), BotProgram) for pack in PACKS.values() for text in pack.samples)


def test_packs_are_compared_by_identity():
    """A pack is one value; a changed copy is another game's."""
    assert replace(RAID_PACK) != RAID_PACK

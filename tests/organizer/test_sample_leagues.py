"""The bundled leagues can be read and seated; these tests do not play them."""

from pathlib import Path

import pytest

from arena.bots.launch.programs import BotProgram, sample_names
from arena.competition.formats import FORMATS
from arena.competition.formats.port import Format
from arena.organizer.file.league_file import LeagueFile
from arena.organizer.file.league_format import build_format, check_format
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.seal.ledger_entries import amended_field

FOLDER = Path(__file__).parents[2] / "sample_bots"
FILES = sorted([FOLDER / "league.toml", *(FOLDER / "leagues").glob("*.toml")])
SIMPLE, CHEATER = {"counter", "honest", "gambler", "random_legal"}, {"forecaster", "set_chaser", "denier", "cautious"}
CHEAT = SIMPLE | {"planner", "modeller", "search"}
PRESETS = ("standard", "folk", "rank_lock", "ascending")


def form_in(league: LeagueFile) -> Format:
    """Return the format that a file requests."""
    return build_format(league.format, league.settings)


def samples_in(league: LeagueFile) -> set[str]:
    """Return the samples that take part, under any name: a sample is a folder."""
    programs = [player.program for player in league.bots.values()]
    return {program.folder.name for program in programs if isinstance(program, BotProgram)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_sample_league_can_be_seated(path):
    league = read_league_file(path)
    form, field = form_in(league), amended_field(league, (), bytes(32))

    check_format(form, field)

    assert form.draw_round(1, field)
    assert 50 < (form.size(field).games or 0) < 1000
    assert all(each.content for each in league.entrants)


def test_sample_leagues_cover_each_format():
    formats = {path.stem: read_league_file(path).format for path in FILES}

    assert set(formats.values()) == set(FORMATS)
    assert all(name == formats[name] for name in FORMATS), "a file is named after its format"


def test_all_sample_bots_take_part():
    leagues = {path.stem: read_league_file(path) for path in FILES}

    assert samples_in(leagues["league"]) == SIMPLE
    for preset in PRESETS:
        everybody = leagues[f"all-{preset.replace('_', '-')}"]
        assert samples_in(everybody) == CHEAT
        assert everybody.terms.preset == preset
    assert samples_in(leagues["cheater"]) == CHEATER
    assert set(sample_names()) == CHEAT | CHEATER


def test_differently_tuned_copies_are_sealed_as_different_bots():
    league = read_league_file(FOLDER / "league.toml")

    assert len({each.content for each in league.entrants}) == len(league.entrants)

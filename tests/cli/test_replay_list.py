"""The filters of `arena replay list`: what is listed, what is not, and what an empty list says."""

import asyncio
from datetime import UTC, datetime

import pytest

from arena.cli.exit_codes import ExitCode
from arena.cli.replay.list_matches import ListFilters
from arena.cli.replay.own_matches import accepts_own_match
from arena.competition.league.ports import LeagueRow
from arena.errors import OptionError
from arena.match.referee.ports import DealRow, MatchId
from arena.replays.library.library_entry import MatchSource
from arena.replays.library.match_filter import MatchFilter
from arena.server.store.open_store import open_store
from cheatarena.author import OwnMatch, OwnResult
from tests.match.referee.driver import S
from tests.support.commands import run_arena
from tests.support.recorded_matches import CREATED_AT, DataFolder, ManualMatch

JOURNAL, LEAGUE_JOURNAL = "01HZ0000000000000000000NDE", "01HZ0000000000000000000NDF"
PLAIN, FAULTY = "01JZ0000000000000000000AGE", "01JZ0000000000000000001AGE"
OF_LEAGUE, OF_COMPARISON = "01K0000000000000000000LGE", "01K0000000000000000000CMP"
OPEN_OF_LEAGUE = "01K1000000000000000000LGE"
LEAGUES = {"01JX000000000000000000000L": "golden", "01JX000000000000000000000C": "compare/abc/1"}


@pytest.fixture
def folder(tmp_path):
    """Two plain matches, one of a league and one of a comparison; all ended, and Cid came last in each."""
    folder = DataFolder(tmp_path / "data")
    faulty = ManualMatch(FAULTY, number=2)
    faulty.bench.run_until(2 * S)
    plain, faulty = ManualMatch(PLAIN, number=1).play_out(), faulty.play_out()
    others = [ManualMatch(each, number=n).play_out() for n, each in enumerate((OF_LEAGUE, OF_COMPARISON), 1)]
    folder.write_journal(JOURNAL, plain, faulty)
    folder.store_matches(JOURNAL, plain, faulty)
    folder.write_journal(LEAGUE_JOURNAL, *others, ManualMatch(OPEN_OF_LEAGUE, number=3))
    folder.store_matches(LEAGUE_JOURNAL, *others)
    asyncio.run(add_deals(folder))
    return folder


async def add_deals(folder: DataFolder) -> None:
    league, comparison = LEAGUES
    deals = {
        PLAIN: (PLAIN, JOURNAL),
        FAULTY: (FAULTY, JOURNAL),
        OF_LEAGUE: (f"block:{league}.1.0", LEAGUE_JOURNAL),
        OF_COMPARISON: (f"block:{comparison}.1.0", LEAGUE_JOURNAL),
        OPEN_OF_LEAGUE: (f"block:{league}.2.0", LEAGUE_JOURNAL),
    }
    async with await open_store(folder.path) as store:
        for league_id, name in LEAGUES.items():
            await store.leagues.add_league(LeagueRow(name, league_id, CREATED_AT, "", {}))
        for match_id, (deal_id, journal) in deals.items():
            commitment = match_id.encode().ljust(32)
            row = DealRow(0, MatchId(match_id), deal_id, f"{journal}.journal", 0, CREATED_AT, b"", commitment, b"")
            await store.deals.commit(row)


@pytest.fixture
def replay_list(capsys, folder):
    """Run `arena replay list` on the folder."""

    def run(*arguments, code=ExitCode.YES):
        ended = run_arena(capsys, "replay", "list", *arguments, "--data", folder.path)
        assert ended.code == code, ended.err
        return ended

    return run


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        ((), [FAULTY, PLAIN]),
        (("--all",), [OPEN_OF_LEAGUE, OF_LEAGUE, OF_COMPARISON, FAULTY, PLAIN]),
        (("--source", "match"), [FAULTY, PLAIN]),
        (("--source", "compare"), [OF_COMPARISON]),
        (("--source", "league"), [OPEN_OF_LEAGUE, OF_LEAGUE]),
        (("--limit", "1"), [FAULTY]),
        (("--source", "compare", "--limit", "1"), [OF_COMPARISON]),
        (("--faults",), [FAULTY]),
        (("--faults", "--entrant", "Ann"), [FAULTY]),
        (("--faults", "--entrant", "Cid"), []),
        (("--entrant", "Bob"), [FAULTY, PLAIN]),
        (("--entrant", "Bo"), []),
        (("--lost", "--entrant", "Cid"), [FAULTY, PLAIN]),
        (("--lost", "--entrant", "Ann"), []),
        (("--lost", "--entrant", "Cid", "--all", "--preset", "standard"), [OF_LEAGUE, OF_COMPARISON, FAULTY, PLAIN]),
        (("--preset", "folk"), []),
        (("--since", "2023-01-01"), [FAULTY, PLAIN]),
        (("--since", "2h"), []),
    ],
    ids=lambda each: " ".join(each) or "none" if isinstance(each, tuple) else "",
)
def test_filters_combine_and_json_has_the_same_matches(replay_list, arguments, ids):
    listed = replay_list(*arguments, "--json").json
    text = replay_list(*arguments).out

    assert [entry["match_id"] for entry in listed] == ids
    assert [line.partition(" ")[0] for line in text.splitlines() if line.startswith("01")] == ids


def test_json_names_source_and_league(replay_list):
    listed = replay_list("--all", "--json").json

    assert {entry["match_id"]: (entry["source"], entry["league"]) for entry in listed} == {
        OPEN_OF_LEAGUE: ("league", "golden"),
        OF_LEAGUE: ("league", "golden"),
        OF_COMPARISON: ("compare", "compare/abc/1"),
        FAULTY: ("match", None),
        PLAIN: ("match", None),
    }


def test_matches_left_out_are_mentioned(replay_list):
    assert replay_list().out.endswith("\nleft out: 3 matches of leagues and comparisons; --all lists them\n")
    assert "left out" not in replay_list("--all").out
    assert "    league golden: Ann" in replay_list("--source", "league").out
    assert "    compare/abc/1: Ann" in replay_list("--source", "compare").out


def test_empty_list_mentions_what_is_left_out(capsys, folder):
    lines = run_arena(capsys, "replay", "list", "--preset", "folk", "--data", folder.path).out.splitlines()

    assert lines == ["no match fits: preset folk", "left out: 3 matches of leagues and comparisons; --all lists them"]


def test_rows_fit_into_80_columns(replay_list):
    assert max(map(len, replay_list("--all").out.splitlines())) <= 80


def test_lost_games_are_named(replay_list):
    assert "    Cid came last in game 0\n" in replay_list("--lost", "--entrant", "Cid").out


def test_empty_list_says_what_was_filtered(replay_list):
    arguments = ("--entrant", "Zoe", "--lost", "--faults", "--preset", "folk", "--since", "2023-01-01 12:00")

    out = replay_list(*arguments).out

    assert out.startswith("no match fits: entrant Zoe, lost, with faults, since 2023-01-01 12:00, preset folk\n")
    assert replay_list("--source", "league", "--preset", "folk").out == "no match fits: source league, preset folk\n"


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("--entrant", "Bo"), "unknown entrant 'Bo'; known: Ann, Bob, Cid; did you mean Bob?\n"),
        (("--entrant", "Zoe", "--lost", "--json"), "unknown entrant 'Zoe'; known: Ann, Bob, Cid\n"),
        (("--entrant", "Ann", "--lost"), ""),
        (("--entrant", "Ann"), ""),
        (("--preset", "folk"), ""),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_unknown_entrant_is_told_with_the_names_there_are(replay_list, arguments, names):
    assert replay_list(*arguments).err == names


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--since", "yesterdayish"), "expected a date (2026-11-23), a date and time"),
        (("--since", "0h"), "expected a date"),
        (("--preset", "standrd"), "unknown preset 'standrd'; known: standard"),
        (("--preset", "standrd"), "; did you mean standard?"),
        (("--lost",), "expected --entrant NAME as well"),
        (("--all", "--source", "league"), "expected either --all or --source league"),
        (("--source", "match", "--server", "127.0.0.1:1"), "a server does not say what a match was played for"),
        (("--source", "ligue"), "ligue"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_wrong_value_is_refused(replay_list, arguments, sentence):
    assert sentence in replay_list(*arguments, code=ExitCode.USAGE).err


def test_matches_without_a_deal_are_listed_with_a_sentence(capsys, tmp_path):
    """As in stores of versions that committed no deals."""
    folder = DataFolder(tmp_path / "old")
    match = ManualMatch(PLAIN).play_out()
    folder.write_journal(JOURNAL, match)
    folder.store_matches(JOURNAL, match)

    listed = run_arena(capsys, "replay", "list", "--json", "--data", folder.path)

    assert [(entry["match_id"], entry["source"]) for entry in listed.json] == [(PLAIN, None)]
    assert "nothing is recorded about what 1 of these matches were played for" in listed.err


def test_more_matches_than_a_page_are_searched(capsys, tmp_path):
    """The oldest one is found behind many that do not fit."""
    folder = DataFolder(tmp_path / "many")
    ids = [f"01K00000000000000000000{number:03}" for number in range(50)]
    matches = [ManualMatch(each, number=number, entrants=2 if number else 3) for number, each in enumerate(ids, 1)]
    odd = ManualMatch(PLAIN, number=99)
    folder.write_journal(JOURNAL, odd, *matches)
    folder.store_matches(JOURNAL, odd.play_out())

    listed = run_arena(capsys, "replay", "list", "--lost", "--entrant", "Cid", "--json", "--data", folder.path).json

    assert [entry["match_id"] for entry in listed] == [PLAIN]


@pytest.mark.parametrize(
    ("text", "seconds"), [("45s", 45), ("90m", 5400), ("2h", 7200), ("3d", 259_200), ("1.5h", 5400), (" 2h ", 7200)]
)
def test_since_takes_a_length(text, seconds):
    assert ListFilters(since=text).to_filter(False, lambda: 1e9).since == 1e9 - seconds


def test_since_takes_dates_with_and_without_zone():
    local = ListFilters(since="2026-11-23 14:00").to_filter(False).since

    assert local == datetime(2026, 11, 23, 14).astimezone().timestamp()
    assert (
        ListFilters(since="2026-11-23T14:00+00:00").to_filter(False).since
        == datetime(2026, 11, 23, 14, tzinfo=UTC).timestamp()
    )


def test_copies_of_a_bot_are_the_same_entrant():
    wanted = MatchFilter(entrant="counter")

    assert [wanted.accepts_name(name) for name in ("counter", "counter#2", "counter/1", "counters", "Counter")] == [
        True,
        True,
        True,
        False,
        False,
    ]


# ---- with --server


def own_match(places=(1,), points=3.0, strikes=0, entrants=("ann", "bob", "cid", "dan")) -> OwnMatch:
    """Give a match of the bot `ann` as a server describes it."""
    return OwnMatch(
        match_id=PLAIN,
        created_at=datetime(2026, 11, 23, tzinfo=UTC),
        is_over=True,
        termination="finished",
        game="cheat",
        preset="standard",
        rules_version="1",
        pace="sealed",
        turn_ms=1,
        call_ms=1,
        has_deadlines=True,
        entrants=entrants,
        game_count=len(places),
        is_rated=True,
        results=(OwnResult(0, places, points, {"late": strikes}),),
    )


@pytest.mark.parametrize(
    ("places", "points", "is_lost"),
    [
        pytest.param((4,), 0.0, True, id="last"),
        pytest.param((2,), 2 / 3, False, id="second"),
        pytest.param((3,), 1 / 3, False, id="third"),
        pytest.param((2,), 1 / 3, True, id="all-but-the-winner-share-the-second-place"),
        pytest.param((3,), 1 / 6, True, id="shared-last-place"),
        pytest.param((2,), 1 / 6, True, id="two-first-and-two-second"),
        pytest.param((1,), 0.5, False, id="draw-of-all"),
        pytest.param((1, 4, 1), 2.0, True, id="one-of-three-games"),
        pytest.param((1, 2), 1.7, False, id="none-of-two-games"),
    ],
)
def test_server_list_finds_lost_matches(places, points, is_lost):
    assert accepts_own_match(own_match(places, points), MatchFilter(is_lost=True)) is is_lost


def test_server_list_has_the_other_filters():
    begin = datetime(2026, 11, 23, tzinfo=UTC).timestamp()

    assert accepts_own_match(own_match(), MatchFilter(entrant="bob", preset="standard", since=begin))
    assert not accepts_own_match(own_match(), MatchFilter(entrant="zoe"))
    assert not accepts_own_match(own_match(), MatchFilter(preset="folk"))
    assert not accepts_own_match(own_match(), MatchFilter(since=begin + 1))
    assert not accepts_own_match(own_match(), MatchFilter(has_faults=True))
    assert accepts_own_match(own_match(strikes=1), MatchFilter(has_faults=True))


def test_server_list_needs_no_entrant_for_losses():
    assert ListFilters(lost=True).to_filter(True) == MatchFilter(is_lost=True)
    with pytest.raises(OptionError, match="a server does not say"):
        ListFilters(source=MatchSource.LEAGUE).to_filter(True)

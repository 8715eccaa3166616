"""What a killed server left running is closed by rule when the next one begins."""

from pathlib import Path

from arena.match.archive import first_row
from arena.match.inputs import Input, Kind, write
from arena.match.pace import Pace
from arena.match.ports import MatchId
from arena.match.terms import Terms, describe_terms
from arena.rules.cheat.game import CHEAT
from arena.store.journal_file import JournalFile
from arena.store.opening import open_store
from arena.store.recovery import close_interrupted

GAMES = {"cheat": CHEAT}
TERMS = Terms(CHEAT, "standard", CHEAT.ruleset("standard", {}), Pace.sealed(), ("ann", "bob", "cid"), game_count=2)


def begin(number: int, match_id: str) -> bytes:
    values = {"match_id": match_id, "terms": describe_terms(TERMS), "absent": []}
    return write(Input(Kind.BEGIN, number, 0, 0, begin=values))


async def test_a_match_without_its_end_becomes_interrupted(tmp_path: Path):
    """Its row no longer says that it runs, and it has no result for the game that was being dealt."""
    async with await open_store(tmp_path) as store:
        await store.results.add_match(first_row(MatchId("M1"), 1, TERMS, "n.journal", 0.0))
        journal = JournalFile(store.journals / "n.journal")
        journal.append(begin(1, "M1"))
        journal.flush()
        journal.close()

        count = await close_interrupted(store.results, store.journals, GAMES)

        row = await store.results.match(MatchId("M1"))
        assert count == 1
        assert (row.state, row.termination) == ("ended", "interrupted")
        assert await store.results.games(MatchId("M1")) == []


async def test_a_match_whose_other_entrants_gave_up_keeps_its_forfeits(tmp_path: Path):
    """Games that were over by forfeit before the server died are kept, with both absent entrants behind."""
    async with await open_store(tmp_path) as store:
        await store.results.add_match(first_row(MatchId("M2"), 7, TERMS, "n.journal", 0.0))
        journal = JournalFile(store.journals / "n.journal")
        values = {"match_id": "M2", "terms": describe_terms(TERMS), "absent": [0, 2]}
        journal.append(write(Input(Kind.BEGIN, 7, 0, 0, begin=values)))
        journal.flush()
        journal.close()

        await close_interrupted(store.results, store.journals, GAMES)

        games = await store.results.games(MatchId("M2"))
        assert [game.places for game in games] == [(3, 1, 2), (3, 1, 2)]
        assert (await store.results.match(MatchId("M2"))).termination == "forfeited"


async def test_a_journal_that_is_gone_costs_the_match_its_games_only(tmp_path: Path):
    """The next server starts all the same."""
    async with await open_store(tmp_path) as store:
        await store.results.add_match(first_row(MatchId("M3"), 1, TERMS, "gone.journal", 0.0))

        await close_interrupted(store.results, store.journals, GAMES)

        assert (await store.results.match(MatchId("M3"))).termination == "interrupted"


async def test_nothing_left_running_is_nothing_to_do(tmp_path: Path):
    """A clean folder stays as it is."""
    async with await open_store(tmp_path) as store:
        assert await close_interrupted(store.results, store.journals, GAMES) == 0

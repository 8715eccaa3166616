"""Matches that ended nodes had started are found in their journals, each of which is read once."""

from collections.abc import Collection
from pathlib import Path

from arena.competition.league.ports import BlockRow
from arena.match.referee.ports import MatchId
from arena.organizer.play import block_runner as at_work
from arena.organizer.play.block_runner import MatchRecords, ResumableRecords
from tests.support.recorded_matches import DataFolder, ManualMatch

IDS = [MatchId(f"01JB000000000000000000000{number}") for number in range(4)]


def row(number: int, matches: list[MatchId], *journals: str) -> BlockRow:
    return BlockRow(number, 0, 1, "", (("a", "b"),) * len(matches), tuple(matches), journals)


async def test_longest_record_of_each_match_is_resumed(tmp_path, monkeypatch):
    folder = DataFolder(tmp_path)
    short, long, other, foreign = (
        ManualMatch(IDS[0], 1),
        ManualMatch(IDS[0], 7).play_out(),
        ManualMatch(IDS[1], 2),
        ManualMatch(IDS[3], 3),
    )
    folder.write_journal("first", short, other, foreign)
    folder.write_journal("second", long)
    read: list[str] = []
    plain = at_work._read_unfinished

    def counted(path: Path, wanted: Collection[MatchId]) -> MatchRecords:
        read.append(path.stem)
        return plain(path, wanted)

    monkeypatch.setattr(at_work, "_read_unfinished", counted)
    begun = ResumableRecords(tmp_path / "journals", lambda: IDS[:3])

    here = await begun.records_for(row(1, [IDS[0], IDS[2]], "first.journal", "second.journal", "now.journal"))
    there = await begun.records_for(row(2, [IDS[1], IDS[3]], "first.journal", "now.journal"))

    assert here == {IDS[0]: long.records, IDS[2]: ()}
    assert there == {IDS[1]: other.records, IDS[3]: ()}
    assert read == ["first", "second"]


async def test_missing_or_damaged_journal_has_no_started_matches(tmp_path):
    path = DataFolder(tmp_path).write_journal("first", ManualMatch(IDS[0]).play_out())
    path.write_bytes(b"no journal")
    begun = ResumableRecords(tmp_path / "journals", lambda: IDS)

    found = await begun.records_for(row(1, [IDS[0]], "first.journal", "gone.journal", "now.journal"))

    assert found == {IDS[0]: ()}


async def test_new_block_reads_no_journal(tmp_path):
    assert await ResumableRecords(tmp_path / "nowhere", lambda: IDS).records_for(row(1, [IDS[0]], "now.journal")) == {}

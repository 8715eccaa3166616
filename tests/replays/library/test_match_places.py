"""One match of a journal is found without reading the others, also when the journal has grown or was cut off."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.errors import JournalError
from arena.match.referee.ports import MatchId
from arena.replays.library import match_places
from arena.replays.library.journals import JournalReader, read_match_records
from arena.replays.library.match_places import MatchPlaces
from arena.server.store.journal_file import JournalFile, read_records
from tests.support.recorded_matches import DataFolder, ManualMatch

IDS = [MatchId(f"01JZ8QK3T5V7X9B2D4F6H8M00{letter}") for letter in "ABC"]


def match(number: int) -> ManualMatch:
    return ManualMatch(IDS[number], number).play_out()


@dataclass
class CountingReads:
    """Counts the records that are read from journals."""

    count: int = 0

    def __call__(self, *given):
        reader = read_records(*given)
        records = iter(reader)

        def count_records():
            for record in records:
                self.count += 1
                yield record

        reader._records = count_records()
        return reader


def scan(journal: Path, number: int) -> list[bytes]:
    """Return the records of a match by reading everything."""
    return read_match_records(JournalReader(journal), {number})[number]


def test_each_match_has_its_own_records_in_order(tmp_path):
    """Their groups are mixed, as on a node."""
    journal = DataFolder(tmp_path / "data").write_journal("j", match(0), match(1), match(2))
    places = MatchPlaces()

    for number in (1, 0, 2, 1):
        assert places.records(journal, number) == scan(journal, number) != []
    assert places.records(journal, 7) == []


def test_second_match_is_found_without_reading_everything_again(tmp_path, monkeypatch):
    journal = DataFolder(tmp_path / "data").write_journal("j", match(0))
    file = tmp_path / "data" / "journals" / "k.journal"
    later = DataFolder(tmp_path / "other").write_journal("k", match(1))
    writer = JournalFile(file)
    for record in [*read_records(journal), *read_records(later)]:
        writer.append(record)
        writer.flush()
    writer.close()
    reads, places = CountingReads(), MatchPlaces()
    monkeypatch.setattr(match_places, "read_records", reads)

    places.records(file, 0)
    reads.count = 0
    found = places.records(file, 1)

    assert found == scan(file, 1)
    assert reads.count == len(found)


def test_journal_that_grows_is_read_on(tmp_path):
    file = JournalFile(tmp_path / "j.journal")
    places, wanted = MatchPlaces(), match(0).records
    for record in wanted:
        file.append(record)
        file.flush()
        assert places.records(file.path, 0) == scan(file.path, 0)
    file.close()

    assert places.records(file.path, 0) == wanted


def test_journal_that_was_cut_off_and_written_again_is_searched_anew(tmp_path):
    """After a failed sync, the server writes the end of a journal again."""
    data = DataFolder(tmp_path / "data")
    journal, places = data.write_journal("j", match(0), match(1)), MatchPlaces()
    places.records(journal, 0)
    journal.unlink()
    data.write_journal("j", match(2), match(1), match(0))

    for number in (0, 1, 2):
        assert places.records(journal, number) == scan(journal, number) != []


def test_damage_is_an_error_for_what_lies_behind_it(tmp_path):
    journal = DataFolder(tmp_path / "data").write_journal("j", match(0), match(1))
    content = bytearray(journal.read_bytes())
    content[len(content) // 2] ^= 1
    journal.write_bytes(content)

    with pytest.raises(JournalError, match="damaged"):
        MatchPlaces().records(journal, 0)


def test_missing_journal_is_an_error(tmp_path):
    with pytest.raises(JournalError, match="cannot be read"):
        MatchPlaces().records(tmp_path / "none.journal", 0)

"""A replay file of a match with lag purses has every round trip that moved a deadline."""

from arena.match.referee.inputs import Begin, read_record
from arena.match.referee.scalars import Instant
from arena.match.referee.terms import describe_terms
from arena.replays.proof.replayed_match import inputs_to_plain, records_from
from tests.match.referee.driver import MS, make_driver
from tests.support.prepared_cheat import sealed_cheat


def test_round_trips_survive_in_the_file():
    match = make_driver(sealed_cheat("4D KS", "QS 9D", "2C 7C"), 3, lag_purse=True)
    start, terms = Instant(0), describe_terms(match.terms)
    match.apply(Begin(start, start, match.table.match_id, terms, round_trips=(80 * MS, 0, 30 * MS)))
    assert match.prompt(0).deadline == 2_080 * MS, "the first prompt is timed by it"
    match.measure(1, 60 * MS, 5)
    match.send(0, "1K 4D", 10)

    document = {
        "match_id": match.table.match_id,
        "terms": terms,
        "deal": {"contributions": None},
        "inputs": inputs_to_plain(match.paper.records),
    }

    assert [*map(read_record, records_from(document))] == [*map(read_record, match.paper.records)]
    match.check_replay()

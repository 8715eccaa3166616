"""The stored forms of values in files, stores and hashes, written out so that no change of them goes unnoticed."""

# ruff: noqa: E501  a stored form is one line of text

import hashlib
import json
import sqlite3
from dataclasses import replace
from math import inf, nan
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.competition.league.model import Block, BlockResult, TableResult
from arena.competition.league.ports import BlockRow, LeagueRow, LedgerEntry
from arena.games.catalogue import games
from arena.games.cheat.rules.events import Called, Dealt, DeckCut, Played
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.ruleset import CheckMode
from arena.games.cheater.rules.game import CHEATER
from arena.match.deal.commitment import Contribution
from arena.match.game import Seat
from arena.match.referee.deal import DealSecret, rules_hash_of_terms
from arena.match.referee.deal_serialization import (
    contributions_from_plain,
    describe_contributions,
    describe_revealed_deal,
    describe_secret,
    revealed_deal_from_plain,
    secret_from_plain,
)
from arena.match.referee.facts import (
    DealReceipt,
    DealRevealed,
    GameEnded,
    GameStarted,
    MatchEnded,
    MatchStarted,
    StrikeKind,
)
from arena.match.referee.match_record import MatchRecord, derive_match_record, event_line, new_match_row
from arena.match.referee.pace import Pace, build_pace, describe_pace
from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.sealed_results import open_results, seal_record
from arena.match.referee.strike_record import Conditions, ProcessTimes, StrikeRecord, strike_to_plain
from arena.match.referee.terms import Terms, describe_terms, terms_from_plain
from arena.organizer.report.report_json import write_report_json
from arena.organizer.seal.ledger import Ledger
from arena.organizer.seal.open_league import OpenLeague
from arena.organizer.view.publication import build_publication
from arena.plain_data import canonical_json, from_plain, to_finite_plain, to_plain
from arena.replays.analytics.counts import AnalyticsTotals, PairTreatment, SeatAnalytics
from arena.server.store.open_store import Store, open_store
from tests.replays.narration.random_match import MATCH, RandomMatch
from tests.support.league_views import make_league_view, make_names
from tests.support.recorded_matches import CREATED_AT

S0, S1, S2 = Seat(0), Seat(1), Seat(2)
TERMS = Terms(CHEAT, "folk", CHEAT.build_ruleset("folk", {}), Pace.live_defaults(), ("Žofie", "bob"), 3)


def written(value: Any) -> str:
    """Return a value as JSON, with its keys in their own order."""
    return json.dumps(value, ensure_ascii=False)


# ---- events


E10 = EntrantIndex(1), EntrantIndex(0)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (MatchStarted(), '[5,"MatchStarted",{}]'),
        (GameStarted(0, E10), '[5,"GameStarted",{"entrants":[1,0],"game":0}]'),
        (DeckCut(S0, (9, 8)), '[5,"DeckCut",{"dealer":0,"sizes":[9,8]}]'),
        (
            Dealt(((1, 0), (0, 2)), S1, S0, sizes_visible=True),
            '[5,"Dealt",{"dealer":0,"first":1,"hands":[[1,0],[0,2]],"sizes_visible":true}]',
        ),
        (
            Played(S2, bytes([0, 7, 51]), 12, 3, emptied=False, to_move=None, face_up=False, sizes_visible=True),
            '[5,"Played",{"cards":[0,7,51],"count":3,"emptied":false,"face_up":false,"rank":12,"seat":2,"sizes_visible":true,"to_move":null}]',
        ),
        (
            Called(S1, S0, True, b"", CheckMode.PUBLIC, S0, (0, 1), None, sizes_visible=False),
            '[5,"Called",{"accused":0,"caller":1,"cards":[],"check":"public","right":true,"sizes_visible":false,"taken":[0,1],"taker":0,"to_move":null}]',
        ),
        (
            GameEnded(0, (1, 2), "out", E10),
            '[5,"GameEnded",{"entrants":[1,0],"game":0,"places":[1,2],"termination":"out"}]',
        ),
        (MatchEnded("finished", (3, 3)), '[5,"MatchEnded",{"place_sums":[3,3],"termination":"finished"}]'),
    ],
)
def test_event_in_canonical_form(event, line):
    assert event_line(Instant(5), event).decode() == line


def test_game_values_as_plain_data():
    """Cards are lists of numbers wherever they occur; sets are sorted."""
    values = {"a": (b"\x01\x02", None), 3: frozenset({3, 1, 2}), "č": [CheckMode.PUBLIC_PLUS, 0.5, True]}

    assert to_plain(values) == {"a": [[1, 2], None], "3": [1, 2, 3], "č": ["public+", 0.5, True]}


@pytest.mark.parametrize(
    ("game", "binds_terms", "digest"),
    [
        (CHEAT, False, "368201407be04ffaacf2b765ac7131d79a0ba4c797f74fd10512d871d7923108"),
        (CHEAT, True, "4a83975a03fa649abad7936dbcb119b65a349c3d29c1d8d6d5df3d168dcdbff6"),
        (CHEATER, False, "1742adb1d20d2e6231c69a05427f3e37045bf5617dcaf2507d128aa207ebf1b9"),
        (CHEATER, True, "7b0b197aec6953e5d12bcd2a66e13ff3e0124a98fee90fbee3aec4153f9b79a8"),
    ],
)
def test_digests_of_whole_matches(game, binds_terms, digest):
    """The digests cover all events of a game with mistakes, missing answers and departures, and the replay file.

    With receipts of release 0.1.0, which do not bind the terms, the file is that release's.
    """
    added = (Contribution(0, b"p" * 32, b"e" * 32), Contribution(1, b"q" * 32, b"", "missing"))
    match = RandomMatch(game, 3, seed=3, leaving=0.002, contributions=added, binds_terms=binds_terms).play()
    row = new_match_row(MATCH, 1, match.bench.terms, "j.journal", CREATED_AT)

    record = derive_match_record(row, match.bench.paper.records, games())

    lines = [*(each.digest for each in record.games), written([*record.match.faults, *record.match.statistics])]
    whole = hashlib.sha256("\n".join(lines).encode() + match.file()).hexdigest()
    assert (len(record.games), whole) == (1, digest)


# ---- strikes

LATE = StrikeRecord(
    entrant=1,
    game=0,
    turn=12,
    kind=StrikeKind.LATE,
    prompt_id=40,
    prompt="turn",
    allowed_us=2_000_000,
    came_us=2_000_400,
    handled_us=30,
    reason="too_late",
    action="2K KS4D",
    automatic="pass",
    conditions=Conditions(True, 150, 20, 0, 1_900_000, 3, ProcessTimes("R", 1_000, 20, 2_000_000)),
)
LATE_TEXT = '{"entrant": 1, "game": 0, "turn": 12, "kind": "late", "prompt_id": 40, "prompt": "turn", "allowed_us": 2000000, "came_us": 2000400, "handled_us": 30, "reason": "too_late", "action": "2K KS4D", "automatic": "pass", "conditions": {"is_connected": true, "round_trip_us": 150, "sending_us": 20, "loop_lag_us": 0, "heard_us": 1900000, "open_count": 3, "process": {"state": "R", "ran_us": 1000, "waited_us": 20, "span_us": 2000000}}}'
GONE_TEXT = '{"entrant": 0, "game": 2, "turn": 0, "kind": "gone", "prompt_id": 0, "prompt": "", "allowed_us": null, "came_us": null, "handled_us": 0, "reason": "", "action": "", "automatic": "", "conditions": null}'


CRASHED = StrikeRecord(0, 0, 3, StrikeKind.CRASHED, 9, "turn", 2_000_000, 5_000, no_answer="crashed", words="turn(): x")
CRASHED_TEXT = '{"entrant": 0, "game": 0, "turn": 3, "kind": "crashed", "prompt_id": 9, "prompt": "turn", "allowed_us": 2000000, "came_us": 5000, "handled_us": 0, "reason": "", "action": "", "automatic": "", "no_answer": "crashed", "words": "turn(): x", "conditions": null}'


@pytest.mark.parametrize(
    ("record", "text"),
    [(LATE, LATE_TEXT), (StrikeRecord(0, 2, 0, StrikeKind.GONE), GONE_TEXT), (CRASHED, CRASHED_TEXT)],
)
def test_strike_record(record, text):
    assert written(strike_to_plain(record)) == text
    assert from_plain(json.loads(text), StrikeRecord) == record


def test_conditions_that_release_0_2_did_not_know_are_stored_only_if_they_were_seen():
    seen = replace(LATE, conditions=Conditions(True, alive_us=40, is_silent=True))

    plain = strike_to_plain(seen)

    assert (plain["conditions"]["alive_us"], plain["conditions"]["is_silent"]) == (40, True)
    assert from_plain(plain, StrikeRecord) == seen


def test_strike_record_without_later_fields():
    """Fields with a default may be missing, in conditions too."""
    old = {"entrant": 0, "game": 2, "turn": 0, "kind": "gone", "conditions": None}
    seen = {"entrant": 0, "game": 2, "turn": 0, "kind": "gone", "conditions": {"is_connected": False, "process": None}}

    assert from_plain(old, StrikeRecord) == StrikeRecord(0, 2, 0, StrikeKind.GONE)
    assert from_plain(seen, StrikeRecord).conditions == Conditions(is_connected=False)


# ---- deals

SECRET = DealSecret("shared.1", bytes([1]) * 32, bytes(range(32)), (b"\xaa" * 32, b"\xbb" * 32), 3, b"\xcc" * 32)
SECRET_TEXT = '{"deal_id": "shared.1", "rules_hash": "0101010101010101010101010101010101010101010101010101010101010101", "seed": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "salts": ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"], "table": 3, "terms_salt": "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"}'
CONTRIBUTIONS = (Contribution(0, b"p" * 32, b"e" * 32), Contribution(2, b"q" * 32, b"", "missing"))
CONTRIBUTIONS_TEXT = '[{"entrant": 0, "promise": "7070707070707070707070707070707070707070707070707070707070707070", "entropy": "6565656565656565656565656565656565656565656565656565656565656565", "fault": ""}, {"entrant": 2, "promise": "7171717171717171717171717171717171717171717171717171717171717171", "entropy": "", "fault": "missing"}]'
REVEALED = DealRevealed(
    deal_id="M1",
    rules_hash=bytes([1]) * 32,
    seed=bytes([2]) * 32,
    commitment=bytes([3]) * 32,
    root=b"",
    contributions=CONTRIBUTIONS[1:],
    salts=(bytes([4]) * 4,),
    receipts=(DealReceipt(b"\x05", b"\x06", b"\x07"),),
    terms_salt=b"\x08\x08",
    terms_hash=b"\x09\x09",
)
REVEALED_TEXT = '{"deal_id": "M1", "rules_hash": "0101010101010101010101010101010101010101010101010101010101010101", "seed": "0202020202020202020202020202020202020202020202020202020202020202", "commitment": "0303030303030303030303030303030303030303030303030303030303030303", "root": "", "contributions": [{"entrant": 2, "promise": "7171717171717171717171717171717171717171717171717171717171717171", "entropy": "", "fault": "missing"}], "salts": ["04040404"], "receipts": [{"digest": "05", "signature": "06", "public_key": "07"}], "terms_salt": "0808", "terms_hash": "0909"}'


def test_deal_in_the_journal():
    assert written(describe_secret(SECRET)) == SECRET_TEXT
    assert secret_from_plain(json.loads(SECRET_TEXT)) == SECRET


def test_deal_in_a_journal_older_than_tables():
    old = json.loads(SECRET_TEXT)
    del old["table"]

    assert secret_from_plain(old).table == 0


def test_deal_of_release_0_1_0():
    """Its receipts do not bind the terms, so it has no salt and no hash for them."""
    secret, revealed = json.loads(SECRET_TEXT), json.loads(REVEALED_TEXT)
    del secret["terms_salt"], revealed["terms_salt"], revealed["terms_hash"]

    assert secret_from_plain(secret) == replace(SECRET, terms_salt=b"")
    assert revealed_deal_from_plain(revealed) == replace(REVEALED, terms_salt=b"", terms_hash=b"")


def test_entropy_contributions():
    assert written(describe_contributions(CONTRIBUTIONS)) == CONTRIBUTIONS_TEXT
    assert contributions_from_plain(json.loads(CONTRIBUTIONS_TEXT)) == CONTRIBUTIONS


def test_revealed_deal():
    assert written(describe_revealed_deal(REVEALED)) == REVEALED_TEXT
    assert revealed_deal_from_plain(json.loads(REVEALED_TEXT)) == REVEALED


def test_sealed_results_of_a_shared_deal():
    """A store keeps them so for ever, and opens them by the seed of the revealed deal."""
    row = MatchRow(MatchId("M1"), 1, "j", 0.0, "cheat", "folk", {}, ("ann", "bob"), True)
    struck = replace(row, faults=({"entrant": 0, "action": "2K 3HJD", "automatic": "", "reason": "not_in_hand"},))
    game = GameRow(MatchId("M1"), 0, (1, 2), "finished", 9, "1", "ab", b"the events")
    sealed = seal_record(MatchRecord(struck, (game,)), bytes(range(32)))

    assert sealed.games[0].events.hex() == SEALED_EVENTS
    assert sealed.match.faults[0]["action"] == SEALED_ACTION
    assert open_results(sealed.match, sealed.games, bytes(range(32))) == (struck, [game])


# ---- terms

SEALED_EVENTS = "7365616c6564207d7c22b26be20fe605a3044d179ff85c46c96391aa918eea071a"
SEALED_ACTION = "sealed aa26d58523fc3f450ce3a4cde7a7113dfe614ee6345df7"
PACE_TEXT = '{"call_ms":3000,"dispute_ms":200,"fixed_window":false,"intermission_ms":30000,"max_auto_moves":3,"min_call_ms":750,"no_deadlines":false,"reconnect_grace_ms":10000,"style":"live","turn_ms":20000}'
TERMS_DIGEST = "326883bec323ea63a044a841a7f0eda40924bc51b705ece14f0b192503fc838b"


def test_pace_settings():
    pace = Pace.live_defaults()

    assert canonical_json(describe_pace(pace)).decode() == PACE_TEXT
    read = json.loads(PACE_TEXT)
    assert build_pace(read.pop("style"), read) == pace


def test_match_terms():
    text = canonical_json(describe_terms(TERMS))

    found = hashlib.sha256(text).hexdigest(), rules_hash_of_terms(TERMS).hex()
    assert found == (TERMS_DIGEST, "72bbdace304b24596f7e7ccc5b3ef0e1ed0cf92f2e380f883a0f7fea7596ab75")
    assert terms_from_plain(json.loads(text), games()) == TERMS


# ---- analytics


def test_seat_description_of_a_game():
    seat = SeatAnalytics({"games": [1], "luck": [0.5]}, (PairTreatment(), PairTreatment(3.0, 1, 0.33333, 2.0)))
    text = '{"counts": {"games": [1], "luck": [0.5]}, "dealings": [[], [3, 1, 0.333, 2]]}'

    assert written(seat.to_plain()) == text
    totals = AnalyticsTotals()
    totals.add_plain(["a", "b"], [json.loads(text), {"counts": {}, "dealings": []}])
    assert totals.counts == {"a": {"games": [1], "luck": [0.5]}}
    assert totals.pairs["a", "b"][:5] == (1, 3, 1, 0.333, 2)


# ---- rows of the store

MATCH_ROW = MatchRow(
    match_id=MatchId("M1"),
    number=7,
    journal="12.journal",
    created_at=1_700_000_000.25,
    game="cheat",
    preset="folk",
    terms={"ruleset": {"decks": 1, "jokers": True}, "seating": ["given", None]},
    entrants=("counter", "Žofie"),
    rated=True,
    state="ended",
    termination="finished",
    strikes=({"late": 1, "gone": 0}, {}),
    statistics=({"turns": 12, "think_s": 0.5}, {"turns": 12.0}),
    faults=(strike_to_plain(LATE),),
)
GAME_ROW = GameRow(MatchId("M1"), 0, (2, 1), "out", 40, "1.0", "ab" * 32, b"\x00packed\xff")
TABLE = TableResult("M2", ("b", "a"), (1, 2), "won", frozenset({"b", "a"}), ({"late": 2}, {}), 31)
OTHER_TABLE = TableResult("M3", ("c", "d"), (2, 1), "won", frozenset(), ({}, {}), 30)
OPEN_ROW = BlockRow(3, 1, 2, "final", (("b", "a"), ("c", "d")), (MatchId("M2"), MatchId("M3")), ("1.journal",))
LEAGUE = LeagueRow("cup", "L1", 12.5, "the file", {"name": "cup", "seats": 2})


@pytest.fixture
async def store(tmp_path):
    async with await open_store(tmp_path) as opened:
        yield opened


def raw_rows(store: Store, table: str) -> list[tuple[Any, ...]]:
    """Return all rows of a table as they are in the database file."""
    connection = sqlite3.connect(next(store.folder.glob("arena.db")))
    try:
        return connection.execute(f"SELECT * FROM {table}").fetchall()
    finally:
        connection.close()


async def test_match_rows(store: Store):
    await store.results.add_match(MATCH_ROW)
    await store.results.add_games(MATCH_ROW, [GAME_ROW])

    assert raw_rows(store, "match") == [
        (
            "M1",
            7,
            "12.journal",
            1700000000.25,
            "cheat",
            "folk",
            '{"ruleset":{"decks":1,"jokers":true},"seating":["given",null]}',
            '["counter","Žofie"]',
            1,
            "ended",
            "finished",
            '[{"late":1,"gone":0},{}]',
            '[{"turns":12,"think_s":0.5},{"turns":12.0}]',
            '[{"entrant":1,"game":0,"turn":12,"kind":"late","prompt_id":40,"prompt":"turn","allowed_us":2000000,"came_us":2000400,"handled_us":30,"reason":"too_late","action":"2K KS4D","automatic":"pass","conditions":{"is_connected":true,"round_trip_us":150,"sending_us":20,"loop_lag_us":0,"heard_us":1900000,"open_count":3,"process":{"state":"R","ran_us":1000,"waited_us":20,"span_us":2000000}}}]',
        )
    ]
    assert raw_rows(store, "game") == [
        (
            "M1",
            0,
            "[2,1]",
            "out",
            40,
            "1.0",
            "abababababababababababababababababababababababababababababababab",
            b"\x00packed\xff",
        )
    ]
    found = await store.results.match(MATCH_ROW.match_id)
    assert found == MATCH_ROW
    assert written(found.statistics) == '[{"turns": 12, "think_s": 0.5}, {"turns": 12.0}]'
    assert await store.results.games(MATCH_ROW.match_id) == [GAME_ROW]


async def test_league_rows(store: Store):
    """A block is stored as it begins, and then with its outcome."""
    await store.leagues.add_league(LEAGUE)
    await store.leagues.add_ledger_entry("cup", "entropy", 13.5, {"text": "3 14"})
    ledger = Ledger("cup", store.leagues, await store.leagues.ledger_entries("cup"), [], lambda: 14.5)
    await ledger.open_attempt(OPEN_ROW)
    open_blocks = await store.leagues.blocks("cup")
    open_rows = raw_rows(store, "league_block")
    await ledger.end_attempt(OPEN_ROW, [TABLE, OTHER_TABLE], {"tables": [{"insight": [1, 0.5]}]})

    assert await store.leagues.league("cup") == LEAGUE
    assert await store.leagues.ledger_entries("cup") == [LedgerEntry(1, 13.5, "entropy", {"text": "3 14"})]
    assert open_blocks == [OPEN_ROW]
    assert raw_rows(store, "league") == [("cup", "L1", 12.5, "the file", '{"name":"cup","seats":2}')]
    assert raw_rows(store, "league_act") == [("cup", 1, 13.5, "entropy", '{"text":"3 14"}')]
    assert open_rows == [
        ("cup", 3, 1, 2, "final", '[["b","a"],["c","d"]]', '["M2","M3"]', '["1.journal"]', "open", "[]", "null", None)
    ]
    assert raw_rows(store, "league_block") == [
        (
            "cup",
            3,
            1,
            2,
            "final",
            '[["b","a"],["c","d"]]',
            '["M2","M3"]',
            '["1.journal"]',
            "done",
            (
                '[{"match_id":"M2","seats":["b","a"],"places":[1,2],"termination":"won","forfeits":["a","b"],"strikes":[{"late":2},{}],"turn_count":31,"luck":[],"places_of":""},'
                '{"match_id":"M3","seats":["c","d"],"places":[2,1],"termination":"won","forfeits":[],"strikes":[{},{}],"turn_count":30,"luck":[],"places_of":""}]'
            ),
            '{"tables":[{"insight":[1,0.5]}]}',
            14.5,
        )
    ]
    read = Ledger("cup", store.leagues, (), await store.leagues.blocks("cup"), lambda: 0.0)
    assert [result.tables for result in read._results.values()] == [(TABLE, OTHER_TABLE)]
    expected = BlockResult(Block(3, 2, OPEN_ROW.tables, "final"), (TABLE, OTHER_TABLE), 1)
    assert ledger._results == read._results == {3: expected}
    assert await store.leagues.block_analytics("cup", range(9)) == {(3, 1): {"tables": [{"insight": [1, 0.5]}]}}


# ---- documents for machines


def test_report_values():
    """Objects are written field by field; keys become texts, and infinities become null."""
    values = (LATE.conditions, {1: inf, "b": [-inf, nan, -0.0, 1e22]}, frozenset({"x"}), (), None, "\u2028")

    assert (
        written(to_finite_plain(values))
        == '[{"is_connected": true, "round_trip_us": 150, "sending_us": 20, "loop_lag_us": 0, "heard_us": 1900000, "open_count": 3, "process": {"state": "R", "ran_us": 1000, "waited_us": 20, "span_us": 2000000}, "alive_us": null, "is_silent": false}, {"1": null, "b": [null, null, -0.0, 1e+22]}, ["x"], [], null, "\u2028"]'
    )


def test_league_report(tmp_path):
    """A league without dates, absences and accomplices has the document that it had before there were any."""
    view = replace(make_league_view(make_names(40), game_count=50), dates=(), absences=(), accomplices=())

    write_report_json(view, tmp_path / "report.json")

    text = (tmp_path / "report.json").read_bytes()
    assert (len(text), hashlib.sha256(text).hexdigest()) == (
        352460,
        "481eb9a40d4a7cf7dfb28a30f23f73ed60ccb8f923ad3317f545553cca6ae466",
    )


class _Deals:
    """A store of deals in which the deal of one match is revealed."""

    async def revealed_seeds(self, beginning: str) -> dict[str, tuple[str, str]]:
        return {"M2": (f"{beginning}3.0", "ab" * 32)}


async def test_published_league():
    """The file of an amended league is identified by its hash."""
    acts = [LedgerEntry(1, 13.5, "amended", {"file": "the file", "name": "ann"}), LedgerEntry(2, 14.0, "closed")]
    luck = SimpleNamespace(public_entropy="lotto", secret=b"\x01")
    ledger = Ledger("cup", cast(Any, None), acts, [OPEN_ROW], lambda: 0.0)
    league = SimpleNamespace(row=LEAGUE, seal="the line", randomness=luck, is_closed=True, ledger=ledger)

    document = await build_publication(cast(OpenLeague, league), cast(Store, SimpleNamespace(deals=_Deals())))

    assert (
        written(document)
        == '{"document": "cheatarena-league-1", "line": "the line", "sealed": {"name": "cup", "seats": 2}, "entropy": "lotto", "secret": "01", "acts": [{"number": 1, "at": 13.5, "kind": "amended", "values": {"file": "994659de87f727ddcde75df44314f31d7f367b3bff347e852f390530f29720c7", "name": "ann"}}, {"number": 2, "at": 14.0, "kind": "closed", "values": {}}], "attempts": [{"block": 3, "attempt": 1, "is_done": false, "games": [{"match_id": "M2", "deal_id": "block:L1.3.0", "seed": "abababababababababababababababababababababababababababababababab"}, {"match_id": "M3"}]}]}'
    )

"""Input records: a written record reads back, malformed ones are refused, and old journals stay readable."""

import contextlib
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import JournalError
from arena.match.deal.commitment import Contribution
from arena.match.referee.deal import DealSecret
from arena.match.referee.facts import NoAnswerCause, NoAnswerGiven
from arena.match.referee.inputs import (
    Answer,
    Begin,
    Cancel,
    Credit,
    Deal,
    Disconnect,
    Drawn,
    Input,
    InputKind,
    Leave,
    NewRoundTrip,
    NoAnswer,
    Ready,
    Reconnect,
    Reject,
    Tick,
    match_number_of,
    read_record,
    write_record,
)
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.plain_data import canonical_json

u8, u16, u32 = (st.integers(0, (1 << bits) - 1) for bits in (8, 16, 32))
instants = st.tuples(st.integers(0, 1 << 62), u32).map(lambda pair: {"at": pair[0], "now": pair[0] + pair[1]})
short_text = st.text(max_size=200)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
hashes = st.binary(min_size=32, max_size=32)
contributions = st.lists(st.builds(Contribution, u8, hashes, hashes, short_text), max_size=3).map(tuple)
terms = st.dictionaries(st.text(max_size=8), plain, max_size=4)

given_no_answers = st.builds(
    NoAnswerGiven, st.sampled_from(NoAnswerCause), st.sampled_from(["", "not_in_hand"]), short_text
)
FIELDS: dict[Any, dict[str, st.SearchStrategy[Any]]] = {
    Begin: {
        "match_id": short_text,
        "terms": terms,
        "absent": st.lists(u8, max_size=3).map(tuple),
        "contributions": contributions,
    },
    Deal: {"secret": st.builds(DealSecret, short_text, hashes, hashes, st.lists(hashes, max_size=3).map(tuple), u8)},
    Answer: {"entrant": u8, "prompt_id": u32, "action_id": u32, "text": short_text, "note": short_text},
    Tick: {},
    Drawn: {
        "values": st.one_of(
            st.lists(u8, max_size=9),
            st.lists(u16, max_size=9),
            st.lists(u32, max_size=9),
            st.permutations(range(300)),
        ).map(tuple)
    },
    Disconnect: {"entrant": u8},
    Reconnect: {"entrant": u8},
    Leave: {"entrant": u8},
    Ready: {"entrant": u8},
    NewRoundTrip: {"entrant": u8, "us": u32},
    Credit: {"us": st.integers(0, 1 << 62)},
    Cancel: {"termination": short_text},
    Reject: {"entrant": u8, "prompt_id": u32, "action_id": u32, "reason": short_text},
    NoAnswer: {"entrant": u8, "prompt_id": u32, "action_id": u32, "given": given_no_answers},
}

AT, NOW, ANN, PROMPT = Instant(1000), Instant(1003), EntrantIndex(2), PromptId(300)
TERMS = {"game": "cheat", "entrants": ["Ann", "Bob"]}
SILENT = Contribution(0, b"\x01" * 32, b"", "missing")
SECRET = DealSecret("M1", b"\x02" * 32, b"\x03" * 32, (b"\x04" * 32,), 2)

HEAD = "07000000" + "e803000000000000" + "03000000"
"""Match 7, instant 1000, handled 3 microseconds later; the kind goes before."""
RECORDS: list[tuple[Input, bytes]] = [
    (
        Begin(AT, NOW, MatchId("M1"), TERMS, (EntrantIndex(1),)),
        bytes.fromhex("01" + HEAD)
        + b'{"absent":[1],"match_id":"M1","terms":{"entrants":["Ann","Bob"],"game":"cheat"}}',
    ),
    (
        Begin(AT, NOW, MatchId("M1"), TERMS, (EntrantIndex(1),), (SILENT,)),
        bytes.fromhex("01" + HEAD)
        + b'{"absent":[1],"contributions":[{"entrant":0,"entropy":"","fault":"missing","promise":"'
        + b"01" * 32
        + b'"}],"match_id":"M1","terms":{"entrants":["Ann","Bob"],"game":"cheat"}}',
    ),
    (
        Answer(AT, NOW, ANN, PROMPT, 77, "2K 7CKS", "hm"),
        bytes.fromhex("02" + HEAD) + b"\x02,\x01\x00\x00M\x00\x00\x00\x07\x00\x00\x00\x02\x002K 7CKShm",
    ),
    (Tick(AT, NOW), bytes.fromhex("03" + HEAD)),
    (Drawn(AT, NOW, (1, 2, 255)), bytes.fromhex("04" + HEAD) + b"B\x01\x02\xff"),
    (Drawn(AT, NOW, (1, 256)), bytes.fromhex("04" + HEAD) + b"H\x01\x00\x00\x01"),
    (Drawn(AT, NOW, (1 << 33,)), bytes.fromhex("04" + HEAD) + b"Q\x00\x00\x00\x00\x02\x00\x00\x00"),
    (Disconnect(AT, NOW, ANN), bytes.fromhex("05" + HEAD) + b"\x02"),
    (Reconnect(AT, NOW, ANN), bytes.fromhex("06" + HEAD) + b"\x02"),
    (Leave(AT, NOW, ANN), bytes.fromhex("07" + HEAD) + b"\x02"),
    (Ready(AT, NOW, ANN), bytes.fromhex("08" + HEAD) + b"\x02"),
    (
        Begin(AT, NOW, MatchId("M1"), TERMS, (EntrantIndex(1),), round_trips=(80_000, 0)),
        bytes.fromhex("01" + HEAD)
        + b'{"absent":[1],"match_id":"M1","round_trips":[80000,0],"terms":{"entrants":["Ann","Bob"],"game":"cheat"}}',
    ),
    (NewRoundTrip(AT, NOW, ANN, 80_000), bytes.fromhex("0e" + HEAD) + b"\x02Q\x80\x38\x01\x00\x00\x00\x00\x00"),
    (Credit(AT, NOW, 70_000), bytes.fromhex("09" + HEAD) + b"Qp\x11\x01\x00\x00\x00\x00\x00"),
    (Cancel(AT, NOW, "cancelled"), bytes.fromhex("0a" + HEAD) + b"cancelled"),
    (
        Reject(AT, NOW, ANN, PROMPT, 77, "malformed"),
        bytes.fromhex("0b" + HEAD) + b"\x02,\x01\x00\x00M\x00\x00\x00\t\x00\x00\x00\x00\x00malformed",
    ),
    (
        NoAnswer(AT, NOW, ANN, PROMPT, 77, NoAnswerGiven(NoAnswerCause.ILLEGAL, "not_in_hand", "7H")),
        bytes.fromhex("0f" + HEAD) + b"\x02,\x01\x00\x00M\x00\x00\x00\x13\x00\x00\x00\x02\x00illegal not_in_hand7H",
    ),
    (
        Deal(AT, NOW, SECRET),
        bytes.fromhex("0c" + HEAD)
        + b'{"deal_id":"M1","rules_hash":"'
        + b"02" * 32
        + b'","salts":["'
        + b"04" * 32
        + b'"],"seed":"'
        + b"03" * 32
        + b'","table":2}',
    ),
    (
        Deal(AT, NOW, replace(SECRET, terms_salt=b"\x05" * 32)),
        bytes.fromhex("0c" + HEAD)
        + b'{"deal_id":"M1","rules_hash":"'
        + b"02" * 32
        + b'","salts":["'
        + b"04" * 32
        + b'"],"seed":"'
        + b"03" * 32
        + b'","table":2,"terms_salt":"'
        + b"05" * 32
        + b'"}',
    ),
]
"""As the code wrote them that had one class for all inputs."""


def inputs(kind: Any) -> st.SearchStrategy[Input]:
    """Every input of a kind that can occur."""
    return st.builds(lambda times, rest: kind(**times, **rest), instants, st.fixed_dictionaries(FIELDS[kind]))


def test_every_input_kind_is_covered_here():
    assert set(FIELDS) == set(get_args(Input))
    assert {kind.kind for kind in FIELDS} == {entry.kind for entry, _ in RECORDS} == set(InputKind)


@pytest.mark.parametrize(("entry", "record"), RECORDS, ids=lambda each: getattr(each, "kind", None) and each.kind.name)
def test_journals_of_earlier_versions_round_trip_byte_for_byte(entry, record):
    assert read_record(record) == entry
    assert write_record(7, entry) == record


@pytest.mark.parametrize("kind", FIELDS)
@given(data=st.data())
def test_records_round_trip(kind, data):
    number, entry = data.draw(u32), data.draw(inputs(kind))

    record = write_record(number, entry)

    assert read_record(record) == entry
    assert match_number_of(record) == number


def test_record_leaves_out_the_game_value_of_an_action():
    answer = Answer(AT, NOW, ANN, PROMPT, 77, "call")

    assert write_record(7, replace(answer, action=object())) == write_record(7, answer)


def test_typical_answer_takes_at_most_forty_bytes():
    """This keeps the journal of a league small."""
    at, now = Instant(10**12), Instant(10**12 + 300)
    assert len(write_record(1, Answer(at, now, ANN, PromptId(1234), 77, "2K 7CKS"))) <= 40


def test_negative_lag_becomes_none_and_huge_lag_is_capped():
    assert read_record(write_record(1, Tick(at=Instant(50), now=Instant(40)))).now == 50
    assert read_record(write_record(1, Tick(at=Instant(0), now=Instant(1 << 40)))).now == (1 << 32) - 1


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"\x00",
        b"\xff" + bytes(30),
        bytes([InputKind.TICK]) + bytes(5),
        bytes([InputKind.DRAWN]) + bytes(16),
        bytes([InputKind.DRAWN]) + bytes(16) + b"d" + bytes(8),
        bytes([InputKind.BEGIN]) + bytes(16) + b"[]",
        bytes([InputKind.DEAL]) + bytes(16) + b'{"deal_id": 1}',
    ],
    ids=[
        "empty",
        "kind 0",
        "kind 255",
        "cut short",
        "values without a width",
        "values of a strange width",
        "a beginning without terms",
        "a deal without secrets",
    ],
)
def test_malformed_records_are_refused(record):
    with pytest.raises(JournalError, match="cannot be read"):
        read_record(record)


@given(record=st.binary(max_size=60))
def test_reading_noise_yields_an_input_or_a_journal_error(record):
    with contextlib.suppress(JournalError):
        read_record(record)


def test_canonical_values_do_not_depend_on_insertion_order():
    assert canonical_json({"b": 1, "a": ["ü"]}) == canonical_json({"a": ["ü"], "b": 1}) == '{"a":["ü"],"b":1}'.encode()

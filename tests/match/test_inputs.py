"""Records of inputs: what is written is read back, and what is no record is refused."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import JournalError
from arena.match.inputs import Input, InputKind, match_number_of, read_record, write_answer, write_draw, write_record
from arena.plain_data import canonical_json

u8, u16, u32 = (st.integers(0, (1 << bits) - 1) for bits in (8, 16, 32))
instants = st.tuples(st.integers(0, 1 << 62), u32).map(lambda pair: {"at": pair[0], "now": pair[0] + pair[1]})
short_text = st.text(max_size=200)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)

REST = {
    InputKind.BEGIN: st.fixed_dictionaries({"begin": st.dictionaries(st.text(max_size=8), plain, max_size=4)}),
    InputKind.DEAL: st.fixed_dictionaries({"begin": st.dictionaries(st.text(max_size=8), plain, max_size=4)}),
    InputKind.ANSWER: st.fixed_dictionaries(
        {"entrant": u8, "prompt_id": u32, "action_id": u32, "text": short_text, "note": short_text}
    ),
    InputKind.TICK: st.just({}),
    InputKind.DRAWN: st.fixed_dictionaries(
        {
            "values": st.one_of(
                st.lists(u8, max_size=9),
                st.lists(u16, max_size=9),
                st.lists(u32, max_size=9),
                st.permutations(range(300)),
            ).map(tuple)
        }
    ),
    InputKind.LOST: st.fixed_dictionaries({"entrant": u8}),
    InputKind.BACK: st.fixed_dictionaries({"entrant": u8}),
    InputKind.LEAVE: st.fixed_dictionaries({"entrant": u8}),
    InputKind.READY: st.fixed_dictionaries({"entrant": u8}),
    InputKind.CREDIT: st.fixed_dictionaries({"values": st.integers(0, 1 << 62).map(lambda us: (us,))}),
    InputKind.CANCEL: st.fixed_dictionaries({"text": short_text}),
    InputKind.REJECT: st.fixed_dictionaries({"entrant": u8, "prompt_id": u32, "action_id": u32, "text": short_text}),
}


def inputs(kind: InputKind) -> st.SearchStrategy[Input]:
    """Every input of a kind that can occur."""
    return st.builds(lambda match, times, rest: Input(kind, match, **times, **rest), u32, instants, REST[kind])


def test_every_kind_is_covered_here():
    assert set(REST) == set(InputKind)


@pytest.mark.parametrize("kind", list(InputKind))
@given(data=st.data())
def test_what_is_written_is_read_back(kind, data):
    entry = data.draw(inputs(kind))

    record = write_record(entry)

    assert read_record(record) == entry
    assert match_number_of(record) == entry.match


@given(entry=inputs(InputKind.ANSWER))
def test_the_quick_way_to_record_an_answer_writes_the_same(entry):
    quick = write_answer(
        entry.match, entry.at, entry.now, entry.entrant, entry.prompt_id, entry.action_id, entry.text, entry.note
    )

    assert quick == write_record(entry)


def test_a_usual_answer_takes_forty_bytes_at_most():
    """A journal of a league stays small."""
    assert len(write_record(Input(InputKind.ANSWER, 1, 10**12, 10**12 + 300, 2, 1234, 77, "2K 7CKS"))) <= 40


def test_a_lag_below_nothing_is_none_and_an_enormous_one_is_capped():
    assert read_record(write_record(Input(InputKind.TICK, 1, at=50, now=40))).now == 50
    assert read_record(write_record(Input(InputKind.TICK, 1, at=0, now=1 << 40))).now == (1 << 32) - 1


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"\x00",
        b"\xff" + bytes(30),
        bytes([InputKind.TICK]) + bytes(5),
        bytes([InputKind.DRAWN]) + bytes(16),
        bytes([InputKind.DRAWN]) + bytes(16) + b"d" + bytes(8),
    ],
    ids=["empty", "kind 0", "kind 255", "cut short", "values without a width", "values of a strange width"],
)
def test_what_is_no_record_is_refused(record):
    with pytest.raises(JournalError, match="cannot be read"):
        read_record(record)


@given(record=st.binary(max_size=60))
def test_reading_noise_gives_an_input_or_a_journal_error(record):
    with contextlib.suppress(JournalError):
        read_record(record)


def test_canonical_values_do_not_depend_on_the_order_in_which_they_were_put():
    assert canonical_json({"b": 1, "a": ["ü"]}) == canonical_json({"a": ["ü"], "b": 1}) == '{"a":["ü"],"b":1}'.encode()


@given(drawn=inputs(InputKind.DRAWN))
def test_the_quick_record_of_drawn_values_is_the_same(drawn):
    """Of any width."""
    assert write_draw(drawn.match, drawn.at, drawn.now, drawn.values) == write_record(drawn)

"""Messages to each viewer of a match: facts encoded once, private parts to their owner, resumable at any moment."""

from typing import Any

import pytest

from arena.errors import JournalError
from arena.games.catalogue import pack_of
from arena.games.cheat.rules import view_types
from arena.games.cheat.rules.actions import Play
from arena.games.cheat.rules.events import Overruled
from arena.games.cheat.rules.game import CHEAT
from arena.match.deal.stream import SeededChance
from arena.match.feed.match_feed import SPECTATOR
from arena.match.referee.pace import Pace
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex, StreamSequence
from arena.server.wire.proto_codec import ProtoCodec
from cheatarena.v1 import play_pb2
from tests.support.feed_harness import (
    SEED,
    FeedHarness,
    RecordingCodec,
    SwappedChance,
    hand_of,
    make_harness,
    play,
    terms,
)

PRIVATE = (view_types.HandDealt, view_types.CardsLaid, view_types.CardsShown, view_types.CardsTaken, Overruled)


@pytest.mark.parametrize("pace", [Pace.sealed_defaults(), Pace.live_defaults()], ids=["sealed", "live"])
def test_every_viewer_has_a_gapless_sequence(pace):
    made = make_harness(pace)

    play(made, 30)
    play(made, 6, calls=True)

    for viewer, raw in made.raw.items():
        messages = made.read_messages(viewer)
        assert len(messages) == len(raw) > 10
        assert [message.sequence for message in messages] == [*range(1, len(messages) + 1)]


def test_public_fact_is_encoded_once_and_is_the_same_for_all():
    """Whatever the number of viewers: one encoding per fact, the same bytes in every viewer's message."""
    codec = RecordingCodec(ProtoCodec(pack_of("cheat").load_codec()))
    made = make_harness(codec=codec)
    play(made, 12)
    play(made, 4, calls=True)

    told = {viewer: [e for m in made.read_messages(viewer) for e in m.events] for viewer in made.raw}
    public = [event.SerializeToString() for event in told[SPECTATOR]]
    private = [part for part in codec.facts if isinstance(part, PRIVATE)]
    assert len(codec.facts) - len(private) == sum(
        str(e.WhichOneof("fact")).startswith("cheat_") for e in told[SPECTATOR]
    )
    for entrant in range(4):
        own = [event.SerializeToString() for event in told[entrant]]
        rest = iter(own)
        assert all(fact in rest for fact in public), "the same facts in the same order"


def test_private_parts_are_in_their_owners_bytes_only():
    """No other viewer's bytes hold a hand, the cards played, or the cards taken."""
    made = make_harness()
    hands = [bytes(hand_of(made, entrant)) for entrant in range(4)]

    play(made, 12)

    for viewer, raw in made.raw.items():
        for entrant, hand in enumerate(hands):
            assert (hand in b"".join(raw)) == (viewer == entrant)
    for entrant in range(4):
        laid = [e for m in made.read_messages(entrant) for e in m.events if e.HasField("cheat_laid")]
        played = [e.cheat_played for m in made.read_messages(entrant) for e in m.events if e.HasField("cheat_played")]
        assert len(laid) == sum(each.seat == entrant for each in played)


def test_viewer_that_resumes_in_time_gets_the_same_bytes_again():
    """It may resume from any sequence that is still kept, up to the last."""
    made = make_harness()
    play(made, 20)
    sent = made.raw[0]

    for after in (len(sent) - 5, len(sent) - 1, len(sent)):
        box = made.make_outbox()
        made.feed.attach(made.table.referee, EntrantIndex(0), box, StreamSequence(after))
        made.open_gate()
        assert box.take_frame() == sent[after:]


def test_viewer_that_resumes_too_late_gets_one_snapshot_and_continues():
    """It replaces everything up to its sequence; the next message follows it without a gap."""
    made = make_harness()
    play(made, 200)
    box = made.boxes[0] = made.make_outbox()
    made.raw[0].clear()

    made.feed.attach(made.table.referee, EntrantIndex(0), box, StreamSequence(1))
    made.open_gate()
    play(made, 8)
    first, second, *_ = made.read_messages(0)

    assert first.HasField("snapshot")
    assert not first.events
    assert second.sequence == first.sequence + 1
    assert [*first.snapshot.cheat.hand.cards]
    kinds = [event.WhichOneof("fact") for event in first.snapshot.events]
    assert kinds == ["match_started", "entrant_seed", *["game_ended"] * len(made.table.referee.results), "game_started"]
    assert made.table.referee.results


@pytest.mark.parametrize("viewer", [0, 3, SPECTATOR])
def test_viewer_of_a_resumed_match_gets_a_snapshot_from_any_sequence(viewer):
    """The snapshot has what the first server's snapshot has, and no sequence that the viewer had is used again."""
    made = make_harness()
    play(made, 100)
    resumed = make_resumed(made)

    had = len(made.raw[viewer])
    before = read_snapshot(made, viewer, None)
    for after in (None, 0, 1, had - 1, had):
        again = read_snapshot(resumed, viewer, after)
        assert again.sequence > had
        assert again.snapshot == before.snapshot


def make_resumed(made: FeedHarness) -> FeedHarness:
    """Return the match on another server, which has read its records."""
    resumed = FeedHarness(made.terms, SeededChance(SEED, "deal"))
    replay = Replay(made.journal.records, {CHEAT.name: CHEAT})
    resumed.table.resume(replay, made.journal.records, resumed.feed.restore)
    resumed.now = made.now
    return resumed


def read_snapshot(made: FeedHarness, viewer: int, after: int | None) -> play_pb2.SeatMessage:
    """Connect a viewer, and return the one message that it gets at once."""
    box, sequence = made.make_outbox(), None if after is None else StreamSequence(after)
    if viewer == SPECTATOR:
        made.feed.watch(made.table.referee, box, sequence)
    else:
        made.feed.attach(made.table.referee, EntrantIndex(viewer), box, sequence)
    made.open_gate()
    (message,) = play_pb2.PlayResponse.FromString(b"".join(box.take_frame())).messages
    assert message.HasField("snapshot")
    return message


def test_replaced_outbox_is_not_disconnected_by_its_predecessor():
    """A late disconnect must not cut off the connection that took over."""
    made = make_harness()
    old, new = made.boxes[0], made.make_outbox()
    made.feed.attach(made.table.referee, EntrantIndex(0), new, None)
    made.boxes[0] = new

    made.feed.detach(EntrantIndex(0), old)
    play(made, 4)

    assert len(made.raw[0]) > 1
    assert not old.has_ready


def test_nothing_is_released_before_its_input_is_recorded():
    """No answer, event or prompt leaves for any viewer; afterwards all of it arrives, in order."""
    made = make_harness()
    before = {viewer: len(raw) for viewer, raw in made.raw.items()}
    made.journal.fault = JournalError("no space left")

    play(made, 5)
    assert {viewer: len(raw) for viewer, raw in made.raw.items()} == before
    made.journal.fault = None
    made.gate.open()
    made.open_gate()

    for viewer in made.raw:
        messages = made.read_messages(viewer)
        assert len(messages) > before[viewer]
        assert [message.sequence for message in messages] == [*range(1, len(messages) + 1)]


# ---- messages to a seat do not depend on what it may not know


def twin_places(pace: Pace, entrant: int) -> tuple[int, int]:
    """Find two places of the deck whose cards go to two other seats, and change what one of them lays first."""
    plain = dealt(SeededChance(SEED, "deal"), pace)
    for first in range(52):
        for second in range(first + 1, 53):
            swapped = dealt(SwappedChance(SeededChance(SEED, "deal"), first, second), pace)
            changed = [seat for seat in range(4) if swapped.hands[seat] != plain.hands[seat]]
            if len(changed) == 2 and entrant not in changed and lowest(swapped) != lowest(plain):
                return first, second
    raise AssertionError("no twins")


def state_of(made: FeedHarness):
    """Return the running game's full state."""
    playing = made.table.referee.current_game
    assert playing is not None
    return playing.state


def lowest(state) -> list[int]:
    """Return the card that each seat would play first."""
    return [next(code for code, count in enumerate(hand) if count) for hand in state.hands]


def dealt(chance, pace: Pace):
    made = FeedHarness(terms(pace), chance)
    made.begin()
    return state_of(made)


@pytest.mark.parametrize("entrant", [0, 2, SPECTATOR])
@pytest.mark.parametrize("pace", [Pace.sealed_defaults(), Pace.live_defaults()], ids=["sealed", "live"])
def test_twin_deals_send_a_seat_the_same_until_a_reveal(pace, entrant):
    """Two deals that differ only in other hands: the same bytes, refusals and snapshots included, until a call."""
    places = twin_places(pace, max(entrant, 0))
    assert len(places) == 2
    twins = [
        make_harness(pace, SeededChance(SEED, "deal")),
        make_harness(pace, SwappedChance(SeededChance(SEED, "deal"), *places)),
    ]
    states = [state_of(made) for made in twins]
    assert states[0].hands != states[1].hands

    for made in twins:
        play(made, 12)
        if entrant != SPECTATOR:
            _send_nonsense(made, entrant, states[0].hands[(entrant + 1) % 4])
        play(made, 12)
        box = made.make_outbox()
        if entrant == SPECTATOR:
            made.feed.watch(made.table.referee, box, None)
        else:
            made.feed.attach(made.table.referee, entrant, box, None)
            made.boxes[entrant] = box
        made.open_gate()
        made.raw[entrant] += box.take_frame()

    assert twins[0].raw[entrant] == twins[1].raw[entrant]
    assert len(twins[0].raw[entrant]) > 24
    others = [seat for seat in range(4) if states[0].hands[seat] != states[1].hands[seat]]
    assert all(twins[0].raw[seat] != twins[1].raw[seat] for seat in others)


def _send_nonsense(made: FeedHarness, entrant: int, others_hand) -> None:
    """Send cards of others and prompts of others: a refusal must not reveal their holders."""
    card = next(code for code, count in enumerate(others_hand) if count)
    for number, prompt_id in enumerate((1, 2, 40, 4_000_000)):
        made.answer(entrant, prompt_id, 900_000_000 + number, Play(bytes([card]), 1, 0))


def test_twins_diverge_at_a_reveal():
    """The comparison above would detect a difference: after a call the messages to all viewers differ."""
    places = twin_places(Pace.sealed_defaults(), 0)
    twins = [
        make_harness(chance=SeededChance(SEED, "deal")),
        make_harness(chance=SwappedChance(SeededChance(SEED, "deal"), *places)),
    ]

    for made in twins:
        for _ in range(30):
            play(made, 3)
            play(made, 1, calls=True)

    assert twins[0].raw[0] != twins[1].raw[0]


def test_reader_of_an_entrants_stream_gets_the_entrants_bytes():
    """Private facts and prompts included; the entrant's own stream, and what it may send, stay as they are."""
    made = make_harness()
    alone = make_harness()
    box = made.make_outbox()
    made.feed.watch_entrant(made.table.referee, EntrantIndex(1), box, StreamSequence(0))

    for each in (made, alone):
        play(each, 12, calls=True)
    made.open_gate()

    assert b"".join(box.take_frame()) == b"".join(made.raw[1])
    assert made.raw == alone.raw
    assert made.boxes[1].prompt_count == alone.boxes[1].prompt_count > 0
    assert box.prompt_count == 0


def test_reader_may_come_late_and_leave():
    made = make_harness()
    play(made, 4)
    box = made.make_outbox()

    made.feed.watch_entrant(made.table.referee, EntrantIndex(2), box, None)
    made.open_gate()
    (snapshot,) = play_messages(box)
    made.feed.unwatch(box)
    play(made, 2)
    made.open_gate()

    assert snapshot.HasField("snapshot")
    assert snapshot.entrant == 2
    assert snapshot.snapshot.cheat.HasField("hand")
    assert not play_messages(box)


def test_readers_end_with_the_match():
    made = make_harness()
    box = made.make_outbox()
    made.feed.watch_entrant(made.table.referee, EntrantIndex(0), box, None)

    made.feed.close()
    made.open_gate()
    box.take_frame()

    assert box.is_done


def play_messages(box: Any) -> list[Any]:
    """Return the messages that are ready in an outbox."""
    return [*play_pb2.PlayResponse.FromString(b"".join(box.take_frame())).messages]

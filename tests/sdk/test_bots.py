"""How a seat passes prompts and messages to its bot, and how it handles errors of the bot, without a network."""

import asyncio
import logging
import random
import time
from collections.abc import Callable

import pytest

from cheatarena import Bot, BotError, Call, Decline, Pass, Play, Player, Rank
from cheatarena.answer_watch import AnswerWatch
from cheatarena.clock import ServerClock
from cheatarena.scanning import split_message
from cheatarena.seat import GapError, Seat
from cheatarena.testing import Rehearsal, Script, Story, card_set, play_through
from cheatarena.v1 import cheat_pb2, decision_pb2, error_reason_pb2, event_pb2, play_pb2, snapshot_pb2
from tests.sdk.stories import Onlooker, text

REFUSED = decision_pb2.DECISION_STATUS_REFUSED


class Honest(Bot):
    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()


class FakeRuntime:
    """A runtime of a seat that logs exceptions of bots, as a session does."""

    is_strict = False
    takes_no_answer = False

    def __init__(self) -> None:
        self.clock = ServerClock()
        self.watch = AnswerWatch(self, has_thread=False)
        self.decisions: list[decision_pb2.Decision] = []
        self.notices: list[play_pb2.BotNotice] = []
        self.delays: list[float] = []
        self.works: list[Callable[[], None]] = []
        self.waits: list[tuple[float, float]] = []

    def send(self, request):
        read = play_pb2.PlayRequest.FromString(request)
        self.decisions += read.decisions
        self.notices += read.notices

    def create_task(self, work):
        return asyncio.get_running_loop().create_task(work)

    def call_later(self, delay_s, work):
        self.delays.append(delay_s)
        self.works.append(work)
        return asyncio.get_running_loop().call_later(1000, work)

    def report_protocol_error(self, table, error):
        raise error

    def on_receipt(self, table, receipt):
        """Do nothing: only sessions store receipts."""

    def on_queue_delay(self, queued_s, allowed_s):
        self.waits.append((queued_s, allowed_s))


def seat_with_story(bot: Player, story: Story, arrival_s: float | None = None) -> tuple[Seat, FakeRuntime]:
    """Give the messages of a story to a bot, encoded as on the wire."""
    wire = FakeRuntime()
    wire.clock.observe(0, time.monotonic())
    seat = Seat(1, 0, bot, wire)
    for message in story:
        tell(seat, message, arrival_s)
    return seat, wire


def tell(seat: Seat, message: play_pb2.SeatMessage, arrival_s: float | None = None) -> None:
    """Give a seat one message."""
    seat.handle_message(
        split_message(message.SerializeToString()), time.monotonic() if arrival_s is None else arrival_s
    )


def started_story(hand: str = "KC KD 2C", **options) -> Script:
    return Script(seats=3, **options).deal(hand)


def refusal(seat: Seat, decision: decision_pb2.Decision, reason: str, late_us: int = 0) -> play_pb2.SeatMessage:
    """Refuse a decision."""
    answer = decision_pb2.DecisionAnswer(
        prompt_id=decision.prompt_id,
        action_id=decision.action_id,
        status=REFUSED,
        reason=error_reason_pb2.ErrorReason.Value(f"ERROR_REASON_{reason}"),
        late_us=late_us,
    )
    return play_pb2.SeatMessage(match=1, sequence=seat.sequence + 1, answers=[answer])


# ---- asking


def test_turn_is_answered_with_the_prompt_id_and_a_new_action_id():
    _, wire = seat_with_story(Honest(), started_story().asks_turn("K", (1, 4)).asks_turn("2", (1, 4)))

    assert [(each.prompt_id, each.action_id) for each in wire.decisions] == [(1, 1), (2, 2)]
    assert text(Play.of(wire.decisions[0].cheat.cards, 12).cards) == "KC KD"


def test_notes_travel_only_with_the_decision():
    class Noting(Honest):
        def call_window(self, table, claim):
            return Decline(note="seat 1 is honest") if table.turn == 1 else Decline()

    story = started_story().plays(1, "K", 1).asks_window().plays(2, "K", 1).asks_window()
    _, wire = seat_with_story(Noting(), story)

    assert [each.note for each in wire.decisions] == ["seat 1 is honest", ""]


def test_windows_are_declined_unless_the_bot_overrides_it():
    story = started_story().plays(1, "K", 3).asks_window()

    assert play_through(Honest, story) == [Decline()]


def test_window_names_the_claim_and_whether_it_is_final():
    heard = []

    class Listening(Honest):
        def call_window(self, table, claim):
            heard.append((claim.seat, claim.rank, claim.count, table.is_final_window))
            return Call()

    answers = play_through(Listening, started_story().plays(1, "K", 3).asks_window(final=True))

    assert answers == [Call()]
    assert heard == [(1, Rank.KING, 3, True)]


def test_repeated_prompt_is_not_put_to_the_bot_again():
    story = started_story().asks_turn("K")
    again = play_pb2.SeatMessage()
    again.CopyFrom(story.messages[-1])
    again.sequence += 1
    seat, wire = seat_with_story(Honest(), story)

    tell(seat, again)

    assert len(wire.decisions) == 1


def test_messages_already_received_are_ignored():
    story = started_story().plays(0, "K", "KC").asks_turn("K")
    seat, wire = seat_with_story(Honest(), story)

    for message in story.messages[2:]:
        tell(seat, message)

    assert text(seat.table.hand) == "2C KD"
    assert len(wire.decisions) == 1


def test_gap_in_the_sequence_is_an_error():
    story = started_story().plays(1, "K", 1).plays(2, "K", 1)
    del story.messages[2]

    with pytest.raises(GapError, match="entrant 0 of match 1 has message 2, and the next one is 4"):
        seat_with_story(Honest(), story)


def test_acceptance_joined_to_the_next_message_is_taken():
    """The message follows the last one, although its number does not. The decision is not sent again."""
    seat, wire = seat_with_story(Honest(), started_story().plays(1, "K", 1).asks_window())
    (decision,) = wire.decisions
    accepted = decision_pb2.DecisionAnswer(
        prompt_id=decision.prompt_id, action_id=decision.action_id, status=decision_pb2.DECISION_STATUS_ACCEPTED
    )
    sequence = seat.sequence

    tell(seat, play_pb2.SeatMessage(match=1, sequence=sequence + 2, answers=[accepted], joined_count=1))

    assert (seat.sequence, seat.sent) == (sequence + 2, {})


def test_gap_before_a_joined_message_is_an_error():
    seat, _ = seat_with_story(Honest(), started_story())
    message = play_pb2.SeatMessage(match=1, sequence=seat.sequence + 4, joined_count=2)

    with pytest.raises(GapError, match=f"has message {seat.sequence}, and the next one is {seat.sequence + 2}"):
        tell(seat, message)


# ---- refusals


def test_refused_answer_is_asked_for_once_more_and_never_a_third_time():
    class Stubborn(Bot):
        def __init__(self) -> None:
            self.refusals: list[tuple[str, str]] = []

        def turn(self, table, options):
            return Play.of("KC", "A")

        def on_refused(self, table, decision, reason):
            self.refusals.append((str(decision), reason))

    bot = Stubborn()
    seat, wire = seat_with_story(bot, started_story().asks_turn("K"))
    tell(seat, refusal(seat, wire.decisions[0], "ILLEGAL_RANK"))
    tell(seat, refusal(seat, wire.decisions[1], "ILLEGAL_RANK"))

    assert [each.action_id for each in wire.decisions] == [1, 2]
    assert bot.refusals == [("KC as A", "ILLEGAL_RANK")] * 2


def test_a_reason_of_a_later_version_is_like_any_other():
    seat, wire = seat_with_story(Honest(), started_story().asks_turn("K"))
    refused = refusal(seat, wire.decisions[0], "MALFORMED")
    refused.answers[0].reason = error_reason_pb2.ErrorReason.ValueType(9_999)

    tell(seat, refused)

    assert [each.action_id for each in wire.decisions] == [1, 2]


@pytest.mark.parametrize("reason", ["LATE", "ALREADY_ANSWERED", "UNKNOWN_PROMPT", "NOT_YOUR_TURN"])
def test_refusal_that_cannot_be_corrected_is_not_asked_again(reason, caplog):
    seat, wire = seat_with_story(Honest(), started_story().asks_turn("K"))

    tell(seat, refusal(seat, wire.decisions[0], reason, late_us=2500 if reason == "LATE" else 0))

    assert len(wire.decisions) == 1
    assert reason in caplog.text
    assert ("2.5 ms after its deadline" in caplog.text) == (reason == "LATE")


def test_cards_not_in_the_hand_are_refused_before_sending():
    class Cheat(Bot):
        def turn(self, table, options):
            return Play.of("AS", "A")

        def on_refused(self, table, decision, reason):
            raise LookupError(reason)

    _, wire = seat_with_story(Cheat(), started_story().asks_turn("A"))

    assert wire.decisions == []
    with pytest.raises(LookupError, match="NOT_IN_HAND"):
        play_through(Cheat, started_story().asks_turn("A"))


# ---- bots that fail


class Failing(Bot):
    def turn(self, table, options):
        raise ValueError("no idea")


def test_bot_exception_is_logged_in_full_once_and_the_bot_plays_on(caplog):
    story = started_story().asks_turn("K").asks_turn("K").plays(1, "K", 1).asks_window()

    _, wire = seat_with_story(Failing(), story)

    assert [each.prompt_id for each in wire.decisions] == [3]
    assert caplog.text.count("Traceback") == 1
    assert caplog.text.count("match 1 game 0 turn 0: Failing.turn failed: ValueError('no idea')") == 2


def test_bot_exception_reaches_its_tests():
    with pytest.raises(ValueError, match="no idea"):
        play_through(Failing, started_story().asks_turn("K"))


@pytest.mark.parametrize("answer", [None, Call(), "KC as K", Play])
def test_invalid_answer_is_explained_in_a_sentence(answer, caplog):
    class Confused(Bot):
        def turn(self, table, options):
            return answer

    _, wire = seat_with_story(Confused(), started_story().asks_turn("K"))

    assert wire.decisions == []
    assert "expected Play or Pass" in caplog.text
    assert "Traceback" not in caplog.text
    with pytest.raises(BotError, match="turn\\(\\) returned"):
        play_through(Confused, started_story().asks_turn("K"))


def test_unsendable_rank_affects_only_its_prompt(caplog):
    class Wild(Honest):
        def turn(self, table, options):
            return Play(table.hand.of(12), -1)  # type: ignore[arg-type]  # such a mistake is the test

    _, wire = seat_with_story(Wild(), started_story().asks_turn("K").plays(1, "K", 1).asks_window())

    assert [each.prompt_id for each in wire.decisions] == [2]
    assert "Wild.turn failed" in caplog.text


def test_failing_hooks_change_nothing(caplog):
    class Clumsy(Honest):
        def game_started(self, table):
            raise KeyError("seat")

        def saw(self, table, event):
            raise RuntimeError("again")

    _, wire = seat_with_story(Clumsy(), started_story().plays(1, "K", 1).plays(2, "K", 1).asks_turn("K"))

    assert len(wire.decisions) == 1
    assert "Clumsy.game_started failed" in caplog.text
    assert caplog.text.count("Traceback") == 2


# ---- asynchronous bots


async def test_async_answers_are_sent_when_ready():
    ready = asyncio.Event()

    class Slow(Bot):
        async def turn(self, table, options):
            await ready.wait()
            return options.largest_honest()

    _, wire = seat_with_story(Slow(), started_story().asks_turn("K"))
    assert wire.decisions == []
    ready.set()
    await asyncio.sleep(0.01)

    assert [each.prompt_id for each in wire.decisions] == [1]


async def test_thinking_stops_when_the_prompt_is_withdrawn():
    stopped = []

    class Slow(Bot):
        async def turn(self, table, options):
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                stopped.append(table.turn)
                raise
            return options.largest_honest()

    story = started_story().asks_turn("K")
    seat, wire = seat_with_story(Slow(), story)
    await asyncio.sleep(0)
    tell(seat, story.withdraws().messages[-1])
    await asyncio.sleep(0.01)

    assert stopped == [0]
    assert wire.decisions == []


async def test_async_hooks_run_in_order_and_prompts_wait_for_them():
    heard = []

    class Careful(Honest):
        async def match_started(self, table):
            await asyncio.sleep(0.01)
            heard.append("match")

        async def game_started(self, table):
            heard.append("game")

        def turn(self, table, options):
            heard.append("turn")
            return super().turn(table, options)

    _, wire = seat_with_story(Careful(), started_story().asks_turn("K"))
    assert heard == []
    await asyncio.sleep(0.05)

    assert heard == ["match", "game", "turn"]
    assert len(wire.decisions) == 1


async def test_async_bot_exception_is_logged(caplog):
    class Failing(Bot):
        async def turn(self, table, options):
            raise ValueError("no idea")

    _, wire = seat_with_story(Failing(), started_story().asks_turn("K"))
    await asyncio.sleep(0.01)

    assert wire.decisions == []
    assert "Failing.turn failed: ValueError('no idea')" in caplog.text


def test_async_bots_can_be_driven_through_a_story():
    class Slow(Honest):
        async def turn(self, table, options):
            await asyncio.sleep(0.001)
            return options.largest_honest()

    assert [str(answer) for answer in play_through(Slow, started_story().asks_turn("K"))] == ["KC KD as K"]


# ---- hooks


def test_hooks_follow_the_order_of_the_match():
    heard = []

    class Diary(Honest):
        def match_started(self, table):
            heard.append("match of " + ", ".join(table.terms.entrants))

        def game_started(self, table):
            heard.append(f"game {table.game}")

        def saw(self, table, event):
            heard.append(f"{type(event).__name__} with {len(table.hand)} cards")

        def game_ended(self, table):
            heard.append(f"game {table.game} ended {table.places}")

        def match_ended(self, table):
            heard.append(f"match {table.termination} {table.place_sums}")

    story = started_story().plays(0, "K", "KC KD").ends_game([1, 2, 3])
    story.tell(
        event_pb2.Event(game_started=event_pb2.GameStarted(game=1, entrants=bytes([2, 0, 1]))),
    ).ends_match([2, 4, 6])
    rehearsal = Rehearsal(Diary)
    for message in story:
        rehearsal.take(message)

    assert heard == [
        "match of bot 0, bot 1, bot 2",
        "game 0",
        "CheatDealt with 3 cards",
        "CheatHand with 3 cards",
        "CheatPlayed with 1 cards",
        "CheatLaid with 1 cards",
        "game 0 ended (1, 2, 3)",
        "game 1",
        "match finished (2, 4, 6)",
    ]
    assert rehearsal.table.seat == 1
    assert rehearsal.table.names == ("bot 2", "bot 0", "bot 1")


def test_game_end_and_next_game_may_arrive_at_once():
    heard = []

    class Diary(Honest):
        def game_started(self, table):
            heard.append((table.game, table.is_over, table.hand_sizes))

        def game_ended(self, table):
            heard.append((table.game, table.is_over, table.places))

    ended = event_pb2.Event(game_ended=event_pb2.GameEnded(game=0, places=bytes([1, 2, 3]), termination="finished"))
    started = event_pb2.Event(game_started=event_pb2.GameStarted(game=1, entrants=bytes([0, 1, 2])))
    dealt = event_pb2.Event(cheat_dealt=cheat_pb2.CheatDealt(hand_sizes=[18, 18, 18]))
    play_through(Diary, started_story().tell(ended, started, dealt))

    assert heard[1:] == [(0, True, (1, 2, 3)), (1, False, (18, 18, 18))]


def test_errors_are_explained_in_sentences(caplog):
    fault = event_pb2.Fault(kind=event_pb2.FAULT_KIND_MISSING, prompt_id=4)
    illegal = event_pb2.Fault(
        kind=event_pb2.FAULT_KIND_ILLEGAL, prompt_id=5, reason=error_reason_pb2.ERROR_REASON_ILLEGAL_RANK
    )

    seat_with_story(Honest(), started_story().tell(event_pb2.Event(fault=fault), event_pb2.Event(fault=illegal)))

    assert "match 1 game 0 turn 0: strike: no answer to prompt 4 came in time" in caplog.text
    assert "strike: the answer to prompt 5 broke a rule (ILLEGAL_RANK)" in caplog.text


def test_readiness_is_sent_when_an_intermission_starts():
    pause = event_pb2.Event(intermission_started=event_pb2.IntermissionStarted(until_us=5))

    _, wire = seat_with_story(Honest(), started_story().ends_game([1, 2, 3]).tell(pause))

    assert [notice.ready.match for notice in wire.notices] == [1]


# ---- table services


def test_log_names_the_position_in_the_match(caplog):
    class Talking(Honest):
        def turn(self, table, options):
            table.log.warning("thinking about %d cards", len(table.hand))
            return super().turn(table, options)

    play_through(Talking, started_story().plays(1, "K", 1).asks_turn("K"))

    assert (
        "cheatarena.bot",
        logging.WARNING,
        "match 1 game 0 turn 1: thinking about 3 cards",
    ) in caplog.record_tuples


def test_randomness_belongs_to_the_seat_and_is_repeatable():
    rolls = []

    class Rolling(Honest):
        def turn(self, table, options):
            rolls.append(table.random.random())
            return super().turn(table, options)

    play_through(Rolling, started_story().asks_turn("K").asks_turn("K"))
    rng = random.Random(bytes(32))

    assert rolls == [rng.random(), rng.random()]


def test_time_left_and_time_queued_are_reported_separately():
    seen = []

    class Watching(Honest):
        def turn(self, table, options):
            seen.append((table.clock.left_s, table.queued_s))
            return super().turn(table, options)

    story = started_story().asks_turn("K")
    story.messages[-1].prompts[0].deadline_us = 2_000_000
    _, wire = seat_with_story(Watching(), story, arrival_s=time.monotonic() - 0.9)

    left_s, queued_s = seen[0]
    assert left_s == pytest.approx(2.0, abs=0.1)
    assert queued_s == pytest.approx(0.9, abs=0.1)
    assert [allowed_s for _, allowed_s in wire.waits] == [2.0]


async def test_call_is_kept_until_it_counts_and_dropped_with_its_prompt():
    class Caller(Honest):
        def call_window(self, table, claim):
            return Call()

    story = started_story(pace="live").plays(1, "K", 3).asks_window()
    story.messages[-1].prompts[0].earliest_us = 750_000
    seat, wire = seat_with_story(Caller(), story)
    assert wire.decisions == []
    assert wire.delays == [pytest.approx(0.75, abs=0.1)]

    wire.works[0]()
    assert [each.cheat.kind for each in wire.decisions] == [cheat_pb2.CHEAT_ACTION_KIND_CALL]
    tell(seat, story.withdraws().messages[-1])


async def test_early_call_is_sent_again_when_it_counts_without_another_question():
    class Caller(Honest):
        def __init__(self):
            self.refused = []

        def call_window(self, table, claim):
            return Call()

        def on_refused(self, table, decision, reason):
            self.refused.append(reason)

    bot = Caller()
    seat, wire = seat_with_story(bot, started_story(pace="live").plays(1, "K", 3).asks_window())
    for retry_at_us in (500_000, 900_000):
        early = refusal(seat, wire.decisions[-1], "TOO_EARLY")
        early.answers[0].retry_at_us = retry_at_us
        tell(seat, early)
        wire.works[-1]()

    assert wire.delays == [pytest.approx(0.5, abs=0.1), pytest.approx(0.9, abs=0.1)]
    assert [each.action_id for each in wire.decisions] == [1, 2, 3]
    assert {each.cheat.kind for each in wire.decisions} == {cheat_pb2.CHEAT_ACTION_KIND_CALL}
    assert bot.refused == []


def test_early_call_is_not_sent_again_if_the_refusal_withdraws_its_prompt():
    class Caller(Honest):
        def call_window(self, table, claim):
            return Call()

    seat, wire = seat_with_story(Caller(), started_story(pace="live").plays(1, "K", 3).asks_window())
    early = refusal(seat, wire.decisions[0], "TOO_EARLY")
    early.answers[0].retry_at_us = 1
    early.withdrawn.append(wire.decisions[0].prompt_id)

    tell(seat, early)

    assert (len(wire.decisions), wire.delays) == (1, [])


# ---- lazy tables


@pytest.mark.parametrize("seed", range(20))
def test_facts_processed_late_yield_the_same_table_as_at_once(seed):
    story = random_story(random.Random(seed))
    eager, lazy = Rehearsal(Onlooker), Rehearsal(Onlooker)
    for message in story:
        eager.take(message)
        summary(eager.table)
        lazy.take(message)

    assert summary(eager.table) == summary(lazy.table)


def random_story(rng: random.Random) -> Script:
    """Return a story of some hundred moves and calls that are possible, but not always legal."""
    deck = list(range(52))
    rng.shuffle(deck)
    hands = [sorted(deck[seat::4]) for seat in range(4)]
    story = Script(seats=4, jokers=0).deal(names(hands[0]))
    pile: list[list[int]] = []
    for turn in range(300):
        seat = turn % 4
        count = min(rng.randint(1, 3), len(hands[seat]))
        if not count:
            continue
        laid = [hands[seat].pop(rng.randrange(len(hands[seat]))) for _ in range(count)]
        pile.append(laid)
        rank = Rank(rng.randrange(13))
        story.plays(seat, rank, names(laid) if seat == 0 else count)
        if rng.random() < 0.3:
            caller = (seat + rng.randint(1, 3)) % 4
            is_lie = any(card >> 2 != rank for card in laid)
            taker = seat if is_lie else caller
            taken = [card for cards in pile for card in cards]
            story.calls(caller, lie=is_lie, shown=names(laid), taken=names(taken) if taker == 0 else None)
            hands[taker] += taken
            pile.clear()
    return story


def names(codes: list[int]) -> str:
    return text(Play.of(codes, 0).cards)


def summary(table):
    return (
        tuple(table.hand),
        table.hand_sizes,
        table.claims,
        table.previous,
        table.to_move,
        table.turn,
        [table.known_cards(seat) for seat in range(4)],
        [table.seen_cards(seat) for seat in range(4)],
        table.known_pile,
        [table.unseen(rank) for rank in Rank],
        [table.is_impossible(claim) for claim in table.claims],
    )


@pytest.mark.parametrize("seed", range(20))
def test_no_true_claim_is_called_impossible_and_no_false_card_is_known(seed):
    """Whether a call is right follows from the hands that the story tracks."""
    rng = random.Random(seed)
    deck = list(range(52))
    rng.shuffle(deck)
    hands = [deck[seat::4] for seat in range(4)]
    story = Script(seats=4, jokers=0, check="public").deal(names(hands[0]))
    rehearsal = Rehearsal(Onlooker)
    pile: list[tuple[int, Rank, list[int]]] = []
    told = 0
    for turn in range(200):
        seat = turn % 4
        rank = Rank(rng.randrange(13))
        true = [card for card in hands[seat] if card >> 2 == rank]
        laid = true or rng.sample(hands[seat], min(2, len(hands[seat])))
        if not laid:
            continue
        hands[seat] = [card for card in hands[seat] if card not in laid]
        pile.append((seat, rank, laid))
        story.plays(seat, rank, names(laid) if seat == 0 else len(laid))
        if rng.random() < 0.4:
            caller = (seat + rng.randint(1, 3)) % 4
            taker = caller if true else seat
            taken = [card for _, _, cards in pile for card in cards]
            story.calls(caller, lie=not true, shown=names(laid), taken=names(taken) if taker == 0 else None)
            hands[taker] += taken
            pile.clear()
        for message in story.messages[told:]:
            rehearsal.take(message)
        told = len(story.messages)

        table = rehearsal.table
        assert tuple(table.hand) == tuple(sorted(hands[0]))
        assert all(set(table.known_cards(each)) <= set(hands[each]) for each in (1, 2, 3))
        for claim, (_, rank, cards) in zip(table.claims, pile, strict=True):
            assert not (table.is_impossible(claim) and all(card >> 2 == rank for card in cards))


# ---- snapshots


def snapshot(story: Script, **fields) -> play_pb2.SeatMessage:
    """Return a snapshot taken after the third move of the game in the story."""
    layers = [
        cheat_pb2.CheatLayer(seat=2, count=4, abandoned=True),
        cheat_pb2.CheatLayer(seat=0, rank=12, count=1, own_cards=card_set("KC")),
        cheat_pb2.CheatLayer(seat=1, rank=11, count=2),
    ]
    cheat = cheat_pb2.CheatSnapshot(
        hand=card_set("2C KD"),
        hand_sizes=[2, 3, 0],
        holders=bytes([0, 1]),
        pile=layers,
        to_move=0,
        previous_rank=11,
        previous_count=2,
        mover=1,
        callable=True,
        places=bytes([0, 0, 3]),
        turn_count=3,
    )
    events = [event for message in story.messages[:2] for event in message.events]
    taken = snapshot_pb2.SeatSnapshot(events=events, cheat=cheat, **fields)
    return play_pb2.SeatMessage(match=1, sequence=40, snapshot=taken)


def turn_prompt(prompt_id: int) -> decision_pb2.Prompt:
    turn = cheat_pb2.CheatTurn(ranks=bytes([11, 12]), counts=[1, 4])
    return decision_pb2.Prompt(id=prompt_id, cheat_turn=turn)


def test_bot_that_reconnects_without_state_starts_from_the_snapshot():
    _, wire = seat_with_story(Honest(), Script(seats=3))
    fresh = Seat(1, 0, Honest(), wire)

    tell(fresh, snapshot(Script(seats=3), prompts=[turn_prompt(7), turn_prompt(8)], answered=[7]))

    table = fresh.table
    assert (text(table.hand), table.hand_sizes, table.pile_size, table.turn) == ("2C KD", (2, 3, 0), 7, 3)
    assert text(table.known_pile) == "KC"
    assert [(claim.seat, claim.rank, claim.count) for claim in table.claims] == [(0, 12, 1), (1, 11, 2)]
    assert table.previous == table.last_claim == table.claims[1]
    assert table.places == (0, 0, 3)
    assert [each.prompt_id for each in wire.decisions] == [8]
    assert fresh.sequence == 40


def test_snapshot_replaces_all_earlier_messages():
    seat, wire = seat_with_story(Honest(), started_story().plays(0, "K", "KC").asks_turn("K"))
    again = snapshot(Script(seats=3))
    again.snapshot.answers.add(prompt_id=1, action_id=1, status=decision_pb2.DECISION_STATUS_ACCEPTED)

    tell(seat, again)
    tell(seat, play_pb2.SeatMessage(match=1, sequence=41, prompts=[turn_prompt(9)]))

    assert text(seat.table.hand) == "2C KD"
    assert [each.prompt_id for each in wire.decisions] == [1, 9]
    assert [request_id(request) for _, _, request in seat.sent.values()] == [2]


def request_id(request: bytes) -> int:
    (decision,) = play_pb2.PlayRequest.FromString(request).decisions
    return decision.action_id


def test_passes_are_answers_to_turns():
    class Lazy(Bot):
        def turn(self, table, options):
            return options.pass_()

    assert play_through(Lazy, started_story().asks_turn("K", can_pass=True)) == [Pass()]

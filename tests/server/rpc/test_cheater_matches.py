"""CHEATER on a real server: raw bots, SDK bots, secrets, snapshots and refusals."""

import asyncio
from contextlib import suppress

import pytest

from arena.games.catalogue import games
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.wire.messages import FACT_ENCODERS
from arena.match.game import Seat
from arena.match.referee.match_record import group_by_match
from arena.match.referee.orders import TellEvent
from arena.match.referee.replay import Replay
from arena.server.store.journal_file import read_records
from cheatarena import Client, Settings
from cheatarena.cheater import Allow, CheaterBot, Draw
from cheatarena.testing import Rehearsal
from cheatarena.v1 import cheater_pb2, decision_pb2, error_reason_pb2, event_pb2, match_pb2, ruleset_pb2, watch_pb2
from sample_bots.python.cautious.bot import Cautious
from sample_bots.python.denier.bot import Denier
from sample_bots.python.set_chaser.bot import SetChaser
from tests.support.cheater_wire import choose, game_facts
from tests.support.server import LocalServer, slow_pace

LIVE = ruleset_pb2.Pace(style=ruleset_pb2.PACE_STYLE_LIVE, turn_ms=60_000, call_ms=10_000, reconnect_grace_ms=10_000)
FIXED = slow_pace(fixed_window=True, call_ms=50)
NAMES = ("ann", "bob", "cid")
K = {name.removeprefix("CHEATER_ACTION_KIND_"): number for name, number in cheater_pb2.CheaterActionKind.items()}


async def seat_bots(site: LocalServer, pace, max_turns=60, names=NAMES, **request):
    bots = [await site.connect_bot(name, games=["cheater"]) for name in names]
    limit = [match_pb2.OptionSetting(name="max_turns", value=str(max_turns))]
    match = await site.create_match(*names, game="cheater", preset="cheater", options=limit, pace=pace, **request)
    return match, bots


def expected_facts(site: LocalServer, count):
    """What each seat of a single game may be told, worked out again from the journal by the rules' own redaction."""
    (records,) = group_by_match(read_records(site.store.journals_folder / f"{site.node.name}.journal")).values()
    replay = Replay(records, games())
    told: list[list[event_pb2.Event]] = [[] for _ in range(count)]
    for moment in replay.moments():
        for order in moment.orders:
            if isinstance(order, TellEvent):
                public, private = CHEATER.redact(order.event)
                for seat in range(count):
                    told[seat] += [FACT_ENCODERS[type(part)](part) for part in (public, *private.get(Seat(seat), ()))]
    return told


PACES = [(slow_pace(), 60), (LIVE, 60), (FIXED, 15)]


@pytest.mark.parametrize(("pace", "turns"), PACES, ids=["sealed", "live", "fixed"])
async def test_match_reveals_to_each_seat_only_what_it_may_know(site: LocalServer, pace, turns):
    """Each seat's facts are the redacted events with its own private parts only; no bot commits a fault."""
    match, bots = await seat_bots(site, pace, turns)

    await asyncio.gather(*(bot.play(choose) for bot in bots))
    ended = await site.wait_for_result(match)

    assert ended.termination == "finished"
    assert [*ended.strikes] == [match_pb2.Strikes()] * 3
    assert ended.terms.ruleset.cheater.max_turns == turns
    assert sum(figures.values["attacks"] for figures in ended.figures) > 0
    assert [game_facts(bot) for bot in bots] == expected_facts(site, 3)


async def test_sdk_bots_play_a_match(site: LocalServer):
    """The samples run in this process, over gRPC; seats rotate, and places belong to entrants."""
    tokens = [await site.create_token(name, "play") for name in NAMES]
    clients = [
        Client(bot, Settings(site.address, token, instance="one"))
        for bot, token in zip((SetChaser, Denier, Cautious), tokens, strict=True)
    ]
    playing = [asyncio.create_task(client.play()) for client in clients]
    while not all((name, "one") in site.node.sessions for name in NAMES):
        await asyncio.sleep(0.01)

    match = await site.create_match(
        *NAMES, game="cheater", preset="cheater", options=[], pace=slow_pace(), game_count=4
    )
    ended = await site.wait_for_result(match)
    for client in clients:
        client.stop()
    await asyncio.gather(*playing)

    assert ended.termination == "finished"
    assert {game.termination for game in ended.games} <= {"spelled", "max_turns"}
    assert next(sorted(game.places) for game in ended.games if game.termination == "spelled") == [1, 2, 2]
    assert [*ended.strikes] == [match_pb2.Strikes()] * 3


class Witness(CheaterBot):
    def act(self, table, options):
        return Draw()

    def reaction(self, table, options):
        return Allow(note=f"{options.attack} by seat {options.attacker}")


async def test_bot_reconnects_in_the_middle_of_an_attack(site: LocalServer):
    """The snapshot describes the attack and has the open prompt.

    An SDK table built from it equals one built from the facts.
    """
    _, bots = await seat_bots(site, slow_pace())
    victims = {}

    def is_attacked(message):
        return any(prompt.HasField("cheater_reaction") for prompt in message.prompts)

    async def until_attacked(bot):
        victims[bot] = await bot.play(choose, stop=is_attacked)

    tasks = [asyncio.create_task(until_attacked(bot)) for bot in bots]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    (victim,) = victims
    told = Rehearsal(Witness)
    for message in victim.messages:
        told.take(message)
    name = NAMES[bots.index(victim)]
    await victim.disconnect()

    again = await site.open_stream(name)
    await again.open_session(games=["cheater"])
    resumed, prompt = await again.wait_for_prompt("cheater_reaction")
    restored = Rehearsal(Witness)
    (answer,) = restored.take(resumed)

    assert resumed.snapshot.cheater.attacking.target == restored.table.seat
    assert resumed.snapshot.cheater.phase == cheater_pb2.CHEATER_PHASE_REACTION
    assert prompt == victims[victim].prompts[0]
    assert answer == told.answers[prompt.id]
    for field in ("hand", "hand_sizes", "discards", "draw_count", "cheater", "dice", "attacking", "turn", "others"):
        assert getattr(restored.table, field) == getattr(told.table, field), field


REFUSED = [
    ({"kind": 0}, "MALFORMED"),
    ({"kind": 99}, "MALFORMED"),
    ({"kind": K["PLAY"], "card": 24}, "MALFORMED"),
    ({"kind": K["DISCARD"], "cards": bytes(5000)}, "MALFORMED"),
    ({"kind": K["ALLOW"]}, "NOT_NOW"),
    ({"kind": K["DISCARD"], "cards": b"\0"}, "NOT_NOW"),
    ({"kind": K["PLAY"], "card": 200, "target": 1}, "NOT_IN_HAND"),
    ({"kind": K["DEMAND"], "target": 2**32 - 1}, "BAD_TARGET"),
]
"""Who is asked first has rolled a double, so that it has powers."""


async def test_invented_actions_are_refused_by_code_and_match_continues(site: LocalServer):
    """Each refusal has its reason, in the journal and on the wire; a legal answer to the same prompt still counts."""
    _, bots = await seat_bots(site, slow_pace(), names=("ann", "bob"))
    for bot in bots:
        await bot.answer_offer()
    mover = await bot_to_move(bots)
    message, prompt = await mover.wait_for_prompt("cheater_act")
    seat = message.match, message.entrant

    for number, (action, expected) in enumerate(REFUSED, start=1):
        answer = await decide(mover, seat, prompt.id, number, action)
        assert error_reason_pb2.ErrorReason.Name(answer.reason) == f"ERROR_REASON_{expected}", action

    last = await decide(mover, seat, prompt.id, 100, {"kind": K["DRAW"]})
    assert last.status == decision_pb2.DECISION_STATUS_ACCEPTED


async def bot_to_move(bots):
    """Return the bot whose turn it is, which the dice decided."""
    waits = {asyncio.create_task(bot.wait_for_event("cheater_rolled")): bot for bot in bots}
    await asyncio.wait(waits)
    for bot in bots:
        bot.unread.extendleft(reversed(bot.messages))
        if any(message.prompts for message in bot.messages):
            return bot
    raise AssertionError("nobody is asked")


async def decide(bot, seat, prompt_id, action_id, action):
    decision = decision_pb2.Decision(
        match=seat[0], entrant=seat[1], prompt_id=prompt_id, action_id=action_id,
        cheater=cheater_pb2.CheaterAction(**action),
    )  # fmt: skip
    await bot.send(decisions=[decision])
    return await bot.wait_for_answer(action_id)


async def test_bot_that_plays_only_cheat_gets_no_seat(site: LocalServer):
    """A session is offered only the games its Hello names."""
    await site.connect_bots("ann", "bob")

    with pytest.raises(Exception, match="does not play cheater"):
        await site.create_match("ann", "bob", game="cheater", preset="cheater", options=[])


async def test_spectator_sees_public_game(site: LocalServer):
    """Its messages contain no hand and no drawn card, but do contain a shown hand."""
    match, bots = await seat_bots(site, slow_pace())
    stream = site.watch.WatchMatch(watch_pb2.WatchMatchRequest(match_id=match.match_id), metadata=site.watching)
    watching = asyncio.create_task(collect_facts(stream))
    while not site.node.spectators:
        await asyncio.sleep(0.001)
    await asyncio.gather(*(bot.play(choose) for bot in bots))
    frames = await watching
    messages = [message for frame in frames for message in frame.messages]
    kinds = {event.WhichOneof("fact") for message in messages for event in message.events}

    assert kinds >= {"cheater_rolled", "cheater_drew", "cheater_hand_shown"}
    assert not kinds & {"cheater_hand", "cheater_drawn"}
    assert not any(message.snapshot.cheater.HasField("hand") for message in messages)


async def collect_facts(stream):
    return [frame async for frame in stream]

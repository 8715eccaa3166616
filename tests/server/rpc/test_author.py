"""AuthorService: the author of a bot reads the bot's own matches, as the bot knew them, and nobody else's."""

import asyncio
import json
import multiprocessing
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import grpc
import pytest

from arena.fleet.assembly.server import start_server
from arena.games.catalogue import games, phrasing_of
from arena.replays.archive import author_archive
from arena.replays.library.library import Library
from arena.replays.narration.narrate import narrate
from arena.server.config.server_config import ServerConfig
from arena.server.node.limits import Limits
from cheatarena.v1 import author_pb2, author_pb2_grpc, cheat_pb2, error_reason_pb2, event_pb2, match_pb2
from tests.support.author_worker import use_thread_worker
from tests.support.server import LocalServer, open_server, slow_pace
from tests.support.stamping import loop_parts
from tests.support.wire_bot import WireBot, bearer, begins_game, expect_refusal, is_match_over, new_channel, play_lowest

UNKNOWN_ID = "01K00000000000000000000000"
METHODS = ("GetReplay", "GetFaults", "GetFigures", "WatchSeat")
"""The methods that name a match."""


class Author:
    """Calls the service with the token of a bot."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self.stub: Any = author_pb2_grpc.AuthorServiceStub(channel)
        self.metadata = bearer(token)

    async def list(self, **fields: Any) -> Any:
        return await self.stub.ListGames(author_pb2.ListGamesRequest(**fields), metadata=self.metadata)

    async def replay(self, match: match_pb2.Match, **fields: Any) -> Any:
        request = author_pb2.GetReplayRequest(match_id=match.match_id, **fields)
        return await self.stub.GetReplay(request, metadata=self.metadata)

    async def faults(self, **fields: Any) -> Any:
        return await self.stub.GetFaults(author_pb2.GetFaultsRequest(**fields), metadata=self.metadata)

    async def figures(self, **fields: Any) -> Any:
        return await self.stub.GetFigures(author_pb2.GetFiguresRequest(**fields), metadata=self.metadata)

    def watch(self, match: match_pb2.Match, **fields: Any) -> Any:
        request = author_pb2.WatchSeatRequest(match_id=match.match_id, **fields)
        return self.stub.WatchSeat(request, metadata=self.metadata)

    def call(self, method: str, match_id: str) -> Any:
        """Call a method that names a match; a stream is read once."""
        request = getattr(author_pb2, f"{method}Request")(match_id=match_id)
        call = getattr(self.stub, method)(request, metadata=self.metadata)
        return call.read() if method == "WatchSeat" else call


AuthorOf = Callable[[str], Awaitable[Author]]


@pytest.fixture(autouse=True)
def _worker(monkeypatch, request) -> None:
    """Read in a thread, except where the process matters."""
    if "process" not in request.node.name:
        use_thread_worker(monkeypatch)


@pytest.fixture
async def author_of(site: LocalServer) -> AsyncIterator[AuthorOf]:
    """Return a function that returns the author of a bot."""
    async with new_channel(site.address) as channel:

        async def build(name: str) -> Author:
            if name not in site.tokens:
                site.tokens[name] = await site.create_token(name)
            return Author(channel, site.tokens[name])

        yield build


async def play_match(site: LocalServer, names: list[str], bots: list[WireBot], **request: Any) -> match_pb2.Match:
    """Let connected bots play a short match to its end."""
    request.setdefault("pace", slow_pace())
    match = await site.create_match(*names, **request)
    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    return await site.wait_for_result(match)


async def messages_of(stream: Any) -> list[Any]:
    """Return all messages until the stream ends by itself."""
    messages: list[Any] = []
    async with asyncio.timeout(30):
        while (frame := await stream.read()) is not grpc.aio.EOF:
            messages += frame.messages
    return messages


async def wait_for_watcher(site: LocalServer) -> None:
    """Wait until the server knows a watcher, to which it sends nothing until there is a message."""
    while not site.node.spectators:
        await asyncio.sleep(0.001)


def share_beaten(places: bytes, entrant: int) -> float:
    """Return the share of opponents that an entrant beat; a tie counts half."""
    others = [place for index, place in enumerate(places) if index != entrant]
    return sum(1.0 if places[entrant] < place else 0.5 * (places[entrant] == place) for place in others) / len(others)


# ---- the owner


async def test_owner_reads_every_own_bot_and_no_other(site: LocalServer, author_of: AuthorOf):
    for owner, names in {"eve": ["ann", "amy"], "zoe": ["bob"], "tom": []}.items():
        await site.store.owners.add(owner, "", 9)
        site.tokens[owner] = await site.store.tokens.create(owner, ["own"], owner=owner)
        for name in names:
            await site.store.owners.create_bot(owner, name)
    bots = await site.connect_bots("ann", "bob")
    match = await play_match(site, ["ann", "bob"], bots)
    eve, zoe, tom = [await author_of(name) for name in ("eve", "zoe", "tom")]

    assert [each.match_id for each in (await eve.list(bot="ann")).matches] == [match.match_id]
    assert not (await eve.list(bot="amy")).matches
    assert await eve.replay(match, bot="ann") == await (await author_of("ann")).replay(match, bot="ann")
    assert (await zoe.figures()).figures[0].entrant == 1, "the only bot needs no name"
    assert "unknown match" in (await expect_refusal(eve.replay(match, bot="amy"))).text
    assert (await expect_refusal(eve.list())).text == "name one of your bots: amy, ann"
    assert (await expect_refusal(tom.faults())).text == "name one of your bots: you have none yet"
    for asks in (eve, await author_of("ann")):
        assert "unknown bot of yours 'bob'" in (await expect_refusal(asks.list(bot="bob"))).text


async def test_owner_watches_a_running_match_from_the_seat_of_a_bot(site: LocalServer, author_of: AuthorOf):
    await site.store.owners.add("eve", "", 9)
    site.tokens["eve"] = await site.store.tokens.create("eve", ["own"], owner="eve")
    await site.store.owners.create_bot("eve", "ann")
    match, _ = await site.seat_bots("ann", "bob")

    frame = await (await author_of("eve")).watch(match, bot="ann").read()

    assert frame.messages[0].HasField("snapshot")


# ---- lists


async def test_author_lists_own_matches_newest_first(site: LocalServer, author_of: AuthorOf):
    """Each with the own places, points and strikes; matches of others are left out."""
    bots = await site.connect_bots("ann", "bob", "cid")
    first = await play_match(site, ["ann", "bob"], bots[:2], game_count=2)
    await play_match(site, ["bob", "cid"], bots[1:])
    last = await play_match(site, ["cid", "ann"], [bots[2], bots[0]])

    newest, oldest = (await (await author_of("ann")).list()).matches

    assert [newest.match_id, oldest.match_id] == [last.match_id, first.match_id]
    assert oldest.terms == first.terms
    assert (oldest.state, oldest.termination) == (match_pb2.MATCH_STATE_ENDED, "finished")
    assert [result.entrant for result in (*newest.results, *oldest.results)] == [1, 0]
    places = [game.places[0] for game in first.games]
    assert list(oldest.results[0].places) == places
    assert oldest.results[0].points == sum(share_beaten(game.places, 0) for game in first.games)
    assert oldest.results[0].strikes == first.strikes[0]


async def test_lists_come_in_pages(site: LocalServer, author_of: AuthorOf):
    bots = await site.connect_bots("ann", "bob")
    played = [(await play_match(site, ["ann", "bob"], bots)).match_id for _ in range(3)]
    author = await author_of("bob")

    first = await author.list(page_size=2)
    second = await author.list(page_size=2, page_token=first.next_page_token)

    assert [match.match_id for match in (*first.matches, *second.matches)] == played[::-1]
    assert not second.next_page_token


async def test_one_match_is_listed_on_its_own(site: LocalServer, author_of: AuthorOf):
    """Another bot's match, and one that has not begun, are refused like one that does not exist."""
    bots = await site.connect_bots("ann", "bob")
    wanted, _ = [(await play_match(site, ["ann", "bob"], bots)).match_id for _ in range(2)]
    offered = await site.create_match("ann", "bob", pace=slow_pace())
    author, stranger = await author_of("ann"), await author_of("cid")

    found = await author.list(match_id=wanted)

    assert [match.match_id for match in found.matches] == [wanted]
    assert not found.next_page_token
    refusals = [
        await expect_refusal(asked.list(match_id=match_id))
        for asked, match_id in ((author, UNKNOWN_ID), (author, offered.match_id), (stranger, wanted))
    ]
    assert {each.reason for each in refusals} == {"UNKNOWN_MATCH"}


async def test_running_match_is_listed_with_its_finished_games(site: LocalServer, author_of: AuthorOf):
    match, bots = await site.seat_bots("ann", "bob", pace=slow_pace(), game_count=3)
    await asyncio.gather(*(bot.play(play_lowest, stop=begins_game(1)) for bot in bots))

    (listed,) = (await (await author_of("ann")).list()).matches

    assert (listed.match_id, listed.state) == (match.match_id, match_pb2.MATCH_STATE_RUNNING)
    assert len(listed.results[0].places) == 1
    assert listed.terms.game_count == 3


async def test_anonymous_match_names_nobody(site: LocalServer, author_of: AuthorOf):
    bots = await site.connect_bots("ann", "bob")
    match = await play_match(site, ["ann", "bob"], bots, anonymous=True)
    author = await author_of("ann")

    listed, page = await author.list(), await author.replay(match)

    assert list(listed.matches[0].terms.entrants) == ["", ""]
    assert b"bob" not in listed.SerializeToString() + page.SerializeToString()


async def test_bot_with_two_seats_sees_both(site: LocalServer, author_of: AuthorOf):
    """Instances of one token may meet in an unrated match."""
    bots = [await site.connect_bot("ann", instance=name) for name in ("one", "two")]
    match = await play_match(site, ["ann/one", "ann/two"], bots)
    author = await author_of("ann")

    (listed,) = (await author.list()).matches
    views = [await author.replay(match, entrant=entrant) for entrant in (0, 1)]

    assert [result.entrant for result in listed.results] == [0, 1]
    assert views[0].lines != views[1].lines
    assert (await expect_refusal(author.replay(match, entrant=2))).fields.keys() == {"entrant"}


# ---- replays


async def test_replay_is_what_the_server_itself_tells_of_that_seat(site: LocalServer, author_of: AuthorOf):
    """Text, rows, times and data are those of the local command for this entrant."""
    bots = await site.connect_bots("ann", "bob", "cid")
    match = await play_match(site, ["ann", "bob", "cid"], bots, game_count=2)
    library = Library(site.store.folder, site.store, games())
    _, local, _ = await narrate(library, match.match_id, games(), phrasing_of, entrant="bob")

    page = await (await author_of("bob")).replay(match)

    assert [as_values(line) for line in page.lines] == [plain(line.as_dict()) for line in local]
    assert not page.next_page_token
    assert page.match.results[0].entrant == 1


def as_values(line: author_pb2.ReplayLine) -> dict[str, Any]:
    """Return a line as the command prints it."""
    game, turn = line.game if line.HasField("game") else None, line.turn if line.HasField("turn") else None
    place = {"kind": line.kind, "game": game, "turn": turn, "at_us": line.at_us, "text": line.text}
    rows = {"rows": {row.label: row.text for row in line.rows}} if line.rows else {}
    data: dict[str, Any] = json.loads(line.data)
    return place | rows | data


def plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


async def test_replay_of_one_game(site: LocalServer, author_of: AuthorOf):
    bots = await site.connect_bots("ann", "bob")
    match = await play_match(site, ["ann", "bob"], bots, game_count=3)
    author = await author_of("ann")

    page = await author.replay(match, game=1)

    assert {line.game for line in page.lines} == {1}
    assert [page.lines[0].kind, page.lines[-1].kind] == ["game", "end"]
    assert not page.next_page_token
    assert "has no game 3" in (await expect_refusal(author.replay(match, game=3))).text


async def test_running_match_shows_its_finished_games(site: LocalServer, author_of: AuthorOf):
    match, bots = await site.seat_bots("ann", "bob", pace=slow_pace(), game_count=3)
    author = await author_of("ann")
    none = await author.replay(match)
    await asyncio.gather(*(bot.play(play_lowest, stop=begins_game(1)) for bot in bots))

    page = await author.replay(match)

    assert not none.lines
    assert {line.game for line in page.lines if line.HasField("game")} == {0}
    assert page.lines[-1].kind == "end"
    assert "still runs" in page.remark
    assert not page.HasField("deal")


async def test_deal_of_finished_match_is_what_the_bots_were_told(site: LocalServer, author_of: AuthorOf):
    bots = await site.connect_bots("ann", "bob")
    match = await play_match(site, ["ann", "bob"], bots, seed=b"")

    page = await (await author_of("ann")).replay(match)

    told = next(e.deal_revealed for m in bots[0].messages for e in m.events if e.HasField("deal_revealed"))
    assert page.deal == told


async def test_no_line_has_a_note_or_card_of_another_seat(site: LocalServer, author_of: AuthorOf):
    """Hands are in the data of own lines alone: no line has cards that the seat never held or was shown."""
    bots = await site.connect_bots("ann", "bob")

    def with_note(bot: WireBot, message: Any, prompt: Any) -> Any:
        decision = play_lowest(bot, message, prompt)
        decision.note = f"secret of {bots.index(bot)}"
        return decision

    match = await site.create_match("ann", "bob", pace=slow_pace())
    await asyncio.gather(*(bot.play(with_note) for bot in bots))
    await site.wait_for_result(match)

    text = (await (await author_of("ann")).replay(match)).SerializeToString()

    assert b"secret of 0" in text
    assert b"secret of 1" not in text


# ---- faults and figures


async def test_faults_are_explained_to_their_author_alone(site: LocalServer, author_of: AuthorOf):
    """With the typed reason, the time it took, and what was wrong."""
    match, (ann, bob) = await site.seat_bots("ann", "bob", pace=slow_pace())
    message, prompt = await ann.wait_for_prompt("cheat_turn")
    kind = cheat_pb2.CHEAT_ACTION_KIND_PLAY
    rank = prompt.cheat_turn.ranks[0]
    foreign = next(card for card in range(54) if card not in ann.hands[message.match, message.entrant])
    await ann.decide((message.match, message.entrant), prompt.id, kind=kind, cards=bytes([foreign]), rank=rank, count=1)
    await ann.wait_for_event("fault")
    await site.matches.CancelMatch(match_pb2.CancelMatchRequest(match_id=match.match_id), metadata=site.organizing)

    (fault,) = (await (await author_of("ann")).faults()).faults
    others = await (await author_of("bob")).faults(match_id=match.match_id)

    assert (fault.match_id, fault.entrant, fault.game, fault.turn) == (match.match_id, 0, 0, 0)
    assert (fault.kind, fault.cause) == (event_pb2.FAULT_KIND_ILLEGAL, author_pb2.FAULT_CAUSE_BOT)
    assert fault.reason == error_reason_pb2.ERROR_REASON_NOT_IN_HAND
    assert fault.allowed_us == 60_000_000
    assert fault.HasField("came_us")
    assert "the bot's own fault" in fault.explanation.lower()
    assert not others.faults
    assert [each.WhichOneof("notice") for each in bob.notices] == ["resumed"]


async def test_figures_are_those_of_the_match(site: LocalServer, author_of: AuthorOf):
    bots = await site.connect_bots("ann", "bob")
    match = await play_match(site, ["ann", "bob"], bots)

    (figures,) = (await (await author_of("bob")).figures()).figures

    assert figures.figures == match.figures[1]
    assert (figures.game, figures.preset, figures.game_count) == ("cheat", "standard", 1)
    assert figures.points == share_beaten(match.games[0].places, 1)


# ---- watching


async def test_watcher_gets_the_bytes_of_the_bot(site: LocalServer, author_of: AuthorOf):
    """From the first message to the last, private facts and prompts included, and nothing else."""
    bots = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", pace=slow_pace())
    await bots[0].answer_offer()
    await bots[1].answer_offer()
    await bots[0].wait_for_prompt("cheat_turn")
    stream = (await author_of("ann")).watch(match)
    seen = asyncio.ensure_future(messages_of(stream))
    await wait_for_watcher(site)

    ended = asyncio.gather(*(bot.play(play_lowest, stop=is_match_over) for bot in bots))
    first = bots[0].messages[-1]
    await continue_play(bots[0], first)
    await ended
    messages = await seen

    own = {message.sequence: message.SerializeToString() for message in bots[0].messages}
    assert messages[0].HasField("snapshot")
    assert messages[0].snapshot.cheat.HasField("hand")
    assert [message.SerializeToString() for message in messages[1:]] == [own[m.sequence] for m in messages[1:]]
    assert messages[-1].sequence == max(own)
    assert await stream.code() is grpc.StatusCode.OK


async def continue_play(bot: WireBot, message: Any) -> None:
    """Answer the prompt of a message that was read before."""
    for prompt in message.prompts:
        decision = play_lowest(bot, message, prompt)
        decision.match, decision.entrant, decision.prompt_id = message.match, message.entrant, prompt.id
        decision.action_id = 999
        await bot.send(decisions=[decision])


async def test_watcher_resumes_from_its_sequence(site: LocalServer, author_of: AuthorOf):
    match, bots = await site.seat_bots("ann", "bob", pace=slow_pace())
    await asyncio.gather(*(bot.play(play_lowest, stop=lambda m: m.sequence > 6) for bot in bots))

    frame = await (await author_of("ann")).watch(match, after_sequence=2).read()

    assert [message.sequence for message in frame.messages][:2] == [3, 4]
    assert not frame.messages[0].HasField("snapshot")


async def test_watcher_does_not_learn_the_commitment(site: LocalServer, author_of: AuthorOf):
    """No token for play gets it before the end."""
    match, _ = await site.seat_bots("ann", "bob", pace=slow_pace(), seed=b"", unrated=True)

    frame = await (await author_of("ann")).watch(match).read()

    assert match.deal.commitment
    assert match.deal.commitment not in frame.SerializeToString()


async def test_watcher_that_does_not_read_ends_alone(tmp_path):
    """The match and the bot's own stream go on."""
    async with open_server(tmp_path, replace(Limits(), outbox_bytes=2000)) as site:
        match, bots = await site.seat_bots("ann", "bob", pace=slow_pace(), game_count=2)
        async with new_channel(site.address) as channel:
            stream = Author(channel, site.tokens["ann"]).watch(match)
            await stream.read()
            (watcher,) = site.node.spectators
            for _ in range(200):
                watcher.outbox.stage(b"x" * 1000)
                watcher.outbox.release()
            refusal = await expect_refusal(messages_of(stream))

        await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
        ended = await site.wait_for_result(match)

    assert refusal.reason == "TOO_SLOW"
    assert ended.termination == "finished"
    assert not any(strikes.late + strikes.missing for strikes in ended.strikes)


async def test_watchers_of_a_token_are_limited(tmp_path):
    async with open_server(tmp_path, replace(Limits(), watchers_a_token=2)) as site:
        match, _ = await site.seat_bots("ann", "bob", pace=slow_pace())
        async with new_channel(site.address) as channel:
            author = Author(channel, site.tokens["ann"])
            open_ones = [author.watch(match) for _ in range(2)]
            for stream in open_ones:
                await stream.read()

            refusal = await expect_refusal(author.watch(match).read())

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")


async def test_watchers_of_an_owner_are_limited(tmp_path):
    """They share the limit, so that an owner with many bots leaves room for other spectators."""
    async with open_server(tmp_path, replace(Limits(), watchers_an_owner=2)) as site:
        match, _ = await site.seat_bots("ann", "bob", pace=slow_pace())
        async with new_channel(site.address) as channel:
            tokens = [
                await site.store.tokens.create("ann", ["play"], owner="mal"),
                await site.store.tokens.create("bob", ["play"], owner="mal"),
            ]
            open_ones = [Author(channel, token).watch(match) for token in tokens]
            for stream in open_ones:
                await stream.read()

            refusal = await expect_refusal(Author(channel, tokens[0]).watch(match).read())
            await Author(channel, site.tokens["ann"]).watch(match).read()

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "LIMIT_REACHED")


async def test_revoked_token_ends_the_watch(site: LocalServer, author_of: AuthorOf):
    match, _ = await site.seat_bots("ann", "bob", pace=slow_pace())
    stream = (await author_of("ann")).watch(match)
    await stream.read()

    await site.store.tokens.revoke("ann")
    async with asyncio.timeout(30):
        refusal = await expect_refusal(messages_of(stream))

    assert refusal.reason == "TOKEN_REVOKED"


# ---- nobody else's


async def refusal_bytes(author: Author, method: str, match_id: str) -> bytes:
    """Return everything that a refusal sends, with the match's id blacked out."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await author.call(method, match_id)
    trailing = b"".join(
        key.encode() + (value if isinstance(value, bytes) else value.encode())
        for key, value in caught.value.trailing_metadata() or ()
    )
    whole = repr((caught.value.code(), caught.value.details())).encode() + trailing
    assert match_id.encode() in whole
    return whole.replace(match_id.encode(), b"?" * len(match_id))


@pytest.mark.parametrize("method", METHODS)
async def test_match_of_others_is_refused_like_one_that_does_not_exist(
    site: LocalServer, author_of: AuthorOf, method: str
):
    """Running or finished: to the byte, apart from the id that was asked for."""
    bots = await site.connect_bots("ann", "bob")
    finished = await play_match(site, ["ann", "bob"], bots)
    running = await site.create_match("ann", "bob", pace=slow_pace())
    await asyncio.gather(*(bot.play(play_lowest, stop=begins_game(0)) for bot in bots))
    stranger = await author_of("cid")

    refusals = {
        await refusal_bytes(stranger, method, each) for each in (UNKNOWN_ID, finished.match_id, running.match_id)
    }

    assert len(refusals) == 1
    assert b"UNKNOWN_MATCH" in refusals.pop()


async def test_names_that_begin_alike_are_not_confused(site: LocalServer, author_of: AuthorOf):
    bots = await site.connect_bots("ann", "bob")
    await play_match(site, ["ann", "bob"], bots)

    for name in ("an", "anna", "ANN"):
        assert not (await (await author_of(name)).list()).matches


@pytest.mark.parametrize("scope", ["organize", "spectate"])
@pytest.mark.parametrize("method", [*METHODS, "ListGames"])
async def test_only_tokens_of_bots_read(site: LocalServer, author_of: AuthorOf, method: str, scope: str):
    site.tokens["eve"] = await site.create_token("eve", scope)
    author = await author_of("eve")
    call: Any = author.list() if method == "ListGames" else author.call(method, UNKNOWN_ID)

    refusal = await expect_refusal(call)

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING")


@pytest.mark.parametrize(
    ("request_fields", "named"), [({"page_size": 101}, "page_size"), ({"page_size": 2**31}, "page_size")]
)
async def test_page_size_is_bounded(site: LocalServer, author_of: AuthorOf, request_fields, named):
    author = await author_of("ann")

    for call in (author.list, author.faults, author.figures):
        assert {*(await expect_refusal(call(**request_fields))).fields} == {named}


async def test_page_token_of_a_list_is_one_that_the_server_gave(site: LocalServer, author_of: AuthorOf):
    author = await author_of("ann")

    for call in (author.list, author.faults, author.figures):
        assert {*(await expect_refusal(call(page_token="zzz"))).fields} == {"page_token"}


@pytest.mark.parametrize("token", ["x", "-1", "²", "9" * 400, "1e3"])
async def test_page_token_of_a_replay_is_a_number(site: LocalServer, author_of: AuthorOf, token):
    author = await author_of("ann")

    refusal = await expect_refusal(author.replay(match_pb2.Match(match_id=UNKNOWN_ID), page_token=token))

    assert {*refusal.fields} == {"page_token"}


@pytest.mark.slow
async def test_process_that_was_killed_is_replaced(site: LocalServer, author_of: AuthorOf):
    """Calls fail until the server has noticed, say so, and then are answered again."""
    author = await author_of("ann")
    await author.list()
    for process in multiprocessing.active_children():
        process.kill()
        process.join()

    refusals = set()
    async with asyncio.timeout(20):
        while True:
            try:
                await author.list()
                break
            except grpc.aio.AioRpcError as error:
                refusals.add(error.code())

    assert refusals <= {grpc.StatusCode.UNAVAILABLE}


async def test_process_ends_with_the_server(tmp_path):
    async with open_server(tmp_path) as site, new_channel(site.address) as channel:
        token = await site.create_token("ann")
        await Author(channel, token).list()
        assert multiprocessing.active_children()

    assert not multiprocessing.active_children()


async def test_bot_with_too_many_waiting_calls_is_refused(site: LocalServer, author_of: AuthorOf):
    """Other bots are still answered."""
    author, other = await author_of("ann"), await author_of("bob")

    answers = await asyncio.gather(*(author.list() for _ in range(40)), return_exceptions=True)
    await other.list()

    refused = [each for each in answers if isinstance(each, grpc.aio.AioRpcError)]
    assert 0 < len(refused) < 40
    assert {each.code() for each in refused} == {grpc.StatusCode.RESOURCE_EXHAUSTED}


async def test_bots_of_an_owner_share_their_limit_of_waiting_calls(site: LocalServer, author_of: AuthorOf):
    """Sixteen bots with four calls each, which a bot alone may have. Every call of another author is answered."""
    victim = await author_of("vic")
    async with new_channel(site.address) as channel:
        bots = [
            Author(channel, await site.store.tokens.create(f"mal{number}", ["play"], owner="mal"))
            for number in range(16)
        ]
        flood = [asyncio.create_task(bot.list()) for bot in bots for _ in range(4)]
        for _ in range(5):
            await victim.list()
        answers = await asyncio.gather(*flood, return_exceptions=True)

    assert any(isinstance(each, grpc.aio.AioRpcError) for each in answers)


async def test_worker_waits_for_the_first_call(tmp_path, monkeypatch):
    """It is started some time after the server, with the folder open."""
    opened: list[Any] = []
    open_reader: Any = author_archive._open_reader

    def note(*setting: Any) -> Any:
        opened.append(setting)
        return open_reader(*setting)

    monkeypatch.setattr(author_archive, "_open_reader", note)
    monkeypatch.setattr(author_archive, "WARM_UP_AFTER_S", 0)
    async with start_server(ServerConfig(tmp_path, grace_s=0), *loop_parts(), resumes=True), asyncio.timeout(30):
        while not opened:
            await asyncio.sleep(0.01)

"""MatchService: the requests of organizers, and how they are refused."""

import asyncio
from typing import Any

import grpc
import pytest

from arena.server.node.match_organizer import CREATED_AT_ONCE
from arena.server.node.match_registry import MatchRegistry
from cheatarena.v1 import match_pb2, play_pb2, watch_pb2
from tests.support.server import SHORT_GAME, LocalServer, open_server, slow_pace
from tests.support.wire_bot import CallOutcome, WireBot, bearer, expect_refusal, play_lowest

Setting = match_pb2.OptionSetting


@pytest.mark.parametrize(
    ("request_fields", "named"),
    [
        pytest.param({"options": [Setting(name="decks", value="0")]}, {"decks"}, id="out-of-range"),
        pytest.param({"options": [Setting(name="decks", value="9" * 5000)]}, {"decks"}, id="huge-number"),
        pytest.param({"options": [Setting(name="decks", value="²")]}, {"decks"}, id="no-number"),
        pytest.param({"options": [Setting(name="decks", value="--1")]}, {"decks"}, id="two-signs"),
        pytest.param({"options": [Setting(name="colour", value="red")]}, {"colour"}, id="unknown-option"),
        pytest.param({"options": [SHORT_GAME[0], SHORT_GAME[0]]}, {"max_turns"}, id="option-twice"),
        pytest.param(
            {"options": [Setting(name="decks", value="0"), Setting(name="check", value="maybe")]},
            {"decks", "check"},
            id="two-options",
        ),
        pytest.param({"pace": slow_pace(turn_ms=1)}, {"turn_ms"}, id="pace"),
        pytest.param({"pace": slow_pace(style=9)}, {"pace"}, id="unknown-style"),
        pytest.param({"seating": 9}, {"seating"}, id="unknown-seating"),
        pytest.param({"seed": b"short"}, {"seed"}, id="seed"),
        pytest.param({"game_count": 0}, {"game_count"}, id="no-games"),
        pytest.param({"game_count": 10_001}, {"game_count"}, id="too-many-games"),
        pytest.param({"idempotency_key": "k" * 65}, {"idempotency_key"}, id="long-key"),
        pytest.param(
            {"options": [Setting(name="decks", value="0")], "game_count": 0, "seed": b"x", "seating": 9},
            {"decks", "game_count", "seed", "seating"},
            id="everything",
        ),
    ],
)
async def test_every_invalid_option_is_named(site: LocalServer, request_fields, named):
    """One call reports all errors, field by field, each with the expected value."""
    await site.connect_bots("ann", "bob")

    refusal = await expect_refusal(site.create_match("ann", "bob", **request_fields))

    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.reason == "INVALID_ARGUMENT"
    assert refusal.domain == "cheatarena"
    assert {*refusal.fields} == named
    assert all(refusal.fields.values())
    assert not site.node.registry.matches


def creation_request(*entrants: str, **fields: Any) -> match_pb2.CreateMatchRequest:
    """Return a request for a short game of Cheat."""
    asked: dict[str, Any] = {"game": "cheat", "preset": "standard", "game_count": 1, "options": SHORT_GAME} | fields
    return match_pb2.CreateMatchRequest(entrants=entrants, unrated=True, **asked)


async def create_matches(
    site: LocalServer, *requests: match_pb2.CreateMatchRequest
) -> tuple[dict[int, match_pb2.Match], CallOutcome | None]:
    """Return the created matches by the index of their request, and how the call was refused, if it was."""
    created = {}

    async def read() -> None:
        asked = match_pb2.CreateMatchesRequest(requests=requests)
        async for piece in site.matches.CreateMatches(asked, metadata=site.organizing):
            created.update({each.request: each.match for each in piece.created})
        raise EOFError

    try:
        refusal = await expect_refusal(read())
    except EOFError:
        return created, None
    return created, refusal


async def test_matches_of_one_call_are_created_in_the_order_of_the_requests(site: LocalServer):
    """The number of a match tells when it was created, and the bots are offered the seats in that order."""
    ann, _, _ = await site.connect_bots("ann", "bob", "cid")
    tables = [("ann", "bob"), ("ann", "cid"), ("cid", "ann", "bob")] * 5

    created, refusal = await create_matches(site, *(creation_request(*names) for names in tables))

    assert refusal is None
    assert [tuple(created[index].terms.entrants) for index in range(len(tables))] == tables
    numbers = [created[index].match_number for index in range(len(tables))]
    assert numbers == sorted(numbers)
    assert [(await ann.wait_for_notice("offered")).offered.match for _ in numbers] == numbers


async def test_first_match_of_a_call_begins_before_the_last_is_offered(site: LocalServer):
    """Otherwise the bots would wait until a long list is created."""
    bots = await site.connect_bots("ann", "bob")

    async def accept_all(bot: WireBot) -> list[str | None]:
        """Return the notices that the bot got, in order."""
        for _ in range(100):
            await bot.answer_offer()
        frames = map(play_pb2.PlayResponse.FromString, bot.raw_frames)
        return [notice.WhichOneof("notice") for frame in frames for notice in frame.notices]

    accepting = [asyncio.create_task(accept_all(bot)) for bot in bots]
    created, _ = await create_matches(site, *(creation_request("ann", "bob") for _ in range(100)))

    assert len(created) == 100
    for notices in await asyncio.gather(*accepting):
        assert notices.count("offered") == 100
        last_offer = len(notices) - notices[::-1].index("offered")
        assert "assigned" in notices[:last_offer]


async def test_refused_request_ends_the_call_and_leaves_the_matches_before_it(site: LocalServer):
    """The status is that of CreateMatch. No request after the refused one becomes a match unless it had begun."""
    await site.connect_bots("ann", "bob")
    good, bad = creation_request("ann", "bob"), creation_request("ann", "nobody")

    created, refusal = await create_matches(site, *[good] * 6, bad, *[good] * 20)

    assert refusal == await expect_refusal(site.matches.CreateMatch(bad, metadata=site.organizing))
    assert refusal.reason == "BOT_NOT_CONNECTED"
    assert {*range(6)} <= created.keys()
    assert 6 not in created
    assert {match.match_number for match in created.values()} == site.node.registry.matches.keys()
    assert len(created) < 6 + CREATED_AT_ONCE


async def test_internal_error_ends_the_call_and_creates_no_further_matches(site: LocalServer, monkeypatch):
    """The caller is told that the call failed. Nothing goes on behind its back."""
    await site.connect_bots("ann", "bob")
    reserve, count = MatchRegistry.reserve, iter(range(1000))

    def fail_once(*asked: Any) -> Any:
        if next(count) == 3:
            raise RuntimeError("a mistake of the server")
        return reserve(*asked)

    monkeypatch.setattr(MatchRegistry, "reserve", fail_once)
    good = creation_request("ann", "bob")

    _, refusal = await create_matches(site, *[good] * 50)
    made, _ = await create_matches(site, *[good] * 50)

    assert refusal is not None
    assert refusal.code is grpc.StatusCode.UNKNOWN
    assert len(made) == 50
    assert len(site.node.registry.matches) < 50 + 3 + 2 * CREATED_AT_ONCE


@pytest.mark.parametrize("count", [0, 201])
async def test_call_creates_between_one_and_200_matches(site: LocalServer, count: int):
    await site.connect_bots("ann", "bob")

    created, refusal = await create_matches(site, *[creation_request("ann", "bob")] * count)

    assert not created
    assert refusal is not None
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields == {"requests": "expected 1 to 200"}
    assert not site.node.registry.matches


async def test_call_with_keys_can_be_repeated(site: LocalServer):
    """A key that occurs twice in a call also stands for one match."""
    await site.connect_bots("ann", "bob")
    requests = [creation_request("ann", "bob", idempotency_key=key) for key in "abca"]

    first, _ = await create_matches(site, *requests)
    again, _ = await create_matches(site, *requests)

    ids = [first[index].match_id for index in range(4)]
    assert ids[0] == ids[3]
    assert len({*ids}) == 3
    assert [again[index].match_id for index in range(4)] == ids
    assert len(site.node.registry.matches) == 3


@pytest.mark.parametrize(
    ("request_fields", "text"), [({"game": "chess"}, "unknown game 'chess'"), ({"preset": "x"}, "unknown preset 'x'")]
)
async def test_unknown_game_or_preset_is_refused(site: LocalServer, request_fields, text):
    """The refusal lists the known ones."""
    await site.connect_bots("ann", "bob")

    refusal = await expect_refusal(site.create_match("ann", "bob", **request_fields))

    assert text in refusal.text
    assert "known:" in refusal.text
    assert refusal.code in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT)


@pytest.mark.parametrize("entrants", [(), ("ann",)])
async def test_match_needs_players(site: LocalServer, entrants):
    await site.connect_bots("ann")

    refusal = await expect_refusal(site.create_match(*entrants))

    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields


async def test_match_status_follows_its_progress(site: LocalServer):
    """A match is offered, running and finished: with terms, results by entrant, strikes and figures."""
    bots = await site.connect_bots("ann", "bob")
    offered = await site.create_match("ann", "bob", pace=slow_pace())
    for bot in bots:
        await bot.answer_offer()
    await bots[0].wait_for_prompt("cheat_turn")
    request = match_pb2.GetMatchRequest(match_id=offered.match_id)
    running = (await site.matches.GetMatch(request, metadata=site.organizing)).match

    ended = (
        await site.matches.CancelMatch(
            match_pb2.CancelMatchRequest(match_id=offered.match_id), metadata=site.organizing
        )
    ).match
    again = (await site.matches.GetMatch(request, metadata=site.organizing)).match

    assert offered.state == match_pb2.MATCH_STATE_OFFERED
    assert running.state == match_pb2.MATCH_STATE_RUNNING
    assert ended.state == match_pb2.MATCH_STATE_ENDED
    assert ended.termination == "cancelled"
    assert offered.terms == running.terms == ended.terms
    assert again == ended
    assert len(ended.strikes) == len(ended.figures) == 2
    for bot in bots:
        assert (await bot.wait_for_event("match_ended")).match_ended.termination == "cancelled"


async def test_cancelled_match_can_be_cancelled_again(site: LocalServer):
    await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob")
    request = match_pb2.CancelMatchRequest(match_id=match.match_id)

    first = await site.matches.CancelMatch(request, metadata=site.organizing)
    second = await site.matches.CancelMatch(request, metadata=site.organizing)

    assert first == second


@pytest.mark.parametrize(
    ("method", "request_type"),
    [
        ("GetMatch", match_pb2.GetMatchRequest),
        ("CancelMatch", match_pb2.CancelMatchRequest),
        ("WaitForResult", match_pb2.WaitForResultRequest),
    ],
)
async def test_unknown_match_is_refused(site: LocalServer, method, request_type):
    call = getattr(site.matches, method)

    refusal = await expect_refusal(call(request_type(match_id="nonsense"), metadata=site.organizing))

    assert refusal.code is grpc.StatusCode.NOT_FOUND
    assert refusal.reason == "UNKNOWN_MATCH"


async def test_matches_are_listed_in_pages(site: LocalServer):
    """The newest comes first, each appears once, and the last page has no successor."""
    await site.connect_bots("ann", "bob")
    made = []
    for _ in range(5):
        match = await site.create_match("ann", "bob")
        await site.matches.CancelMatch(match_pb2.CancelMatchRequest(match_id=match.match_id), metadata=site.organizing)
        made.append(match.match_id)

    pages, token = [], ""
    while True:
        request = match_pb2.ListMatchesRequest(page_size=2, page_token=token)
        page = await site.matches.ListMatches(request, metadata=site.organizing)
        pages.append([match.match_id for match in page.matches])
        token = page.next_page_token
        if not token:
            break
    whole = await site.matches.ListMatches(match_pb2.ListMatchesRequest(page_size=5), metadata=site.organizing)

    newest_first = sorted(made, reverse=True)
    assert pages == [newest_first[:2], newest_first[2:4], newest_first[4:]]
    assert [match.match_id for match in whole.matches] == newest_first
    assert not whole.next_page_token


@pytest.mark.parametrize("is_over", [False, True], ids=["running", "ended"])
async def test_list_says_of_a_match_what_the_match_itself_says(site: LocalServer, is_over: bool):
    """Terms, results, strikes, figures and deal."""
    match, bots = await site.seat_bots("ann", "bob", pace=slow_pace(), seed=b"", game_count=2)
    await asyncio.gather(*(bot.play(play_lowest, stop=None if is_over else begins_second_game) for bot in bots))
    if is_over:
        await site.wait_for_result(match)
    request = match_pb2.ListMatchesRequest()
    async with asyncio.timeout(30):  # a match is listed once its start is stored
        while not (listed := await site.matches.ListMatches(request, metadata=site.organizing)).matches:
            pass

    asked = match_pb2.GetMatchRequest(match_id=match.match_id)
    described = await site.matches.GetMatch(asked, metadata=site.organizing)

    assert list(listed.matches) == [described.match]
    assert len(described.match.games) == (2 if is_over else 1)
    assert described.match.deal.HasField("revealed") == is_over


def begins_second_game(message) -> bool:
    return any(each.HasField("game_started") and each.game_started.game == 1 for each in message.events)


async def test_page_size_is_bounded(site: LocalServer):
    refusal = await expect_refusal(
        site.matches.ListMatches(match_pb2.ListMatchesRequest(page_size=501), metadata=site.organizing)
    )

    assert {*refusal.fields} == {"page_size"}
    assert refusal.text == "page_size must be 1 to 500, got 501"


async def test_page_token_is_one_that_the_server_gave(site: LocalServer):
    """It is never taken for an id that sorts somewhere."""
    request = match_pb2.ListMatchesRequest(page_token="zzz")

    refusal = await expect_refusal(site.matches.ListMatches(request, metadata=site.organizing))

    assert {*refusal.fields} == {"page_token"}


async def test_key_makes_call_repeatable(site: LocalServer):
    """The same key returns the same match, during it and after; another key creates another match."""
    await site.connect_bots("ann", "bob")
    first = await site.create_match("ann", "bob", idempotency_key="k")
    again = await site.create_match("ann", "bob", idempotency_key="k")
    await site.matches.CancelMatch(match_pb2.CancelMatchRequest(match_id=first.match_id), metadata=site.organizing)

    after = await site.create_match("ann", "bob", idempotency_key="k")
    other = await site.create_match("ann", "bob", idempotency_key="l")

    assert first.match_id == again.match_id == after.match_id != other.match_id
    assert after.state == match_pb2.MATCH_STATE_ENDED


async def test_waiting_ends_with_the_callers_deadline(site: LocalServer):
    await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob")
    request = match_pb2.WaitForResultRequest(match_id=match.match_id)

    refusal = await expect_refusal(site.matches.WaitForResult(request, metadata=site.organizing, timeout=0.05))

    assert refusal.code is grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize("scope", ["play", "spectate"])
async def test_only_organizers_create_matches(site: LocalServer, scope):
    """No method of the service accepts another scope."""
    metadata = bearer(await site.create_token("somebody", scope))
    calls = {
        "CreateMatch": match_pb2.CreateMatchRequest(),
        "GetMatch": match_pb2.GetMatchRequest(),
        "ListMatches": match_pb2.ListMatchesRequest(),
        "CancelMatch": match_pb2.CancelMatchRequest(),
        "WaitForResult": match_pb2.WaitForResultRequest(),
    }

    for method, request in calls.items():
        refusal = await expect_refusal(getattr(site.matches, method)(request, metadata=metadata))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING"), method


async def test_missing_token_gets_no_information(site: LocalServer):
    refusal = await expect_refusal(site.matches.ListMatches(match_pb2.ListMatchesRequest()))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")


@pytest.mark.parametrize("scope", ["play", "organize"])
async def test_only_spectators_watch(site: LocalServer, scope):
    metadata = bearer(await site.create_token("somebody", scope))
    stream = site.watch.WatchMatch(watch_pb2.WatchMatchRequest(match_id="x"), metadata=metadata)

    refusal = await expect_refusal(stream.read())

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING")


async def test_stopping_server_takes_no_new_matches(tmp_path):
    """The refusal says so, so that the organizer can retry."""
    async with open_server(tmp_path) as site:
        await site.connect_bots("ann", "bob")
        site.node.registry.is_closing = True

        refusal = await expect_refusal(site.create_match("ann", "bob"))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN")

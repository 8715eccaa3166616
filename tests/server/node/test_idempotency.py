"""How long an idempotency key is kept, and which request it identifies."""

import grpc
import pytest

from arena.match.referee.ports import MatchId
from arena.server.node.idempotency import IdempotencyCache, KeyReusedError
from cheatarena.v1 import match_pb2
from tests.support.server import LocalServer
from tests.support.wire_bot import expect_refusal

DIGEST, OTHER_DIGEST = b"one request", b"another"


def test_key_is_kept_during_its_match_and_for_some_time_after():
    creations = IdempotencyCache(most_ended=5, kept_us=100)
    creations.add(("org", "k"), DIGEST, MatchId("m"))

    assert creations.find(("org", "k"), DIGEST, 1_000_000) == "m"
    creations.mark_ended(MatchId("m"), 1_000_000)
    assert creations.find(("org", "k"), DIGEST, 1_000_100) == "m"
    assert creations.find(("org", "k"), OTHER_DIGEST, 1_000_101) is None


def test_keys_of_ended_matches_are_bounded():
    """The match that ended first is evicted first; running matches have limits of their own."""
    creations = IdempotencyCache(most_ended=2, kept_us=100)
    for number in "abcd":
        creations.add(("org", number), DIGEST, MatchId(number))
    for number in "bac":
        creations.mark_ended(MatchId(number), 1)

    assert [number for number in "abcd" if creations.find(("org", number), DIGEST, 1)] == ["a", "c", "d"]


def test_match_without_key_is_not_kept():
    creations = IdempotencyCache(most_ended=2, kept_us=100)
    creations.add(("org", ""), DIGEST, MatchId("m"))
    creations.mark_ended(MatchId("m"), 1)

    assert creations.find(("org", ""), DIGEST, 1) is None


def test_key_identifies_one_request():
    creations = IdempotencyCache(most_ended=2, kept_us=100)
    creations.add(("org", "k"), DIGEST, MatchId("m"))

    with pytest.raises(KeyReusedError, match="another match"):
        creations.find(("org", "k"), OTHER_DIGEST, 1)


def test_key_of_one_organizer_is_free_for_another():
    creations = IdempotencyCache(most_ended=2, kept_us=100)
    creations.add(("org", "k"), DIGEST, MatchId("m"))

    assert creations.find(("other", "k"), OTHER_DIGEST, 1) is None


async def test_different_request_with_known_key_is_refused(site: LocalServer):
    """No match is created and the field is named.

    The key still identifies the old request after the match has ended.
    """
    await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", idempotency_key="k")

    for _ in range(2):
        refusal = await expect_refusal(site.create_match("ann", "bob", idempotency_key="k", game_count=2))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "IDEMPOTENCY_KEY_REUSED")
        assert {*refusal.fields} == {"idempotency_key"}
        request = match_pb2.CancelMatchRequest(match_id=match.match_id)
        await site.matches.CancelMatch(request, metadata=site.organizing)
    assert not site.node.registry.matches

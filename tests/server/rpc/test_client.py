"""The organizer's client: a server's refusal becomes the error that the server raised."""

import grpc
import pytest

from arena import errors
from arena.match.referee.match_order import MatchOrder
from arena.match.referee.ports import MatchId
from arena.server.rpc.caller import ScopeMissingError
from arena.server.rpc.client import OrganizerClient
from arena.server.rpc.client_channel import error_from_rpc
from arena.server.rpc.refusals import status_from_error
from tests.support.server import LocalServer


def refusal_error(error: errors.ArenaError) -> grpc.aio.AioRpcError:
    """Return the call error that a server's refusal becomes."""
    status = status_from_error(error)
    metadata = grpc.aio.Metadata(*status.trailing_metadata)
    return grpc.aio.AioRpcError(status.code, grpc.aio.Metadata(), metadata, status.details)


@pytest.mark.parametrize(
    ("sent", "received"),
    [
        pytest.param(errors.OptionError("decks", 0, "1 or more"), errors.RequestError, id="option"),
        pytest.param(errors.UnknownNameError("preset", "x", ["standard"]), errors.UnknownNameError, id="name"),
        pytest.param(errors.DeniedError("this token is unknown here"), errors.DeniedError, id="token"),
        pytest.param(ScopeMissingError("it needs organize"), errors.DeniedError, id="scope"),
        pytest.param(errors.CapacityError("full"), errors.CapacityError, id="full"),
        pytest.param(errors.StoreError("the disk is full"), errors.StoreAwayError, id="store"),
        pytest.param(errors.ArenaError("?"), errors.ArenaError, id="ours"),
    ],
)
def test_refusal_is_parsed(sent, received):
    error = error_from_rpc(refusal_error(sent), "127.0.0.1:1")

    assert type(error) is received
    assert str(sent) in str(error)


def test_unconnected_bots_are_named():
    error = error_from_rpc(refusal_error(errors.NotConnectedError(["a", "b#2"])), "127.0.0.1:1")

    assert isinstance(error, errors.NotConnectedError)
    assert error.names == ("a", "b#2")
    assert str(error) == "not connected: a, b#2"


@pytest.mark.slow
async def test_many_orders_become_matches_in_their_order(site: LocalServer):
    """More orders than the server takes in one call are spread over several calls; ids come in the order of orders."""
    for name in ("ann", "bob"):
        await site.connect_bot(name, capacity=300)
    orders = [MatchOrder(("ann", "bob"), is_rated=False) for _ in range(201)]
    token = await site.create_token("many", "organize")

    async with OrganizerClient(site.address, token) as organizer:
        created = await organizer.create_matches(orders)
        again = await organizer.create_matches(orders)

    hosted = site.node.registry.matches
    assert created == [hosted[number].match_id for number in sorted(hosted)]
    assert len(created) == 201
    assert again == created


async def test_refused_order_is_raised(site: LocalServer):
    await site.connect_bots("ann", "bob")
    token = await site.create_token("many", "organize")
    orders = [MatchOrder(("ann", name), is_rated=False) for name in ("bob", "nobody")]

    async with OrganizerClient(site.address, token) as organizer:
        with pytest.raises(errors.NotConnectedError) as refused:
            await organizer.create_matches(orders)

    assert refused.value.names == ("nobody",)
    assert len(site.node.registry.matches) == 1


async def test_unreachable_server_is_an_environment_error():
    async with OrganizerClient("127.0.0.1:1", "cat_x") as organizer:
        with pytest.raises(errors.EnvironmentFaultError, match=r"no answer from 127\.0\.0\.1:1: nothing listens there"):
            await organizer.get_match(MatchId("M"))


def test_database_that_is_away_is_told_without_its_name():
    """Whoever follows something knows by the error that it goes on."""
    refused = refusal_error(errors.StoreAwayError("cannot use the store postgresql://arena@db.example/arena: full"))

    told = error_from_rpc(refused, "host:1")

    assert refused.code() is grpc.StatusCode.UNAVAILABLE
    assert isinstance(told, errors.StoreAwayError)
    assert str(told) == f"the server at host:1 did not answer: {errors.STORE_AWAY}"

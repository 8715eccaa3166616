"""Who may call what: every method of every service, with every scope and with no token, as the guide's table says."""

import importlib
import pkgutil
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from grpc_health.v1 import health_pb2

import cheatarena.v1
from arena.server.store.account_values import Scope
from tests.server.rpc.test_league_service import OneLeague
from tests.support.server import LocalServer, open_server
from tests.support.wire_bot import CallOutcome, bearer, expect_refusal, new_channel

GUIDE = Path(__file__).parents[3] / "proto" / "README.md"
NO_TOKEN = "no token"
CALLERS = (NO_TOKEN, *Scope)
REFUSED = {
    (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED"),
    (grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING"),
}


def contract_methods() -> Iterator[MethodDescriptor]:
    """Yield every method of the contract, and the health check."""
    for module in pkgutil.iter_modules(cheatarena.v1.__path__, "cheatarena.v1."):
        if module.name.endswith("_pb2"):
            for service in importlib.import_module(module.name).DESCRIPTOR.services_by_name.values():
                yield from service.methods
    health: Any = health_pb2.DESCRIPTOR  # typed as the faster twin of the class that the contract's stubs name
    yield health.services_by_name["Health"].methods_by_name["Check"]


METHODS = {f"{method.containing_service.name}/{method.name}": method for method in contract_methods()}


def published_table() -> Mapping[str, frozenset[str]]:
    """Return the table of the guide: who may call each method."""
    _, _, table = GUIDE.read_text(encoding="utf-8").partition("| calls | scopes |\n|---|---|\n")
    rows = [line.strip("|").split("|") for line in table.partition("\n\n")[0].splitlines()]
    return {
        f"{service}/{name}": admitted_callers(scopes.strip())
        for calls, scopes in rows
        for service, *names in [re.findall(r"\w+", calls)]
        for name in names
    }


def admitted_callers(scopes: str) -> frozenset[str]:
    """Return the callers that a cell of the table names."""
    words = {"any": frozenset(map(str, Scope)), "any, or no token": frozenset(map(str, CALLERS))}
    return words.get(scopes) or frozenset(re.findall(r"`(\w+)`", scopes))


async def call_empty(site: LocalServer, method: MethodDescriptor, token: str) -> CallOutcome:
    """Call a method with an empty message, which asks for nothing; return how it ended."""
    name = f"/{method.containing_service.full_name}/{method.name}"
    streams: Any = {
        (False, False): "unary_unary",
        (False, True): "unary_stream",
        (True, False): "stream_unary",
        (True, True): "stream_stream",
    }
    async with new_channel(site.address) as channel:
        call: Any = getattr(channel, streams[method.client_streaming, method.server_streaming])(name)
        request = iter([b""]) if method.client_streaming else b""
        asked = call(request, metadata=bearer(token), timeout=1)
        try:
            return await expect_refusal(asked.read() if method.server_streaming else asked)
        except AssertionError:
            return CallOutcome(grpc.StatusCode.OK)


@pytest.fixture
async def site(tmp_path) -> AsyncIterator[LocalServer]:
    """A server with all services."""
    async with open_server(tmp_path / "data", leagues=OneLeague()) as opened:
        yield opened


@pytest.fixture
async def tokens(site: LocalServer) -> Mapping[str, str]:
    """A token for each scope, and none."""
    await site.store.owners.add("own", "", 1)
    made = {str(scope): await site.store.tokens.create(scope, [scope], owner=scope) for scope in Scope}
    return {NO_TOKEN: ""} | made


async def admits(site: LocalServer, method: MethodDescriptor, token: str) -> bool:
    """Return whether a method refuses nothing about the token."""
    outcome = await call_empty(site, method, token)
    return (outcome.code, outcome.reason) not in REFUSED


async def test_methods_admit_whom_the_guide_says(site: LocalServer, tokens: Mapping[str, str]):
    admitted = {
        name: {str(caller) for caller in CALLERS if await admits(site, method, tokens[caller])}
        for name, method in METHODS.items()
    }

    assert admitted == published_table()


def test_guide_lists_every_method_and_no_other():
    assert published_table().keys() == METHODS.keys()
    assert {caller for row in published_table().values() for caller in row} == {str(each) for each in CALLERS}


async def test_token_without_the_scope_is_told_so_and_no_token_is_too(site: LocalServer, tokens: Mapping[str, str]):
    outcomes = [await call_empty(site, METHODS["MatchService/CreateMatch"], tokens[each]) for each in CALLERS]

    refusals = {(each.code, each.reason) for each in outcomes} & REFUSED
    assert refusals == REFUSED

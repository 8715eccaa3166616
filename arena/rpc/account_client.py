"""The author's client of AccountService."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import Final, Self, TypeVar

import grpc

from arena.errors import EnvironmentFaultError, RequestError
from arena.rpc.client import error_from_rpc
from cheatarena.connection import open_channel
from cheatarena.errors import SettingsError
from cheatarena.settings import Settings
from cheatarena.tls_check import explain_refused_handshake
from cheatarena.v1 import account_pb2, account_pb2_grpc

Response = TypeVar("Response")

_CALL_TIMEOUT_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class JoinedAccount:
    """The owner and the bots of a redeemed invitation, with their new tokens."""

    owner: str
    owner_token: str = field(repr=False)
    bots: dict[str, str] = field(repr=False)
    """The token of each new bot."""


@dataclass(frozen=True, slots=True)
class OwnToken:
    """A valid token of the owner or of one of the owner's bots. Times are in seconds since 1970."""

    handle: str
    scopes: Sequence[str]
    created_at: int
    expires_at: int | None
    last_used_at: int | None


@dataclass(frozen=True, slots=True)
class OwnBots:
    """An owner's bots, with their valid tokens."""

    owner: str
    bot_limit: int
    bots: dict[str, list[OwnToken]]


class AccountClient:
    """Joins a server, and manages bots and tokens there. Use it as an asynchronous context manager.

    Every call raises DeniedError if the code or token does not permit the call, and EnvironmentFaultError if the server
    cannot be reached. Every call also raises CapacityError beyond a limit, and RequestError if the request cannot be
    fulfilled.
    """

    def __init__(self, settings: Settings) -> None:
        """Connect as the SDK does. The token is that of the owner; `join` does not need it.

        Raises RequestError if the file of a certificate cannot be read.
        """
        self._settings = settings
        self._metadata = (("authorization", f"Bearer {settings.token}"),)
        try:
            self._channel = open_channel(settings, settings.address)
        except SettingsError as error:
            raise RequestError(str(error)) from error
        self._stub: account_pb2_grpc.AccountServiceAsyncStub = account_pb2_grpc.AccountServiceStub(self._channel)

    async def join(self, code: str, owner: str, contact: str, bots: Sequence[str]) -> JoinedAccount:
        """Redeem an invitation. If `owner` is empty, the owner named in the invitation is used."""
        request = account_pb2.JoinRequest(code=code, owner=owner, contact=contact, bots=bots)
        joined = await self._await_response(self._stub.Join(request, timeout=_CALL_TIMEOUT_S))
        return JoinedAccount(joined.owner, joined.owner_token, {each.bot: each.token for each in joined.bots})

    async def list_bots(self) -> OwnBots:
        """Return the owner's bots."""
        listed = await self._await_response(
            self._stub.ListBots(account_pb2.ListBotsRequest(), metadata=self._metadata, timeout=_CALL_TIMEOUT_S)
        )
        bots = {bot.name: [_token_from_message(token) for token in bot.tokens] for bot in listed.bots}
        return OwnBots(listed.owner, listed.bot_limit, bots)

    async def create_bot(self, name: str) -> tuple[str, str]:
        """Create a bot; return its canonical name and its token."""
        request = account_pb2.CreateBotRequest(name=name)
        call = self._stub.CreateBot(request, metadata=self._metadata, timeout=_CALL_TIMEOUT_S)
        made = (await self._await_response(call)).bot
        return made.bot, made.token

    async def rotate_token(self, name_or_handle: str, overlap: timedelta) -> tuple[str, str, Sequence[str]]:
        """Replace a token. Return the name that the new token identifies, its secret and its scopes."""
        request = account_pb2.RotateTokenRequest(token=name_or_handle, overlap_s=int(overlap.total_seconds()))
        call = self._stub.RotateToken(request, metadata=self._metadata, timeout=_CALL_TIMEOUT_S)
        made = await self._await_response(call)
        return made.name, made.token, made.scopes

    async def revoke_token(self, name_or_handle: str) -> Sequence[str]:
        """Revoke tokens; return the handles of those that were valid."""
        request = account_pb2.RevokeTokenRequest(token=name_or_handle)
        call = self._stub.RevokeToken(request, metadata=self._metadata, timeout=_CALL_TIMEOUT_S)
        return (await self._await_response(call)).handles

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._channel.close()

    async def _await_response(self, call: Awaitable[Response]) -> Response:
        """Return the response of a call; raise its gRPC error as an error of the arena."""
        address = self._settings.address
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                why = await asyncio.to_thread(explain_refused_handshake, self._settings, address)
                if why:
                    raise EnvironmentFaultError(f"no secure connection to {address}: {why}") from error
            raise error_from_rpc(error, address) from error


def _token_from_message(token: account_pb2.TokenState) -> OwnToken:
    return OwnToken(
        token.handle,
        tuple(token.scopes),
        token.created_at_s,
        token.expires_at_s if token.HasField("expires_at_s") else None,
        token.last_used_at_s if token.HasField("last_used_at_s") else None,
    )

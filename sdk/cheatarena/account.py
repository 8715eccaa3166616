"""The client of AccountService: joins a server with an invitation, and manages an author's bots and tokens there."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import Any, Final, Self

from cheatarena.server_calls import ServerCalls
from cheatarena.settings import Settings
from cheatarena.v1 import account_pb2, account_pb2_grpc

CALL_TIMEOUT_S: Final = 20.0


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
class BotProfile:
    """What an owner says of a bot on the web pages of a server. Everybody may read it."""

    text: str = ""
    """One line, at most 300 characters."""
    language: str = ""
    """The language in which the bot is written, at most 32 characters."""
    link: str = ""
    """The address of a web page, at most 200 characters."""


@dataclass(frozen=True, slots=True)
class OwnBots:
    """An owner's bots, with their valid tokens."""

    owner: str
    bot_limit: int
    bots: dict[str, list[OwnToken]]
    profiles: dict[str, BotProfile]


@dataclass(frozen=True, slots=True)
class LoginCode:
    """A code to log in to a server's web pages. It works once."""

    code: str = field(repr=False)
    expires_at: int
    """When it expires, in seconds since 1970."""
    web_url: str
    """The address of the web page; empty if the server does not know it."""


class AccountClient:
    """Joins a server, and manages bots and tokens there. Use it as an asynchronous context manager.

    Every call raises these errors:

    * TokenRefusedError if the server refuses the token;
    * RefusedError if the server refuses the code or the request;
    * TlsError if no secure connection can be made;
    * ServerGoneError if the server cannot be reached.
    """

    def __init__(self, settings: Settings) -> None:
        """Open the connection. The settings contain the owner's token, which `join` does not need.

        Raises SettingsError if a certificate file cannot be read.
        """
        self._calls = ServerCalls(settings, "keeps no accounts of authors")
        self._stub: Any = account_pb2_grpc.AccountServiceStub(self._calls.channel)

    async def join(self, code: str, owner: str, contact: str, bots: Sequence[str]) -> JoinedAccount:
        """Redeem an invitation. If `owner` is empty, the owner has the name from the invitation."""
        request = account_pb2.JoinRequest(code=code, owner=owner, contact=contact, bots=bots)
        joined = await self._calls.answer(self._stub.Join(request, timeout=CALL_TIMEOUT_S))
        return JoinedAccount(joined.owner, joined.owner_token, {each.bot: each.token for each in joined.bots})

    async def list_bots(self) -> OwnBots:
        """Return the owner's bots with their valid tokens."""
        listed = await self._calls.answer(
            self._stub.ListBots(account_pb2.ListBotsRequest(), metadata=self._calls.metadata, timeout=CALL_TIMEOUT_S)
        )
        bots = {bot.name: [_token_from_message(token) for token in bot.tokens] for bot in listed.bots}
        profiles = {
            bot.name: BotProfile(bot.profile.text, bot.profile.language, bot.profile.link) for bot in listed.bots
        }
        return OwnBots(listed.owner, listed.bot_limit, bots, profiles)

    async def create_bot(self, name: str) -> tuple[str, str]:
        """Create a bot; return its canonical name and its token."""
        request = account_pb2.CreateBotRequest(name=name)
        call = self._stub.CreateBot(request, metadata=self._calls.metadata, timeout=CALL_TIMEOUT_S)
        made = (await self._calls.answer(call)).bot
        return made.bot, made.token

    async def describe_bot(self, bot: str, profile: BotProfile) -> None:
        """Say of a bot what everybody may read, instead of what was said before."""
        given = account_pb2.BotProfile(text=profile.text, language=profile.language, link=profile.link)
        request = account_pb2.DescribeBotRequest(bot=bot, profile=given)
        await self._calls.answer(self._stub.DescribeBot(request, metadata=self._calls.metadata, timeout=CALL_TIMEOUT_S))

    async def rotate_token(self, name_or_handle: str, overlap: timedelta) -> tuple[str, str, Sequence[str]]:
        """Replace a token. Return the name of its bot or owner, the new token and its scopes."""
        request = account_pb2.RotateTokenRequest(token=name_or_handle, overlap_s=int(overlap.total_seconds()))
        call = self._stub.RotateToken(request, metadata=self._calls.metadata, timeout=CALL_TIMEOUT_S)
        made = await self._calls.answer(call)
        return made.name, made.token, made.scopes

    async def revoke_token(self, name_or_handle: str) -> Sequence[str]:
        """Revoke tokens. Return the handles of the tokens that were still valid."""
        request = account_pb2.RevokeTokenRequest(token=name_or_handle)
        call = self._stub.RevokeToken(request, metadata=self._calls.metadata, timeout=CALL_TIMEOUT_S)
        return list((await self._calls.answer(call)).handles)

    async def create_login_code(self) -> LoginCode:
        """Return a code with which the owner logs in to the server's web page."""
        request = account_pb2.CreateLoginCodeRequest()
        call = self._stub.CreateLoginCode(request, metadata=self._calls.metadata, timeout=CALL_TIMEOUT_S)
        made = await self._calls.answer(call)
        return LoginCode(made.code, made.expires_at_s, made.web_url)

    async def create_submit_token(self, days: int = 0) -> tuple[str, int]:
        """Return a token that can submit the owner's bots and nothing else, and when it expires (seconds since 1970).

        The server chooses how long it is valid if `days` is 0.
        """
        request = account_pb2.CreateSubmitTokenRequest(days=days)
        call = self._stub.CreateSubmitToken(request, metadata=self._calls.metadata, timeout=CALL_TIMEOUT_S)
        made = await self._calls.answer(call)
        return made.token, made.expires_at_s

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._calls.close()


def _token_from_message(token: account_pb2.TokenState) -> OwnToken:
    return OwnToken(
        token.handle,
        tuple(token.scopes),
        token.created_at_s,
        token.expires_at_s if token.HasField("expires_at_s") else None,
        token.last_used_at_s if token.HasField("last_used_at_s") else None,
    )

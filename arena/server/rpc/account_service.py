"""Implements AccountService, through which authors join with an invitation and manage their bots and tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import grpc

from arena.errors import OptionError
from arena.server.node.admission import AdmissionControl
from arena.server.rpc.method_builder import MethodBuilder
from arena.server.store.account_values import BotProfile, BotRow, TokenIdentity, TokenRow
from cheatarena.v1 import account_pb2

if TYPE_CHECKING:
    from arena.server.store.invitation_store import InvitationStore
    from arena.server.store.login_store import LoginStore
    from arena.server.store.owner_store import OwnerStore
    from arena.server.store.profile_store import ProfileStore
    from arena.server.store.token_store import TokenStore

SERVICE = "cheatarena.v1.AccountService"

MAX_BOTS = 100
"""The most bots in one `Join` request, so that reading the request takes little time."""
_SUBMIT_TOKEN_DAYS = 90
_MAX_SUBMIT_TOKEN_DAYS = 366


@dataclass(frozen=True, slots=True)
class Accounts:
    invitations: "InvitationStore"
    owners: "OwnerStore"
    profiles: "ProfileStore"
    tokens: "TokenStore"
    logins: "LoginStore"
    web_url: str = ""
    """The address of the web page; empty if it is not known."""


class AccountService:
    """Requires the scope `own`, except for `Join`."""

    def __init__(self, accounts: Accounts, admission: AdmissionControl, methods: MethodBuilder) -> None:
        self._accounts = accounts
        self._admission = admission
        self._methods = methods

    def handler(self) -> grpc.GenericRpcHandler:
        pb, build = account_pb2, self._methods.build
        methods = {
            "Join": self._methods.build_open(
                pb.JoinRequest, lambda caller: self._admission.admit_redemption(caller.address), self._join
            ),
            "ListBots": build(pb.ListBotsRequest, "own", self._list_bots),
            "CreateBot": build(pb.CreateBotRequest, "own", self._create_bot),
            "DescribeBot": build(pb.DescribeBotRequest, "own", self._describe_bot),
            "RotateToken": build(pb.RotateTokenRequest, "own", self._rotate),
            "RevokeToken": build(pb.RevokeTokenRequest, "own", self._revoke),
            "CreateLoginCode": build(pb.CreateLoginCodeRequest, "own", self._create_login_code),
            "CreateSubmitToken": build(pb.CreateSubmitTokenRequest, "own", self._create_submit_token),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _join(self, request: account_pb2.JoinRequest) -> account_pb2.JoinResponse:
        if len(request.bots) > MAX_BOTS:
            raise OptionError("bots", len(request.bots), f"expected at most {MAX_BOTS} names")
        account = await self._accounts.invitations.redeem(
            request.code, request.owner, request.contact, tuple(request.bots)
        )
        bots = [account_pb2.BotToken(bot=bot.name, token=bot.secret) for bot in account.bots]
        return account_pb2.JoinResponse(owner=account.owner, owner_token=account.secret, bots=bots)

    async def _list_bots(self, caller: TokenIdentity, _: account_pb2.ListBotsRequest) -> account_pb2.ListBotsResponse:
        owner = await self._accounts.owners.get(caller.name)
        return account_pb2.ListBotsResponse(
            owner=owner.name,
            bots=[_bot_message(bot) for bot in owner.bots],
            owner_tokens=_token_messages(owner.tokens),
            bot_limit=owner.bot_limit,
        )

    async def _create_bot(
        self, caller: TokenIdentity, request: account_pb2.CreateBotRequest
    ) -> account_pb2.CreateBotResponse:
        self._admission.admit_account_change(caller.name)
        made = await self._accounts.owners.create_bot(caller.name, request.name)
        return account_pb2.CreateBotResponse(bot=account_pb2.BotToken(bot=made.name, token=made.secret))

    async def _describe_bot(
        self, caller: TokenIdentity, request: account_pb2.DescribeBotRequest
    ) -> account_pb2.DescribeBotResponse:
        self._admission.admit_account_change(caller.name)
        given = request.profile
        profile = BotProfile(given.text, given.language, given.link)
        await self._accounts.profiles.change(caller.name, request.bot, profile)
        return account_pb2.DescribeBotResponse()

    async def _rotate(
        self, caller: TokenIdentity, request: account_pb2.RotateTokenRequest
    ) -> account_pb2.RotateTokenResponse:
        self._admission.admit_account_change(caller.name)
        overlap = timedelta(seconds=request.overlap_s)
        made = await self._accounts.tokens.rotate(request.token, overlap, caller.name)
        return account_pb2.RotateTokenResponse(name=made.name, token=made.secret, scopes=sorted(made.scopes))

    async def _revoke(
        self, caller: TokenIdentity, request: account_pb2.RevokeTokenRequest
    ) -> account_pb2.RevokeTokenResponse:
        return account_pb2.RevokeTokenResponse(handles=await self._accounts.tokens.revoke(request.token, caller.name))

    async def _create_login_code(
        self, caller: TokenIdentity, _: account_pb2.CreateLoginCodeRequest
    ) -> account_pb2.CreateLoginCodeResponse:
        self._admission.admit_account_change(caller.name)
        code, expires_at = await self._accounts.logins.create_code(caller.name)
        return account_pb2.CreateLoginCodeResponse(
            code=code, expires_at_s=int(expires_at), web_url=self._accounts.web_url
        )

    async def _create_submit_token(
        self, caller: TokenIdentity, request: account_pb2.CreateSubmitTokenRequest
    ) -> account_pb2.CreateSubmitTokenResponse:
        days = request.days or _SUBMIT_TOKEN_DAYS
        if days > _MAX_SUBMIT_TOKEN_DAYS:
            raise OptionError("days", days, f"expected at most {_MAX_SUBMIT_TOKEN_DAYS}")
        self._admission.admit_account_change(caller.name)
        secret, expires_at = await self._accounts.tokens.create_submit_token(caller.name, timedelta(days=days))
        return account_pb2.CreateSubmitTokenResponse(token=secret, expires_at_s=int(expires_at))


def _bot_message(bot: BotRow) -> account_pb2.OwnedBot:
    given = bot.profile
    return account_pb2.OwnedBot(
        name=bot.name,
        created_at_s=int(bot.created_at),
        tokens=_token_messages(bot.tokens),
        profile=account_pb2.BotProfile(text=given.text, language=given.language, link=given.link),
    )


def _token_messages(tokens: Sequence[TokenRow]) -> list[account_pb2.TokenState]:
    return [
        account_pb2.TokenState(
            handle=token.handle,
            scopes=sorted(token.scopes),
            created_at_s=int(token.created_at),
            expires_at_s=None if token.expires_at is None else int(token.expires_at),
            last_used_at_s=None if token.last_used_at is None else int(token.last_used_at),
        )
        for token in tokens
    ]

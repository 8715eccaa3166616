"""SubmissionService, through which owners submit packages of bots and see how far each has come."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import grpc
from google.protobuf.message import Message

from arena.bots.submissions.submission import Step, Submission
from arena.errors import CapacityError, DeniedError, OptionError, SubmissionsOffError
from arena.server.node.identity import TokenVerifier
from arena.server.rpc.caller import Caller, identify
from arena.server.rpc.method_builder import MethodBuilder, Request, decode_request, parse_page_token, read_page_size
from arena.server.rpc.submission_messages import step_from_number, step_message, submission_message
from arena.server.store.account_values import TokenIdentity
from cheatarena.v1 import submission_pb2

if TYPE_CHECKING:
    from arena.server.intake.intake import Intake
    from arena.server.intake.own_submissions import OwnSubmissions
    from arena.server.store.submission_store import SubmissionStore
    from arena.server.store.token_store import TokenStore

SERVICE: Final = "cheatarena.v1.SubmissionService"
SCOPE: Final = "submit"
POLL_INTERVAL_S: Final = 0.5
"""Seconds between two looks at a submission that is followed. Another process may work on it."""
PIECE_TIMEOUT_S: Final = 30.0
"""Seconds for which an upload may be silent."""
_MAX_PIECE_BYTES: Final = 512 * 1024
_MAX_FOLLOWERS: Final = 64
"""The most followers at once."""
_MAX_FOLLOWERS_AN_OWNER: Final = 8


@dataclass(frozen=True, slots=True)
class SubmissionParts:
    uploads: "Intake"
    own: "OwnSubmissions"
    versions: "SubmissionStore"
    tokens: "TokenStore"


class SubmissionService:
    """Requires the scope `submit`, which `own` includes."""

    def __init__(self, parts: SubmissionParts | None, methods: MethodBuilder, authority: TokenVerifier) -> None:
        """`parts` is None if the server takes no submissions. `authority` checks the tokens of streams."""
        self._optional_parts = parts
        self._methods = methods
        self._admission = methods.admission
        self._authority = authority
        self._followers = Counter[str]()
        """The number of followers at present, by owner."""

    def handler(self) -> grpc.GenericRpcHandler:
        pb = submission_pb2
        methods = {
            "BeginUpload": self._build(pb.BeginUploadRequest, self._begin),
            "Upload": grpc.stream_unary_rpc_method_handler(self._methods.build_counted(self._upload)),
            "ListVersions": self._build(pb.ListVersionsRequest, self._list),
            "GetSubmission": self._build(pb.GetSubmissionRequest, self._get),
            "FollowSubmission": grpc.unary_stream_rpc_method_handler(self._methods.build_counted(self._follow)),
            "ReadLog": self._build(pb.ReadLogRequest, self._read_log),
            "Activate": self._build(pb.ActivateRequest, self._activate),
            "RollBack": self._build(pb.RollBackRequest, self._roll_back),
            "Withdraw": self._build(pb.WithdrawRequest, self._withdraw),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    def _build(
        self, kind: type[Request], act: Callable[[str, Request], Awaitable[Message]]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """`act` gets the caller's owner."""
        return self._methods.build(kind, SCOPE, lambda caller, request: act(_owner_of(caller), request))

    @property
    def _parts(self) -> SubmissionParts:
        """Raises SubmissionsOffError if the server takes none."""
        if self._optional_parts is None:
            raise SubmissionsOffError
        return self._optional_parts

    # ---- uploads

    async def _begin(self, owner: str, request: submission_pb2.BeginUploadRequest) -> Message:
        uploads = self._parts.uploads
        self._admission.admit_account_change(owner)
        begun = await uploads.begin(owner, request.bot, request.sha256.hex(), request.byte_count)
        accepted = None if begun.submission is None else submission_message(begun.submission)
        return submission_pb2.BeginUploadResponse(upload_id=begun.upload_id, offset=begun.offset, submission=accepted)

    async def _upload(
        self, caller: Caller, frames: AsyncIterator[bytes], _: "grpc.aio.ServicerContext[Any, bytes]"
    ) -> bytes:
        owner = await self._identify_owner(caller)
        uploads = self._parts.uploads
        first = await _read_piece(frames)
        if first is None:
            raise OptionError("upload_id", "", "the first message of the stream must name the upload")
        await uploads.receive(owner, first.upload_id, first.offset, _read_data(first, frames))
        submission = await uploads.finish(owner, first.upload_id)
        return submission_pb2.UploadResponse(submission=submission_message(submission)).SerializeToString()

    # ---- submissions

    async def _list(self, owner: str, request: submission_pb2.ListVersionsRequest) -> Message:
        size = read_page_size(request.page_size)
        parse_page_token(request.page_token)
        rows = await self._parts.own.list(owner, request.bot, size, request.page_token)
        following = rows[-1].submission_id if len(rows) == size else ""
        return submission_pb2.ListVersionsResponse(
            submissions=[submission_message(row) for row in rows], next_page_token=following
        )

    async def _get(self, owner: str, request: submission_pb2.GetSubmissionRequest) -> Message:
        row, steps = await self._read(owner, request.submission_id)
        return submission_pb2.GetSubmissionResponse(
            submission=submission_message(row), steps=[step_message(step) for step in steps]
        )

    async def _follow(self, caller: Caller, raw: bytes, context: "grpc.aio.ServicerContext[Any, bytes]") -> None:
        owner = await self._identify_owner(caller)
        submission_id = decode_request(submission_pb2.FollowSubmissionRequest, raw).submission_id
        with self._count_follower(owner):
            await self._tell_changes(owner, submission_id, caller, context)

    async def _tell_changes(
        self, owner: str, submission_id: str, caller: Caller, context: "grpc.aio.ServicerContext[Any, bytes]"
    ) -> None:
        """Send the submission until its state no longer changes by itself."""
        told = None
        while True:
            row, steps = present = await self._read(owner, submission_id)
            if present != told:
                response = submission_pb2.FollowSubmissionResponse(
                    submission=submission_message(row), steps=[step_message(step) for step in steps]
                )
                await context.write(response.SerializeToString())
                told = present
            if not row.is_pending:
                return
            await asyncio.sleep(POLL_INTERVAL_S)
            await self._identify_owner(caller)  # the token may be revoked meanwhile

    @contextmanager
    def _count_follower(self, owner: str) -> Iterator[None]:
        if self._followers[owner] >= _MAX_FOLLOWERS_AN_OWNER or self._followers.total() >= _MAX_FOLLOWERS:
            most = f"{_MAX_FOLLOWERS_AN_OWNER} of an owner and {_MAX_FOLLOWERS} in all"
            raise CapacityError(f"the most followers of submissions at once are {most}: try again later")
        self._followers[owner] += 1
        try:
            yield
        finally:
            self._followers[owner] -= 1
            if not self._followers[owner]:
                del self._followers[owner]

    async def _read(self, owner: str, submission_id: str) -> tuple[Submission, Sequence[Step]]:
        own = self._parts.own
        return await own.get(owner, submission_id), await own.list_steps(owner, submission_id)

    async def _read_log(self, owner: str, request: submission_pb2.ReadLogRequest) -> Message:
        step = step_from_number(request.step)
        return submission_pb2.ReadLogResponse(log=await self._parts.own.read_log(owner, request.submission_id, step))

    # ---- versions

    async def _activate(self, owner: str, request: submission_pb2.ActivateRequest) -> Message:
        row = await self._admit_change(owner).activate(owner, request.bot, request.version)
        return submission_pb2.ActivateResponse(submission=submission_message(row))

    async def _roll_back(self, owner: str, request: submission_pb2.RollBackRequest) -> Message:
        row = await self._admit_change(owner).roll_back(owner, request.bot)
        return submission_pb2.RollBackResponse(submission=submission_message(row))

    async def _withdraw(self, owner: str, request: submission_pb2.WithdrawRequest) -> Message:
        row = await self._admit_change(owner).withdraw(owner, request.bot, request.version)
        return submission_pb2.WithdrawResponse(submission=submission_message(row))

    def _admit_change(self, owner: str) -> "OwnSubmissions":
        """Admit one change by an owner, and return the submissions to change. Raises CapacityError."""
        own = self._parts.own
        self._admission.admit_account_change(owner)
        return own

    # ---- streams

    async def _identify_owner(self, caller: Caller) -> str:
        return _owner_of(await identify(caller, self._authority, SCOPE))


def _owner_of(caller: TokenIdentity) -> str:
    """Raises DeniedError if the token belongs to nobody."""
    if caller.owner is None:
        raise DeniedError(f"the token of {caller.name!r} belongs to no owner")
    return caller.owner


async def _read_piece(frames: AsyncIterator[bytes]) -> submission_pb2.UploadRequest | None:
    """Return None at the end of the stream.

    Raises CapacityError if no message comes in time, OptionError if it is too large.
    """
    try:
        raw = await asyncio.wait_for(anext(frames, None), PIECE_TIMEOUT_S)
    except TimeoutError as error:
        silent = f"the upload was silent for {PIECE_TIMEOUT_S:g} s"
        raise CapacityError(f"{silent}: begin it again, and it goes on where it stopped") from error
    if raw is None:
        return None
    piece = decode_request(submission_pb2.UploadRequest, raw)
    if len(piece.data) > _MAX_PIECE_BYTES:
        raise OptionError("data", f"{len(piece.data)} bytes", f"expected at most {_MAX_PIECE_BYTES} bytes")
    return piece


async def _read_data(first: submission_pb2.UploadRequest, frames: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    piece: submission_pb2.UploadRequest | None = first
    while piece is not None:
        if piece.data:
            yield piece.data
        piece = await _read_piece(frames)

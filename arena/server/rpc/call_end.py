"""Ends calls: refuses them with a status, and lets gRPC log no error if the caller has gone."""

import asyncio
from types import TracebackType
from typing import Any, NoReturn

import grpc

from arena.errors import ArenaError, DeniedError
from arena.server.node.admission import AdmissionControl
from arena.server.rpc.caller import Caller
from arena.server.rpc.status import status_from_error


class QuietIfCallerIsGone:
    """Turns gRPC's errors about a call that has already ended into a cancellation, which gRPC does not log.

    Any operation on a call may raise such an error, depending on when the caller disconnects.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, grpc.aio.UsageError | grpc.aio.InternalError):
            raise asyncio.CancelledError("the caller has gone") from error


async def refuse_call(
    context: "grpc.aio.ServicerContext[Any, Any]",
    error: ArenaError,
    admission: AdmissionControl,
    caller: Caller | None,
) -> NoReturn:
    """End a call with the status of an error. If a token is refused, the status may be delayed.

    `caller` is None if the caller could not be read, and `error` says why. This function always raises an exception,
    as gRPC's `abort` does.
    """
    if caller is not None and isinstance(error, DeniedError):
        with admission.delay_refusal(caller.address) as delay_s:
            await asyncio.sleep(delay_s)
    await context.abort_with_status(status_from_error(error))

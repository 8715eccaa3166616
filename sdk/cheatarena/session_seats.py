"""The seats of one session: passes messages to their seats, and knows where a new stream resumes each seat.

The seats outlive a stream. This module knows no network.
"""

import logging
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from cheatarena.errors import ProtocolError
from cheatarena.scanning import PROMPTS_INDEX, SEQUENCE_INDEX, split_message
from cheatarena.seat import GapError, Seat

logger = logging.getLogger("cheatarena")

MAX_FINISHED_SEATS = 256
"""How many seats of ended matches are remembered, because a new stream may repeat messages to these seats."""

WRITER_YIELD_S = 0.005
"""If handling a frame takes longer than this, the writer may run before the rest of the frame is handled."""

SeatKey = tuple[int, int]
"""Match and entrant."""


class SessionSeats:
    """The seats of this process on one node."""

    def __init__(self, address: str, make_seat: Callable[[int, int], Seat]) -> None:
        """`make_seat` gets match and entrant of the first message to a new seat. `address` is for log lines."""
        self._address = address
        self._make_seat = make_seat
        self._seats: dict[SeatKey, Seat] = {}
        self._finished: dict[SeatKey, int] = {}
        """The last sequence number of seats of ended matches."""
        self._gaps: dict[SeatKey, int] = {}
        """The sequence number before the last gap in a seat's messages."""
        self._needs_snapshot: set[SeatKey] = set()
        self._assigned: set[SeatKey] = set()
        """The seats that were assigned on the current stream."""
        self._carried: set[SeatKey] = set()
        """The seats of earlier streams."""

    def __len__(self) -> int:
        return len(self._seats)

    @property
    def held_count(self) -> int:
        """The number of seats whose matches are not over, also those that have had no message yet."""
        return len(self._seats.keys() | self._assigned)

    async def handle_messages(
        self, messages: Sequence[bytes], arrival_s: float, let_writer_run: Callable[[], Awaitable[None]]
    ) -> None:
        """Pass each message of a frame to its seat, which is made if it is new.

        If this takes long, `let_writer_run` is awaited now and then, so that answers that are ready need not wait.
        Raises ProtocolError if a message is malformed, or does not fit those before it.
        """
        seats = self._seats
        yield_s = arrival_s + WRITER_YIELD_S
        for message in messages:
            parts = split_message(message)
            key = parts[:2]
            seat = seats.get(key)
            if seat is None:
                if parts[SEQUENCE_INDEX] <= self._finished.get(key, 0):
                    continue  # a new stream repeats a message of an ended match
                seat = seats[key] = self._make_seat(*key)
                self._finished.pop(key, None)
            try:
                seat.handle_message(parts, arrival_s)
            except ProtocolError as error:
                self.plan_recovery(key, error)
                raise
            if self._needs_snapshot:
                self._needs_snapshot.discard(key)
            if seat.is_over:
                self._finish(key, seat)
            if parts[PROMPTS_INDEX] and time.monotonic() > yield_s:
                await let_writer_run()
                yield_s = time.monotonic() + WRITER_YIELD_S

    def plan_recovery(self, key: SeatKey, error: ProtocolError) -> None:
        """Plan how the next stream recovers a seat.

        After a gap, the next stream asks for the missing messages. After a second gap at the same place, or after any
        other error, it asks for a snapshot.
        """
        seat = self._seats[key]
        if isinstance(error, GapError) and self._gaps.get(key) != seat.sequence:
            self._gaps[key] = seat.sequence
        else:
            self._needs_snapshot.add(key)

    def positions(self) -> Mapping[SeatKey, int]:
        """Return the last sequence number of each seat. A seat that needs a snapshot has none."""
        known = {key: seat.sequence for key, seat in self._seats.items() if key not in self._needs_snapshot}
        return self._finished | known

    def begin_stream(self) -> list[bytes]:
        """Begin a stream, on which no seat is assigned yet. Return the requests that must be sent again on it.

        These are the decisions that the server has not judged, and the notices of seats that are ready in a break.
        """
        self._assigned.clear()
        self._carried = set(self._seats)
        return [request for seat in self._seats.values() for request in seat.requests_to_repeat()]

    def waiting_since_s(self) -> float:
        """Return when the oldest decision without an answer was sent (`time.monotonic`); infinite if there is none."""
        oldest = (next(iter(seat.unanswered.values()), math.inf) for seat in self._seats.values())
        return min(oldest, default=math.inf)

    def note_assigned(self, key: SeatKey) -> None:
        """Note that the server has assigned a seat on the current stream."""
        if key not in self._finished:
            self._assigned.add(key)

    def drop_lost(self) -> None:
        """Drop the seats whose matches ended while the connection was lost: the server has not assigned them again."""
        for key in self._seats.keys() & (self._carried - self._assigned):
            logger.warning("%s: match %d ended while the connection was lost", self._address, key[0])
            self._finish(key, self._seats[key])

    def forget_all(self) -> None:
        """Drop all seats, and everything remembered about them: they belong to an earlier run of the node."""
        self.close()
        self._seats.clear()
        self._finished.clear()
        self._gaps.clear()
        self._needs_snapshot.clear()

    def close(self) -> None:
        """Stop the work of all seats."""
        for seat in self._seats.values():
            seat.close()

    def _finish(self, key: SeatKey, seat: Seat) -> None:
        del self._seats[key]
        self._assigned.discard(key)
        self._finished[key] = seat.sequence
        if len(self._finished) > MAX_FINISHED_SEATS:
            del self._finished[next(iter(self._finished))]
        seat.close()

"""Writes what one seat of a table of Cheat may know as the values that `layout.OBSERVATION` lists."""

from typing import Final

from arena.games.cheat.arrays.card_counts import KINDS, count_to_bytes
from arena.games.cheat.arrays.layout import CLAIM_COUNTS, MAX_SEATS, option_values
from arena.games.cheat.arrays.seat_memory import HIDDEN, MOST, NOBODY, SeatMemory
from arena.games.cheat.rules.cards import RANK_COUNT
from arena.games.cheat.rules.ruleset import RankMode, Ruleset
from arena.games.cheat.rules.state import Claim, Phase, State

LAYING: Final = 3
"""The last of the phases: the seat has claimed, and chooses the cards."""


def _one_hot(size: int) -> tuple[bytes, ...]:
    return tuple([bytes([int(index == chosen) for index in range(size)]) for chosen in range(size)])


_PHASES: Final = _one_hot(4)
_RANKS: Final = _one_hot(RANK_COUNT)
_SEATS: Final = _one_hot(MAX_SEATS)
_SINGLE: Final = tuple([bytes((value,)) for value in range(256)])
_UNUSED: Final = tuple([bytes(size) for size in range(4 * MAX_SEATS + 1)])
_NO_SEAT: Final = bytes(MAX_SEATS)
_NO_RANK: Final = bytes(RANK_COUNT)
_NO_CLAIM: Final = bytes(RANK_COUNT + 1 + MAX_SEATS)
NOT_LAYING: Final = bytes(RANK_COUNT + 1 + KINDS)
"""The values of a claim whose cards are being chosen, if there is none."""
_CLAIMS: Final = tuple(
    [rank + _SINGLE[count] + seat for rank in _RANKS for count in range(CLAIM_COUNTS) for seat in _SEATS]
)


class ObservationWriter:
    """Writes the observations of one table."""

    def __init__(self, rules: Ruleset, seat_count: int, memory: SeatMemory) -> None:
        self._memory = memory
        self._seat_count = seat_count
        self._visible = rules.sizes_visible
        self._rotates = rules.rank_mode is RankMode.ROTATION
        self._max_turns = rules.max_turns
        self._unused = _UNUSED[MAX_SEATS - seat_count]
        self._options = b"".join([bytes(values) for values in option_values(rules, seat_count).values()])
        self._relative = tuple([_relative_seats(seat, seat_count) for seat in range(seat_count)])
        self._state: State | None = None
        self._sizes = self._places = self._passed = b""
        """The hand sizes, places and passes of the noted state, each twice in a row, to be cut at any seat."""
        self._phase = self._piles = self._required = self._moves = self._ending = b""

    def write(self, state: State, seat: int, laying: bytes) -> bytes:
        """Return the observation of a seat. `laying` has the claim and the cards chosen so far, or is NOT_LAYING."""
        if state is not self._state:
            self._note_state(state)
        memory, count, unused = self._memory, self._seat_count, self._unused
        end = seat + count
        sizes = self._sizes[seat:end]
        if not self._visible:
            sizes = _SINGLE[state.sizes[seat]] + sizes[1:]
        relative = self._relative[seat]
        to_move = state.to_move
        record = memory.record
        return b"".join(
            (
                count_to_bytes(memory.hands[seat]),
                laying,
                self._phase if laying is NOT_LAYING else _PHASES[LAYING],
                _SINGLE[count],
                sizes,
                unused,
                self._places[seat:end],
                unused,
                self._passed[seat:end],
                unused,
                _NO_SEAT if to_move is None else _SEATS[(to_move - seat) % count],
                self._piles,
                count_to_bytes(memory.pile_known[seat]),
                count_to_bytes(memory.banished_known[seat]),
                self._write_claim(state.prev, seat),
                self._required,
                _NO_CLAIM if state.last is None else self._write_claim(state.last.claim, seat),
                *memory.known[seat],
                memory.move_seats.translate(relative),
                self._moves,
                memory.move_callers.translate(relative),
                memory.move_verdicts,
                record[4 * seat :],
                record[: 4 * seat],
                _UNUSED[4 * (MAX_SEATS - count)],
                self._ending,
            )
        )

    def _note_state(self, state: State) -> None:
        """Prepare what is the same for all observers of a state."""
        memory = self._memory
        self._state = state
        sizes = bytes(state.sizes)
        if not self._visible:
            sizes = bytes([HIDDEN if size else 0 for size in sizes])
        self._sizes = sizes + sizes
        self._places = bytes(state.places) * 2
        passed = state.passed
        self._passed = bytes([int(seat in passed) for seat in range(self._seat_count)]) * 2 if passed else _NO_SEAT * 2
        in_window = state.phase is Phase.WINDOW
        self._phase = _PHASES[(2 if state.closing else 1) if in_window else 0]
        self._piles = bytes((memory.pile_size, memory.banished_size)) if self._visible else _HIDDEN_PILES
        self._required = _RANKS[state.required_rank] if self._rotates else _NO_RANK
        self._moves = memory.move_ranks + memory.move_counts + memory.move_laid
        self._ending = _SINGLE[min(MOST, state.landed * MOST // self._max_turns)] + self._options

    def _write_claim(self, claim: Claim | None, seat: int) -> bytes:
        if claim is None:
            return _NO_CLAIM
        return _CLAIMS[(claim.rank * CLAIM_COUNTS + claim.count) * MAX_SEATS + (claim.seat - seat) % self._seat_count]


_HIDDEN_PILES: Final = bytes((HIDDEN, HIDDEN))


def write_laying(rank: int, count: int, laid: bytes) -> bytes:
    """Return the values of a claim whose cards are being chosen."""
    return _RANKS[rank] + _SINGLE[count] + laid


def _relative_seats(observer: int, seat_count: int) -> bytes:
    """Return a table that turns a seat into its number clockwise from the observer, from 1, and NOBODY into 0."""
    return bytes([0 if seat == NOBODY else (seat - observer) % seat_count + 1 for seat in range(256)])

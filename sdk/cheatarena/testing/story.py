"""The part of a script that Cheat and CHEATER share: messages of the match to one seat."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

from cheatarena.v1 import decision_pb2, event_pb2, play_pb2, ruleset_pb2


class Story:
    """The messages of a match to one seat. Each method adds a message and returns the story.

    Messages are not checked against the rules of the game.
    """

    def __init__(self, seats: int, seat: int, ruleset: ruleset_pb2.Ruleset, pace: str, games: int) -> None:
        self.messages: list[play_pb2.SeatMessage] = []
        """The messages so far, in the order in which the seat gets them."""
        self._seats = seats
        self._seat = seat
        self._prompt_id = 0
        terms = ruleset_pb2.MatchTerms(
            ruleset=ruleset,
            pace=ruleset_pb2.Pace(
                style=ruleset_pb2.PaceStyle.Value(f"PACE_STYLE_{pace.upper()}"), turn_ms=2000, call_ms=1000
            ),
            entrants=[f"bot {index}" for index in range(seats)],
            game_count=games,
            seating=ruleset_pb2.SEATING_FIXED,
        )
        self.tell(
            event_pb2.Event(match_started=event_pb2.MatchStarted(terms=terms)),
            event_pb2.Event(entrant_seed=event_pb2.EntrantSeed(seed=bytes(32))),
        )
        self.starts_game(0)

    def __iter__(self) -> Iterator[play_pb2.SeatMessage]:
        yield from self.messages

    def tell(self, *events: event_pb2.Event, **fields: Any) -> Self:
        """Add a message with these events; `fields` are other fields of SeatMessage by name."""
        sequence = len(self.messages) + 1
        self.messages.append(
            play_pb2.SeatMessage(match=1, entrant=self._seat, sequence=sequence, events=events, **fields)
        )
        return self

    def starts_game(self, game: int) -> Self:
        """Begin a game in which each entrant sits in the seat of the same number."""
        started = event_pb2.GameStarted(game=game, entrants=bytes(range(self._seats)))
        return self.tell(event_pb2.Event(game_started=started))

    def withdraws(self) -> Self:
        """Close the last prompt without an answer."""
        return self.tell(withdrawn=[self._prompt_id])

    def ends_game(self, places: Sequence[int], game: int = 0) -> Self:
        """End a game; `places` has the place of each seat."""
        ended = event_pb2.GameEnded(game=game, places=bytes(places), termination="finished")
        return self.tell(event_pb2.Event(game_ended=ended))

    def ends_match(self, place_sums: Sequence[int] = ()) -> Self:
        """End the match; `place_sums` has the sum of each entrant's places."""
        ended = event_pb2.MatchEnded(termination="finished", place_sums=place_sums)
        return self.tell(event_pb2.Event(match_ended=ended))

    def next_prompt(self) -> int:
        """Return an unused prompt id, for messages that a test builds itself."""
        self._prompt_id += 1
        return self._prompt_id

    def _ask(self, prompt: decision_pb2.Prompt) -> Self:
        prompt.id = self.next_prompt()
        return self.tell(prompts=[prompt])

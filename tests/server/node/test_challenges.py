"""Challenges: who accepts whose, how many a bot may have, and what is played."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from arena.errors import (
    CapacityError,
    NotConnectedError,
    OptionError,
    OptionsError,
    RequestError,
    StoreError,
    UnknownNameError,
)
from arena.games.catalogue import games
from arena.match.referee.match_order import RequestedTerms
from arena.match.referee.ports import MatchId
from arena.match.referee.terms import Seating
from arena.server.node.challenges import Challenge, ChallengeRefusedError, Challenges, name_entrants
from arena.server.node.match_organizer import CreationRequest
from arena.server.node.session import ChallengePolicy
from arena.server.node.session_registry import SessionRegistry

pytestmark = pytest.mark.replaces_code  # its sessions are no `Session`

HOUR_US = 3_600_000_000
TERMS = RequestedTerms(
    game="cheat",
    preset="standard",
    entrants=(),
    options=(),
    pace_style="sealed",
    pace_options=(),
    game_count=1,
    seating=Seating.ROTATED,
    seed_length=0,
    is_rated=False,
)


@dataclass(eq=False)
class FakeSession:
    """A connected bot."""

    key: tuple[str, str]
    owner: str | None = None
    challenges: ChallengePolicy = ChallengePolicy.EVERYBODY
    games: tuple[str, ...] = ("cheat",)
    capacity: int = 10
    version: str = ""
    pools: Mapping[str, int] = field(default_factory=dict)

    def can_play(self, game: str, preset: str) -> bool:
        return game in self.games

    def describe_games(self) -> str:
        return ", ".join(self.games)


class FakeMatches:
    """Makes matches that end when the test says so, in place of the organizer."""

    def __init__(self) -> None:
        self.open: list[MatchId] = []
        self.requests: list[CreationRequest] = []
        self.fault: Exception | None = None
        self.may_create = asyncio.Event()
        self.may_create.set()

    async def create(self, request: CreationRequest) -> Any:
        await self.may_create.wait()
        if self.fault is not None:
            raise self.fault
        self.requests.append(request)
        match_id = MatchId(f"M{len(self.requests)}")
        self.open.append(match_id)
        return SimpleNamespace(match_id=match_id), None

    def is_open(self, match_id: MatchId) -> bool:
        return match_id in self.open


class Room:
    """The challenges of a node whose bots, matches and clock a test controls."""

    def __init__(self) -> None:
        self.sessions = SessionRegistry()
        self.matches = FakeMatches()
        organizer: Any = self.matches
        self.now = 0
        house = {"open": ("house-a", "house-b"), "empty": ()}
        self.challenges = Challenges(self.sessions, games(), house, organizer, lambda: self.now)

    def connect(self, name: str, instance: str = "one", **given: Any) -> None:
        session: Any = FakeSession((name, instance), **given)
        self.sessions.by_key[name, instance] = session

    def seat(self, name: str, count: int) -> None:
        """Let a bot hold this many seats."""
        for number in range(count):
            hosted: Any = SimpleNamespace(
                number=number, terms=SimpleNamespace(entrant_indices=(0,)), keys=((name, "one"),)
            )
            self.sessions.hold_seats(hosted)

    def build(self, *opponents: str, owner: str | None = "anna", instance: str = "", **terms: Any) -> CreationRequest:
        """Return the match of a challenge of ann, who belongs to anna."""
        asked = Challenge("ann", owner, instance, opponents, replace(TERMS, **terms))
        return self.challenges.build_request(asked)

    async def make(self, challenger: str = "ann", *opponents: str) -> MatchId:
        asked = Challenge(challenger, None, "", opponents or ("bob",), TERMS)
        return await self.challenges.make_match(asked)


@pytest.fixture
async def room() -> Room:
    """Ann of anna, and bob of bill, who accepts everybody."""
    made = Room()
    made.connect("ann", owner="anna", challenges=ChallengePolicy.NOBODY)
    made.connect("bob", owner="bill")
    return made


# ---- who accepts


async def test_match_is_unrated_and_needs_everybody(room: Room):
    request = room.build("bob", game_count=3)

    assert request.terms.entrants == ("ann", "bob")
    assert request.instances == {"ann": "one", "bob": "one"}
    assert (request.terms.is_rated, request.terms.game_count, request.needs_everybody) == (False, 3, True)


@pytest.mark.parametrize(
    ("policy", "owner", "is_accepted"),
    [
        (ChallengePolicy.EVERYBODY, "bill", True),
        (ChallengePolicy.EVERYBODY, None, True),
        (ChallengePolicy.OWN, "anna", True),
        (ChallengePolicy.OWN, "bill", False),
        (ChallengePolicy.OWN, None, False),
        (ChallengePolicy.NOBODY, "anna", False),
        (ChallengePolicy.NOBODY, "bill", False),
    ],
)
async def test_each_opponent_decides_whose_challenges_it_accepts(
    room: Room, policy: ChallengePolicy, owner: str | None, is_accepted: bool
):
    room.connect("cid", owner=owner, challenges=policy)

    if is_accepted:
        assert room.build("cid").terms.entrants == ("ann", "cid")
        return
    with pytest.raises(ChallengeRefusedError, match=r"'cid' does not accept.*(own owner|nobody)"):
        room.build("bob", "cid")


async def test_bots_without_an_owner_are_not_each_others(room: Room):
    room.connect("cid", owner=None, challenges=ChallengePolicy.OWN)

    with pytest.raises(ChallengeRefusedError, match="cid"):
        room.build("cid", owner=None)


async def test_own_other_instance_plays_unless_it_accepts_nobody(room: Room):
    room.connect("ann", "two", owner=None, challenges=ChallengePolicy.OWN)

    request = room.build("ann/two", owner=None, instance="one")

    assert request.terms.entrants == ("ann/one", "ann/two")
    with pytest.raises(ChallengeRefusedError, match="nobody"):
        room.build("ann/one", owner=None, instance="two")


async def test_program_has_one_seat(room: Room):
    room.connect("ann", "two")
    for opponents in (["bob", "bob"], ["bob", "bob/one"], ["ann/two", "ann/two"]):
        with pytest.raises(OptionError, match="one seat"):
            room.build(*opponents, instance="one")

    room.connect("bob", "two")
    assert room.build("bob", "bob", instance="one").terms.entrants == ("ann", "bob/one", "bob/two")


async def test_challenger_with_several_instances_names_one(room: Room):
    room.connect("ann", "two")

    with pytest.raises(OptionError, match="one, two"):
        room.build("bob")

    assert room.build("bob", instance="two").instances["ann"] == "two"


async def test_everybody_has_to_be_connected(room: Room):
    for opponents, instance, missing in ((["zoe"], "", "zoe"), (["bob/two"], "", "bob/two"), (["bob"], "x", "ann/x")):
        with pytest.raises(NotConnectedError) as refusal:
            room.build(*opponents, instance=instance)
        assert refusal.value.names == (missing,)


async def test_bot_that_does_not_play_the_game_is_left_to_the_registry(room: Room):
    """Of several processes, one that plays the game is chosen."""
    room.connect("cid", "a", games=("cheater",))
    room.connect("cid", "b", games=("cheat",))

    assert room.build("cid").instances["cid"] == "b"


# ---- house bots


@pytest.mark.replaces_code
async def test_house_bot_with_the_fewest_seats_plays(room: Room):
    room.connect("house-a")
    room.connect("house-b")
    room.seat("house-a", 2)
    room.seat("house-b", 1)

    assert room.build("house:open").terms.entrants == ("ann", "house-b")
    assert room.build("house:open", "house:open").terms.entrants == ("ann", "house-b", "house-a")
    assert room.build("house-b", "house:open").terms.entrants == ("ann", "house-b", "house-a")
    with pytest.raises(OptionError, match="one seat"):
        room.build("house:open", "house:open", "house:open")


async def test_house_of_an_unknown_or_empty_pool_is_refused(room: Room):
    with pytest.raises(UnknownNameError, match="unknown pool 'nowhere'; known: open, empty"):
        room.build("house:nowhere")
    for name in ("house:open", "house:empty"):
        with pytest.raises(NotConnectedError, match=name):
            room.build(name)


# ---- what is played


@pytest.mark.parametrize("count", [0, 100])
async def test_challenge_names_at_least_one_opponent_and_not_too_many(room: Room, count: int):
    with pytest.raises(OptionError, match="opponents"):
        room.build(*["bob"] * count)


@pytest.mark.parametrize(("count", "is_allowed"), [(1, True), (100, True), (101, False)])
async def test_challenge_has_at_most_a_hundred_games(room: Room, count: int, is_allowed: bool):
    if is_allowed:
        assert room.build("bob", game_count=count).terms.game_count == count
        return
    with pytest.raises(RequestError, match="game_count"):
        room.build("bob", game_count=count)


@pytest.mark.parametrize(
    "option",
    [
        ("no_deadlines", "true"),
        ("max_auto_moves", "0"),
        ("turn_ms", "60001"),
        ("call_ms", "3600000"),
        ("reconnect_grace_ms", "60001"),
    ],
)
async def test_nobody_can_hold_seats_of_others_without_playing(room: Room, option: tuple[str, str]):
    with pytest.raises(OptionError, match=option[0]):
        room.build("bob", pace_options=(option,))


@pytest.mark.parametrize(
    "terms",
    [{"game": "chess"}, {"preset": "nothing"}, {"options": (("nonsense", "1"),)}, {"pace_style": "quick"}],
)
async def test_rules_and_pace_are_checked_before_the_challenge_counts(room: Room, terms: Mapping[str, Any]):
    with pytest.raises((UnknownNameError, OptionsError, OptionError)):
        room.build("bob", **terms)


def test_names_with_instances_only_where_they_are_needed():
    assert name_entrants([("a", "1"), ("b", "1")]) == ("a", "b")
    assert name_entrants([("a", "1"), ("b", "1"), ("a", "2")]) == ("a/1", "b", "a/2")


# ---- how many


async def test_bot_has_four_open_challenges_at_most(room: Room):
    made = [await room.make() for _ in range(4)]

    with pytest.raises(CapacityError, match="'ann' already has 4 challenges"):
        await room.make()

    room.matches.open.remove(made[1])
    await room.make()
    with pytest.raises(CapacityError):
        await room.make()


async def test_limit_is_each_bots_own(room: Room):
    for _ in range(4):
        await room.make()
    room.connect("house-a")

    assert await room.make("bob", "house-a")


async def test_challenges_that_are_being_made_count_too(room: Room):
    room.matches.may_create.clear()

    making = [asyncio.create_task(room.make()) for _ in range(6)]
    await asyncio.sleep(0)
    room.matches.may_create.set()
    made = await asyncio.gather(*making, return_exceptions=True)

    assert sum(isinstance(each, CapacityError) for each in made) == 2
    assert len(room.matches.open) == 4


async def test_match_counts_even_if_its_caller_has_gone(room: Room):
    room.matches.may_create.clear()
    making = [asyncio.create_task(room.make()) for _ in range(4)]
    for _ in range(3):
        await asyncio.sleep(0)
    for each in making:
        each.cancel()
    await asyncio.gather(*making, return_exceptions=True)
    room.matches.may_create.set()
    for _ in range(3):
        await asyncio.sleep(0)

    assert len(room.matches.open) == 4
    with pytest.raises(CapacityError):
        await room.make()


async def test_bot_makes_thirty_challenges_an_hour_at_most(room: Room):
    for _ in range(30):
        room.matches.open.clear()
        await room.make()
    room.matches.open.clear()

    room.now = HOUR_US - 1
    with pytest.raises(CapacityError, match="'ann' has made 30 challenges within an hour"):
        await room.make()

    room.now = HOUR_US
    assert await room.make()


async def test_refused_challenge_does_not_count(room: Room):
    for _ in range(40):
        with pytest.raises(NotConnectedError):
            await room.make("ann", "zoe")

    assert await room.make()


async def test_match_that_cannot_be_made_is_not_open(room: Room):
    room.matches.fault = StoreError("the disk is full")
    for _ in range(5):
        with pytest.raises(StoreError):
            await room.make()

    room.matches.fault = None
    assert await room.make()

"""What an author reads of a stored match: pages that join without a gap, and nothing that the seat could not know."""

import asyncio
import random
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from arena.errors import RequestError, UnknownNameError
from arena.games.catalogue import games, load_codecs, phrasing_of
from arena.games.cheat.rules.cards import NAMES, cards_from_hand
from arena.replays.archive import author_reader
from arena.replays.archive.author_reader import AuthorReader, GameParts
from arena.replays.library.library_entry import LibraryEntry
from arena.server.store.open_store import open_store
from arena.server.wire.author_messages import PageCall, ReplayCall
from cheatarena.v1 import author_pb2
from tests.match.referee.driver import MS, S
from tests.replays.narration.test_seat import StackedDeck, twins
from tests.support.recorded_matches import DataFolder, ManualMatch

OLD, NEW = "01JZ0000000000000000000AGE", "01K00000000000000000000NEW"
JOURNAL = "01HZ0000000000000000000NDE"
PARTS = GameParts(games, load_codecs, phrasing_of)


def read_with(folder: Path, read: Callable[[AuthorReader], Coroutine[Any, Any, Any]]) -> Any:
    """Open a data folder, read, and return what was read."""

    async def work() -> Any:
        async with await open_store(folder) as store:
            return await read(AuthorReader(folder, store, PARTS, time.monotonic))

    return asyncio.run(work())


def store(path: Path, *matches: ManualMatch, **how: Any) -> Path:
    """Return a data folder with these matches."""
    folder = DataFolder(path)
    folder.write_journal(JOURNAL, *matches)
    folder.store_matches(JOURNAL, *matches, **how)
    return path


async def read_page(reader: AuthorReader, match_id: str, start: int = 0, **asked: Any) -> author_pb2.GetReplayResponse:
    """Read one page as the author of Ann."""
    call = ReplayCall("Ann", match_id, asked.get("entrant"), asked.get("game"), start)
    return author_pb2.GetReplayResponse.FromString(await reader.read(call))


async def read_pages(reader: AuthorReader, match_id: str, **asked: Any) -> list[author_pb2.GetReplayResponse]:
    """Read a replay page by page."""
    pages = [await read_page(reader, match_id, **asked)]
    while pages[-1].next_page_token:
        pages.append(await read_page(reader, match_id, int(pages[-1].next_page_token), **asked))
    return pages


def lines_of(pages: list[author_pb2.GetReplayResponse]) -> list[author_pb2.ReplayLine]:
    return [line for page in pages for line in page.lines]


# ---- pages


@pytest.mark.parametrize("game", [None, 1])
@pytest.mark.parametrize("limit", ["bytes", pytest.param("time", marks=pytest.mark.slow)])
def test_pages_join_to_the_whole_replay(tmp_path, monkeypatch, game, limit):
    """Wherever a page ends: because it is full, or because its time is over."""
    folder = store(tmp_path / "data", ManualMatch(NEW, games=3).play_out())
    (whole,) = read_with(folder, lambda reader: read_pages(reader, NEW, game=game))
    monkeypatch.setattr(author_reader, "PAGE_BYTES", 4000 if limit == "bytes" else 1 << 30)
    monkeypatch.setattr(author_reader, "PAGE_S", 60.0 if limit == "bytes" else 0.0)

    pages = read_with(folder, lambda reader: read_pages(reader, NEW, game=game))

    assert len(pages) > 3
    assert lines_of(pages) == list(whole.lines)
    assert limit != "bytes" or max(page.ByteSize() for page in pages) < 8000


def test_page_is_the_same_for_a_server_that_has_forgotten_the_earlier_pages(tmp_path, monkeypatch):
    folder = store(tmp_path / "data", ManualMatch(NEW, games=2).play_out())
    monkeypatch.setattr(author_reader, "PAGE_BYTES", 4000)
    first, second, *_ = read_with(folder, lambda reader: read_pages(reader, NEW))

    again = read_with(folder, lambda reader: read_page(reader, NEW, int(first.next_page_token)))

    assert again == second


def test_replays_that_are_read_at_the_same_time_do_not_mix(tmp_path, monkeypatch):
    """More of them than a server remembers."""
    folder = store(tmp_path / "data", ManualMatch(NEW, games=2).play_out())
    whole = read_with(folder, lambda reader: read_pages(reader, NEW))
    monkeypatch.setattr(author_reader, "PAGE_BYTES", 4000)
    monkeypatch.setattr(author_reader, "MAX_OPEN_NARRATIONS", 1)

    async def read_both(reader: AuthorReader) -> tuple[list[author_pb2.GetReplayResponse], ...]:
        return await asyncio.gather(read_pages(reader, NEW), read_pages(reader, NEW), read_pages(reader, NEW, game=1))

    one, other, second_game = read_with(folder, read_both)

    assert lines_of(one) == lines_of(other) == lines_of(whole)
    assert lines_of(second_game) == [line for line in lines_of(whole) if line.HasField("game") and line.game == 1]


# ---- what is shown


def test_running_match_shows_finished_games_only(tmp_path):
    """Later, when another game has ended, it is shown too."""
    match = ManualMatch(NEW, games=3)
    match.bench.play_until(lambda: len(match.bench.referee.results) == 1)
    match.bench.run_until(match.bench.clock + 5 * MS)
    folder = store(tmp_path / "data", match, ended=False)

    page = read_with(folder, lambda reader: read_page(reader, NEW))

    assert {line.game for line in page.lines if line.HasField("game")} == {0}
    assert page.lines[-1].kind == "end"
    assert page.remark == author_reader.RUNNING_REMARK
    assert not page.next_page_token


def test_match_with_hidden_cards_is_not_shown(tmp_path, monkeypatch):
    """Other tables still play its deal."""
    folder = store(tmp_path / "data", ManualMatch(NEW).play_out())
    monkeypatch.setattr(LibraryEntry, "is_hidden", True)

    with pytest.raises(RequestError, match="shares its cards"):
        read_with(folder, lambda reader: read_page(reader, NEW))


def test_match_under_other_rules_is_listed_but_not_told(tmp_path):
    folder = store(tmp_path / "data", ManualMatch(NEW).play_out(), version="0.0.1")

    (listed,), _ = read_with(folder, lambda reader: reader.list_games(PageCall("games", "Ann", "", 10, "")))
    with pytest.raises(RequestError, match="does not play"):
        read_with(folder, lambda reader: read_page(reader, NEW))

    assert author_pb2.OwnMatch.FromString(listed.encoded).terms.ruleset.version == "0.0.1"


def test_lists_and_faults_are_those_of_the_bot(tmp_path):
    """Each strike with what was expected and why; another bot's strikes are not among them."""
    match = ManualMatch(NEW)
    match.bench.run_until(2 * S)  # Ann gives no answer in time
    match.play_out()
    folder = store(tmp_path / "data", match)

    async def read(reader: AuthorReader) -> Any:
        return [
            author_pb2.GetFaultsResponse.FromString(await reader.read(PageCall("faults", name, "", 10, ""))).faults
            for name in ("Ann", "Bob")
        ]

    ann, bob = read_with(folder, read)

    assert {(fault.entrant, fault.match_id) for fault in ann} == {(0, NEW)}
    assert all("gave no answer to the question" in fault.explanation for fault in ann)
    assert 0 not in {fault.entrant for fault in bob}


@pytest.mark.parametrize("name", ["Dan", "ann", "An", ""])
def test_bot_that_did_not_play_gets_nothing(tmp_path, name):
    folder = store(tmp_path / "data", ManualMatch(NEW).play_out())

    assert read_with(folder, lambda reader: reader.list_games(PageCall("games", name, "", 10, ""))) == ([], "")
    for call in (
        lambda reader: reader.list_games(PageCall("games", name, NEW, 10, "")),
        lambda reader: reader.read(ReplayCall(name, NEW, None, None, 0)),
        lambda reader: reader.read(ReplayCall(name, OLD, None, None, 0)),
        lambda reader: reader.read(PageCall("faults", name, NEW, 10, "")),
        lambda reader: reader.read(PageCall("figures", name, NEW, 10, "")),
    ):
        with pytest.raises(UnknownNameError):
            read_with(folder, call)


# ---- secrecy


def play_without_calls(deck: list[int], viewer: int) -> ManualMatch:
    """Eight moves of one card, each called an ace, until the turn limit ends the game; nobody ever calls."""
    options = {"check": "public", "count": ["same", "more", "less"], "max_turns": 8}
    match = ManualMatch(NEW, chance=StackedDeck(deck), options=options)
    names = ["Bob", "Cid", "Dan"]
    assert match.bench.terms.entrants[viewer]
    at = 0
    for turn in range(8):
        mover = turn % 3
        lowest = NAMES[cards_from_hand(match.bench.state.hands[mover])[0]]
        match.answer(mover, f"1A {lowest}", at := at + 11 * MS, note=f"{names[mover]} laid {lowest}")
        for seat in range(3):
            if seat != mover and match.bench.referee.current_game is not None:
                match.answer(seat, "decline", at := at + 3 * MS, note="I see")
    return match


@pytest.mark.parametrize("viewer", [0, 1, 2])
@pytest.mark.parametrize("is_over", [True, False], ids=["finished", "running"])
def test_no_byte_differs_between_twin_matches(tmp_path, viewer, is_over):
    """Twins differ in the cards of the other seats alone, and nothing shows them: every answer is the same."""
    for seed in range(3):
        answers = []
        for number, deck in enumerate(twins(viewer, random.Random(f"{viewer} {seed}"))):
            match = play_without_calls(deck, viewer)
            assert match.bench.referee.ended is not None
            folder = store(tmp_path / f"{seed}-{number}", match, ended=is_over)
            answers.append(read_with(folder, lambda reader: read_everything(reader, viewer)))

        assert answers[0] == answers[1], f"seed {seed}"
        assert sum(map(len, answers[0])) > 10_000


async def read_everything(reader: AuthorReader, viewer: int) -> list[bytes]:
    """Return every byte that an author can get of the match."""
    name = ("Ann", "Bob", "Cid")[viewer]
    listed, _ = await reader.list_games(PageCall("games", name, "", 10, ""))
    return [
        *(each.encoded for each in listed),
        await reader.read(ReplayCall(name, NEW, None, None, 0)),
        await reader.read(PageCall("faults", name, "", 10, "")),
        await reader.read(PageCall("figures", name, "", 10, "")),
    ]


def test_twins_read_differently_to_the_seats_whose_cards_differ(tmp_path):
    """So the check above is not vacuous: own cards are in a view."""
    one, other = twins(1, random.Random(7))
    for number, deck in enumerate((one, other)):
        store(tmp_path / str(number), play_without_calls(deck, 1))

    views = [read_with(tmp_path / str(number), lambda reader: read_everything(reader, 0)) for number in (0, 1)]

    assert views[0] != views[1]

"""A published league: every link leads somewhere, every game can be checked, and nobody's folder is lost."""

import contextlib
import hashlib
import io
import re
import runpy
from dataclasses import replace
from pathlib import Path

import pytest

import arena.verify
from arena.competition.league.model import Block, TableResult
from arena.errors import EnvironmentFaultError, RequestError
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheater.rules.game import CHEATER
from arena.match.referee.facts import StrikeKind
from arena.match.referee.strike_record import ResponseTimes
from arena.organizer.report.play_view import StrikeView
from arena.organizer.report.published_match import PublishedMatch
from arena.organizer.report.site import StaticSite, verifier_files
from arena.organizer.report.view import LeagueGame, LeagueView
from tests.organizer.report.reading import Page
from tests.support.league_stories import proven_story, told_match
from tests.support.league_views import HOSTILE_TEXTS, make_league_view


def publish_site(out: Path, *told: tuple[PublishedMatch, LeagueGame]) -> Path:
    site = StaticSite(out, "Spring")
    for story, row in told:
        site.add_match(story, row)
    return site.finish(view_of(*(row for _, row in told)))


def view_of(*rows: LeagueGame) -> LeagueView:
    faults = [StrikeView("Ann", row.match_id, 3, StrikeKind.LATE, "too late", ResponseTimes(), None) for row in rows]
    return replace(make_league_view(["Ann", "Bob", "Cid", "Dot"], game_count=1), games=rows, faults=faults)


def plain_story(number: int) -> tuple[PublishedMatch, LeagueGame]:
    result = TableResult(f"M{number}", ("Ann", "Bob"), (1, 2), "finished", turn_count=12)
    row = LeagueGame(Block(number, 1, (result.seats,)), 1, result)
    return told_match(f"M{number}", ["a", "b", "c", "d"]), row


def pages_of(folder: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}


def assert_links_resolve(folder: Path) -> None:
    pages = pages_of(folder)
    for path, page in pages.items():
        for href in page.values("href"):
            file, _, anchor = href.partition("#")
            target = (path.parent / file).resolve() if file else path.resolve()
            assert target.is_file(), (path, href)
            assert target.is_relative_to(folder.resolve())
            if anchor:
                assert anchor in pages[folder / target.relative_to(folder.resolve())].values("id"), (path, href)


@pytest.mark.parametrize("game", [CHEAT, CHEATER], ids=["cheat", "cheater"])
def test_plain_python_verifies_a_published_game(tmp_path, game):
    publish_site(tmp_path / "site", proven_story(game, seats=3))

    program = runpy.run_path(str(tmp_path / "site" / "verify" / "verify_deal.py"))
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        program["verify"]((tmp_path / "site" / "replays" / "M.replay.json").read_bytes())

    assert [line[:16] for line in told.getvalue().splitlines()[-2:]] == ["yes  the results", "?    only a rece"]


def test_all_links_resolve(tmp_path):
    publish_site(tmp_path / "site", proven_story(), plain_story(2))

    assert_links_resolve(tmp_path / "site")


@pytest.mark.slow
def test_very_long_game_list_has_several_pages(tmp_path):
    publish_site(tmp_path / "site", *map(plain_story, range(501)))

    assert_links_resolve(tmp_path / "site")
    first, second = (len(Page((tmp_path / "site" / "replays" / name).read_text()).tables["/0"]) - 1
                     for name in ("index.html", "index-2.html"))  # fmt: skip
    assert (first, second) == (500, 1)


def test_game_is_told_with_names_places_and_card_counts(tmp_path):
    story, row = proven_story()
    publish_site(tmp_path / "site", (story, row))

    page = Page((tmp_path / "site" / "replays" / "M.html").read_text(encoding="utf-8"))

    by_seat = ", ".join(f"{place} {name}" for name, place in zip(row.result.seats, row.result.places, strict=True))
    assert by_seat in page.words
    hands = dict(page.tables["hands/0"])
    assert [hands[name] == "no cards (0)" for name in row.result.seats] == [True, False, True, True]
    moves = [cells[3] for cells in page.tables["moves/0"][1:] if cells[0]]
    assert len(moves) == row.result.turn_count
    sizes = ", ".join(rf"{name} \d+" for name in row.result.seats)
    assert [words for words in moves if re.search(rf"{sizes}; pile \d+$", words)] == moves
    assert not [words for words in moves if re.search(r"\bseats? \d", words)]


def test_match_of_several_games_has_a_page_for_each_that_leads_to_the_others(tmp_path):
    story, row = plain_story(1)
    (page,) = story.pages
    story = replace(story, pages=[page, replace(page, game=1), replace(page, game=2)])

    publish_site(tmp_path / "site", (story, row))

    pages = {
        path.name: page for path, page in pages_of(tmp_path / "site" / "replays").items() if path.name != "index.html"
    }
    assert sorted(pages) == ["M1-game-1.html", "M1-game-2.html", "M1.html"]
    for name, written in pages.items():
        assert {*pages} - {name} == {*written.values("href")} & {*pages}
    assert_links_resolve(tmp_path / "site")


def test_hostile_texts_create_no_elements(tmp_path):
    result = TableResult(
        "M", HOSTILE_TEXTS, tuple(range(1, 17)), HOSTILE_TEXTS[0], forfeits=frozenset({HOSTILE_TEXTS[1]})
    )
    row = LeagueGame(Block(1, 1, (HOSTILE_TEXTS,), HOSTILE_TEXTS[2]), 1, result)
    site = StaticSite(tmp_path / "site", HOSTILE_TEXTS[6])
    site.add_match(told_match("M", HOSTILE_TEXTS, HOSTILE_TEXTS), row)
    site.finish(make_league_view(HOSTILE_TEXTS, game_count=1))

    assert_links_resolve(tmp_path / "site")
    for page in pages_of(tmp_path / "site").values():
        scripts = sorted(attributes for tag, attributes, _ in page.elements if tag == "script")
        assert scripts in ([], [(), ("type", "id")])  # the player and its data
        assert not {"img", "style"} & {tag for tag, attributes, _ in page.elements if attributes}
        assert sum(count for (tag, _, _), count in page.elements.items() if tag == "style") == 1
        assert page.others == ["doctype html"]


@pytest.mark.parametrize("match_id", ["../x", "a/b", "", "x" * 65, "a b", "M\n"])
def test_id_that_is_no_file_name_is_refused(tmp_path, match_id):
    story, row = plain_story(1)

    with pytest.raises(RequestError, match="ids are 1 to 64 letters"):
        StaticSite(tmp_path / "site", "Spring").add_match(replace(story, match_id=match_id), row)


def test_every_file_is_listed_with_its_hash(tmp_path):
    publish_site(tmp_path / "site", plain_story(1))

    sums = (tmp_path / "site" / "SHA256SUMS").read_text().splitlines()

    listed = {name: digest for digest, name in (line.split("  ") for line in sums)}
    files = {path.relative_to(tmp_path / "site").as_posix(): path for path in (tmp_path / "site").rglob("*.*")}
    assert listed == {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in files.items()
        if name != ".cheatarena-site"
    }


def test_site_overwrites_an_older_one(tmp_path):
    publish_site(tmp_path / "site", plain_story(1))
    publish_site(tmp_path / "site", plain_story(2))

    assert {path.name for path in (tmp_path / "site" / "replays").iterdir()} == {
        "index.html",
        "M2.html",
        "M2.replay.json",
    }
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_folder_with_other_content_is_left_alone(tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "home.txt").write_text("dear")

    with pytest.raises(RequestError, match="is not a published site"):
        StaticSite(tmp_path / "letters", "Spring")
    assert (tmp_path / "letters" / "home.txt").read_text() == "dear"


def test_unfinished_site_is_restarted(tmp_path):
    StaticSite(tmp_path / "site", "Spring").add_match(*plain_story(1))

    publish_site(tmp_path / "site", plain_story(2))

    assert not (tmp_path / "site" / "replays" / "M1.html").exists()


def test_installation_without_verifier_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(arena.verify, "__file__", str(tmp_path / "__init__.py"))

    with pytest.raises(EnvironmentFaultError, match="this installation lacks"):
        verifier_files()


def test_games_are_listed_for_each_bot_with_names_first_and_forfeits(tmp_path):
    """A file is named by number, since a bot may have any name."""
    hostile = HOSTILE_TEXTS[0]
    told = []
    for number, seats in enumerate([("Ann", hostile), ("Ann", "Bob")]):
        story, _ = plain_story(number)
        result = TableResult(f"M{number}", seats, (1, 2), "finished", frozenset({"Bob"}))
        told.append((story, LeagueGame(Block(number + 1, 1, (seats,)), 1, result)))

    publish_site(tmp_path / "site", *told)

    lists = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "site" / "replays").glob("[bi]*.html")}
    bots = sorted(["Ann", "Bob", hostile])
    assert sorted(lists) == ["bot1.html", "bot2.html", "bot3.html", "index.html"]
    assert [("M0.html" in text, "M1.html" in text) for name, text in lists.items() if name == "index.html"] == [
        (True, True)
    ]
    bob = lists[f"bot{bots.index('Bob') + 1}.html"]
    assert ("M0.html" in bob, "M1.html" in bob) == (False, True)
    assert '<bdi class="name">Bob</bdi> <strong>2</strong> (forfeited)' in bob
    assert bob.index("by seat</th>") < bob.index(">Game</th>")
    assert hostile not in lists["index.html"]
    assert_links_resolve(tmp_path / "site")


def test_site_of_one_game_has_no_lists_of_bots(tmp_path):
    publish_site(tmp_path / "site", plain_story(1))

    assert not list((tmp_path / "site" / "replays").glob("bot*.html"))

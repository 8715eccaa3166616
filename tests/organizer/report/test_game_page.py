"""One game as one page: whose view it shows, what is marked, that it loads nothing and runs only its player."""

import json
import re

import pytest

from arena.cli.exit_codes import ExitCode
from arena.organizer.report.rendering import content_security_policy, read_template_file
from tests.match.referee.driver import MS
from tests.organizer.report.reading import Page
from tests.support.chromium import CHROMIUM, open_browser
from tests.support.commands import run_arena
from tests.support.league_views import HOSTILE_TEXTS
from tests.support.recorded_matches import DataFolder, ManualMatch

NEW = "01K00000000000000000000NEW"
JOURNAL = "01HZ0000000000000000000NDE"
OWN_ELEMENTS = {"script"}
"""A page has two of them: the tables as data, and the player."""
COUNTS = re.compile(r"Ann [\d?]+, Bob [\d?]+, Cid [\d?]+; pile [\d?]+$")


@pytest.fixture
def folder(tmp_path):
    return DataFolder(tmp_path / "data")


@pytest.fixture
def write_page(capsys, folder, tmp_path):
    """Write a page, and return it as text."""

    def run(*arguments):
        out = tmp_path / "game.html"
        ended = run_arena(capsys, "replay", "html", NEW, "--data", folder.path, "--to", out, *arguments)
        assert ended.code == ExitCode.YES, ended.err
        return out.read_text(encoding="utf-8")

    return run


def lying_match(note="hm", **settings):
    """Ann plays a true ace, Bob lies with a three, Cid calls Bob, and the rest is automatic."""
    match = ManualMatch(NEW, **settings)
    match.answer(0, "1A AC", at=12 * MS, note=note)
    match.answer(1, "decline", at=20 * MS)
    match.answer(2, "decline", at=25 * MS)
    match.answer(1, "1A 3H", at=40 * MS)
    match.answer(0, "decline", at=50 * MS)
    match.answer(2, "call", at=60 * MS)
    return match


def tables_of(html):
    """The cards of each seat, and the rows of the centre, at each line. A card that only its seat knew has a ~."""
    data = html.partition('<script type="application/json" id="data">')[2].partition("</script>")[0]
    hands: dict[int, list[str]] = {}
    rows: dict[str, tuple[str, list[list[object]]]] = {}
    tables = []
    for step in json.loads(data)["steps"]:
        hands = hands | {
            int(seat): change_hand(hands.get(int(seat), []), words) for seat, words in step.get("h", {}).items()
        }
        rows = rows | {label: change_row(rows.get(label, ("", [])), row) for label, row in step.get("t", [])}
        tables.append((hands, rows))
    return tables


def change_hand(hand, words):
    left = [card for card in hand if not card.startswith("=")]
    for word in words.split():
        if word.startswith("-"):
            left.remove(word[1:])
        else:
            left.append(word.removeprefix("+"))
    return [*left, *(card for card in hand if card.startswith("=") and "=" not in words)]


def change_row(row, change):
    text, kept, groups, _ = change
    return text, [*row[1][:kept], *groups]


def lines_of(html):
    """Turn, mark and sentence of each line, without the counts of cards behind it."""
    (_, *rows) = Page(html).tables["moves/0"]
    return [(turn, mark, COUNTS.sub("", text).strip()) for turn, _, mark, text in rows]


def test_page_tells_the_game_with_names_and_marks(write_page, folder):
    folder.write_journal(JOURNAL, lying_match().play_out())

    lines = lines_of(write_page())

    assert ("0", "", "Ann claims 1 x A and lays AC: true (after 12.0 ms)") in lines
    assert ("1", "a lie", "Bob claims 1 x A and lays 3H: a lie (after 15.0 ms)") in lines
    assert ("", "called rightly", "Cid calls Bob rightly: 3H; Bob takes 2") in lines
    assert ("", "", "note of Ann: hm") in lines
    assert not any("seat 0 " in text for _, _, text in lines if "is over" not in text)


def test_page_of_a_finished_match_shows_every_hand_at_every_line(write_page, folder):
    folder.write_journal(JOURNAL, lying_match().play_out())

    html = write_page()
    tables = tables_of(html)
    lines = [text for _, _, text in lines_of(html)]
    before = next(at for at, text in enumerate(lines) if "lays AC" in text) - 1
    lied = next(at for at, text in enumerate(lines) if "lays 3H" in text)

    assert [len(hands) for hands, _ in tables[1:]] == [3] * (len(tables) - 1)
    assert "~AC" in tables[before][0][0]
    assert "~AC" not in tables[before + 1][0][0]
    assert tables[lied][1]["pile"] == ("2 cards from 2 moves", [[0, "1 x A", 0, "+~AC"], [1, "1 x A", 1, "+~3H"]])
    assert tables[lied + 1][1]["pile"] == ("empty", [])
    assert {"~AC", "~3H"} <= {*tables[lied + 1][0][1]}


def test_last_line_shows_the_hands_at_the_end_although_the_next_game_has_begun(write_page, folder):
    """In a game of automatic moves, nobody calls. So a seat lays at least one card in each of its turns."""
    folder.write_journal(JOURNAL, ManualMatch(NEW, games=2).play_out())

    sizes = [[len(hand) for hand in hands.values()] for hands, _ in tables_of(write_page())]

    assert sizes[1] == [18, 18, 18]
    assert sizes[-1] == sizes[-2]
    assert 0 < sum(sizes[-1]) < 54


def test_page_of_one_seat_shows_only_what_it_knew(write_page, folder):
    """Cid does not see 3H before it is shown, nor anybody else's hand or note."""
    folder.write_journal(JOURNAL, lying_match("my secret plan"))

    html = write_page("--entrant", "Cid")
    tables = tables_of(html)
    before_call = html.partition("Cid calls Bob rightly")[0].partition('<table class="told"')[2]
    dealt, _ = tables[1]
    piles = [rows["pile"][1] for _, rows in tables[1:]]

    assert (dealt[0], dealt[1]) == (["=18"], ["=18"])
    assert {"~AH", "~2D"} <= {*dealt[2]}
    assert [[0, "1 x A", 0, "=1"], [1, "1 x A", 0, "=1"]] in piles
    assert "3H" not in before_call
    assert "my secret plan" not in html
    assert "what Cid knew" in Page(html).words


def test_seat_knows_its_own_lie(write_page, folder):
    folder.write_journal(JOURNAL, lying_match())

    assert ("1", "a lie", "Bob claims 1 x A") in lines_of(write_page("--seat", 1))
    assert ("1", "", "Bob claims 1 x A") in lines_of(write_page("--seat", 0))


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_note_creates_no_element_and_no_script(write_page, folder, text):
    note = text.encode()[:200].decode(errors="ignore")
    folder.write_journal(JOURNAL, lying_match(note))

    html = write_page("--seat", 0)
    page = Page(html)

    scripts = [names for tag, names, _ in page.elements.elements() if tag == "script"]
    assert sorted(scripts) == [(), ("type", "id")]
    assert not {"link", "img", "iframe", "object", "form", "base"} & {tag for tag, _, _ in page.elements}
    assert not [name for _, name, _ in page.attributes if name == "style" or name.startswith("on")]


def test_page_loads_nothing_and_runs_only_its_player(write_page, folder):
    folder.write_journal(JOURNAL, lying_match())

    html = write_page("--seat", 0)

    style = html.partition("<style>")[2].partition("</style>")[0]
    script = html.partition("<script>")[2].partition("</script>")[0]
    policy = Page(html).values("content")[0]
    assert script == read_template_file("player.js")
    assert policy == content_security_policy(style, script)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert Page(html).values("href") == ["#t1"]  # the caught lie
    assert not Page(html).values("src")
    assert not re.search(r"https?:|innerHTML|document\.write|eval\(", script)


def test_policy_of_other_pages_still_allows_no_script():
    assert "script-src" not in content_security_policy("a {}")


def test_one_of_several_games_is_chosen(write_page, folder):
    folder.write_journal(JOURNAL, ManualMatch(NEW, games=3).play_out())

    assert "game 1 begins" in write_page("--game", 1)
    assert "game 0 begins" in write_page()


def test_file_is_named_after_the_game(capsys, folder, tmp_path, monkeypatch):
    folder.write_journal(JOURNAL, ManualMatch(NEW, games=2).play_out())
    monkeypatch.chdir(tmp_path)

    ended = run_arena(capsys, "replay", "html", NEW[:8], "--game", 1, "--data", folder.path)

    assert ended.code == ExitCode.YES
    assert ended.out.startswith(f"{NEW}-game-1.html: game 1 of match {NEW}, ")
    assert (tmp_path / f"{NEW}-game-1.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--game", "7"), f"match {NEW} has no game 7: its games are 0 to 1"),
        (("--game", "1"), f"game 1 of match {NEW} has not begun"),
        (("--seat", "9"), f"match {NEW} has no seat 9: its seats are 0 to 2"),
        (("--entrant", "Zoe"), "unknown entrant 'Zoe'; known: Ann, Bob, Cid"),
    ],
)
def test_page_that_cannot_be_made_is_refused_in_one_sentence(capsys, folder, tmp_path, arguments, sentence):
    folder.write_journal(JOURNAL, lying_match(games=2))
    out = tmp_path / "game.html"

    ended = run_arena(capsys, "replay", "html", NEW, "--data", folder.path, "--out", out, *arguments)

    assert (ended.code, ended.last_line) == (ExitCode.USAGE, f"arena: {sentence}")
    assert not out.exists()


@pytest.mark.parametrize("option", ["--to", "--out"])
def test_command_prints_an_address_to_click(capsys, folder, tmp_path, option):
    """Earlier releases had `--out`, and scripts may have it."""
    folder.write_journal(JOURNAL, lying_match())
    file = tmp_path / "a game.html"

    ended = run_arena(capsys, "replay", "html", NEW, "--data", folder.path, option, file)

    assert ended.out.splitlines()[-1] == file.as_uri()
    assert file.is_file()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_page_opens_on_the_first_line_with_hands(write_page, folder, tmp_path):
    folder.write_journal(JOURNAL, lying_match())
    write_page()

    with open_browser() as browser:
        page = browser.new_page()
        page.goto((tmp_path / "game.html").as_uri())
        assert page.locator("#player .place .card").count() == 54
        page.keyboard.press("Home")
        assert page.locator("#player .place .card").count() == 0


def test_file_in_a_missing_folder_is_refused(capsys, folder, tmp_path):
    folder.write_journal(JOURNAL, lying_match())

    ended = run_arena(capsys, "replay", "html", NEW, "--data", folder.path, "--out", tmp_path / "no" / "game.html")

    assert ended.code != ExitCode.YES
    assert "game.html" in ended.last_line


def test_hands_of_a_running_match_stay_secret(capsys, folder, tmp_path, monkeypatch):
    folder.write_journal(JOURNAL, lying_match())
    monkeypatch.setattr("arena.replays.library.library.is_folder_locked", lambda _: True)
    out = tmp_path / "game.html"

    ended = run_arena(capsys, "replay", "html", NEW, "--data", folder.path, "--out", out)

    assert ended.code == ExitCode.USAGE
    assert "still runs: its hands are secret until it is over" in ended.last_line
    assert not out.exists()

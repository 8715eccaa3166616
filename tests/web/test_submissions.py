"""Owners submit packages on a page, see how far each has come, and change which version plays."""

import asyncio
import hashlib
import io
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import httpx
import pytest

from arena.bots.packages.unpacking import check_archive
from arena.bots.submissions.submission import RunNote, SubmissionState
from arena.bots.submissions.submission_settings import IntakeOffer
from arena.errors import SubmissionsOffError
from arena.plain_data import to_plain
from arena.server.intake.server_intake import ServerIntake
from arena.server.store.data_folder import acquire_folder_lock
from arena.server.store.open_store import Store, open_store
from arena.web.errors import RefusedError
from arena.web.limits import UploadSlots
from tests.support.hostile_data import HOSTILE_TEXTS
from tests.support.submission_data import (
    OFFER,
    SETTINGS,
    add_owners,
    add_submission,
    intake_of,
    make_archive,
    refuse_submission,
    stored_files,
    try_submission,
)
from tests.web.conftest import FROM_HERE, PoolSite, open_client, open_sources
from tests.web.inert import check_inert

MEBIBYTE: Final = 1 << 20
LIST: Final = "/me/submissions"


@dataclass(frozen=True)
class OwnerSite(PoolSite):
    """The site of a data folder with submissions, in which Ada has logged in."""

    @property
    def store(self) -> Store:
        return self.sources.store

    async def form_token(self) -> str:
        """Return what the forms of the session have in a hidden field."""
        return (await self.client.get("/me")).text.partition('name="form_token" value="')[2].partition('"')[0]

    async def upload(self, archive: bytes, headers: dict[str, str] = FROM_HERE, **fields: str) -> httpx.Response:
        """Send the form with an archive."""
        token = {"form_token": await self.form_token(), **fields}
        files = {"archive": ("bot.tar.gz", archive, "application/gzip")}
        return await self.client.post(LIST, data=token, files=files, headers=headers)

    async def change(self, submission_id: str, change: str) -> httpx.Response:
        """Press a button on the page of a submission."""
        token = await self.form_token()
        path = f"{LIST}/{submission_id}/{change}"
        return await self.client.post(path, data={"form_token": token}, headers=FROM_HERE)

    async def state_of(self, submission_id: str) -> str:
        """Return the state of a submission."""
        return (await self.store.submissions.get(submission_id)).state


@pytest.fixture
async def site(tmp_path) -> AsyncIterator[OwnerSite]:
    """A site whose server takes submissions."""
    async with await open_store(tmp_path / "data") as store:
        await add_owners(store)
        intake = intake_of(store)
        async with (
            open_sources(tmp_path / "data", find_intake=lambda: intake) as sources,
            open_client(sources) as client,
        ):
            opened = OwnerSite(client, sources)
            await opened.log_in("Ada")
            yield opened


def error_of(answer: httpx.Response) -> str:
    """Return the sentence of an error page."""
    return answer.text.partition("<h1>")[2].partition("</h1>")[0]


# ---- submitting


async def test_archive_is_queued_and_kept_by_its_content(site: OwnerSite):
    archive = make_archive()

    answer = await site.upload(archive)

    assert answer.status_code == 303
    view = (await site.client.get(f"{answer.headers['location']}.json")).json()
    content = check_archive(io.BytesIO(archive)).hash
    line = view["submission"]
    assert (line["bot"], line["version"], line["state"]) == ("counter", "1.0", "queued")
    assert (view["package"], view["byte_count"]) == (content, len(archive))
    assert stored_files(site.store) == [f"packages/{content}.tar.gz"]
    assert await site.store.owners.owner_of("counter") == "Ada"


async def test_same_archive_again_is_the_same_submission(site: OwnerSite):
    first, again = await site.upload(make_archive()), await site.upload(make_archive())

    assert first.headers["location"] == again.headers["location"]


async def test_upload_goes_on_where_another_way_in_stopped(site: OwnerSite):
    """`arena submit` has sent a half; the form sends all, and the other half is added."""
    archive = make_archive(ballast=random.Random(1).randbytes(600_000))
    intake = site.sources.find_intake()
    assert intake is not None
    start = await intake.begin("Ada", "counter", hashlib.sha256(archive).hexdigest(), len(archive))

    async def half() -> AsyncIterator[bytes]:
        yield archive[:300_000]

    await intake.receive("Ada", start.upload_id, 0, half())
    answer = await site.upload(archive)

    assert answer.status_code == 303
    assert len(stored_files(site.store)) == 1


async def test_same_archive_by_two_ways_at_once_is_one_submission(site: OwnerSite):
    """The form and `arena submit` are served by two processes, which share the data folder alone."""
    archive = make_archive(ballast=random.Random(1).randbytes(600_000))
    ways = [intake_of(site.store), intake_of(site.store)]
    for _ in range(5):
        rows = await asyncio.gather(*(way.submit("Ada", io.BytesIO(archive)) for way in ways))
        assert rows[0].submission_id == rows[1].submission_id
        assert len(stored_files(site.store)) == 1
        await refuse_submission(site.store, rows[0].submission_id, "no rule", "")
        for path in (site.store.submissions_folder / "packages").iterdir():
            path.unlink()


@pytest.mark.parametrize(
    ("archive", "sentence"),
    [
        (b"no archive", "archive"),
        (make_archive(more="build = 5\n"), "bot.toml"),
        (make_archive(more='pools = ["elsewhere"]\n'), "Unknown pool &#39;elsewhere&#39;"),
        (
            make_archive(more='pools = ["open"]\ngames = ["cheater"]\n'),
            "the pool plays cheat, and the bot only cheater",
        ),
        (make_archive(more=f"[x{'.x' * 3_000}]\n"), "at most 16 levels of tables and lists"),
        (make_archive(more=f"[resources]\nmemory_mb = 0x{'f' * 9_000}\n"), "at most 64 bits"),
        (make_archive(name="../x"), "../x"),
        (make_archive(ballast=bytes(3 * MEBIBYTE)), "2 MB"),
    ],
    ids=[
        "no archive",
        "bad manifest",
        "unknown pool",
        "pool of another game",
        "deep tables",
        "huge number",
        "bad name",
        "too much inside",
    ],
)
async def test_refused_package_is_refused_with_a_sentence_and_leaves_nothing(
    site: OwnerSite, archive: bytes, sentence: str
):
    answer = await site.upload(archive)

    assert answer.status_code == 422
    assert sentence in error_of(answer)
    assert LIST in answer.text
    assert stored_files(site.store) == []


async def test_owner_beyond_a_quota_is_told_which(site: OwnerSite):
    for version in ("1", "2"):
        await site.upload(make_archive(version))

    answer = await site.upload(make_archive("3"))

    assert answer.status_code == 429
    assert "has 2 submissions under way" in error_of(answer)


async def test_bot_of_another_owner_cannot_be_submitted(site: OwnerSite):
    await site.store.owners.register_bot("Bea", "counter")

    answer = await site.upload(make_archive())

    assert answer.status_code == 422
    assert await site.store.submissions.list_owned("Ada") == []


# ---- sizes


@pytest.mark.parametrize("size", [MEBIBYTE + 1, 3 * MEBIBYTE])
async def test_too_large_archive_is_refused_with_a_sentence(site: OwnerSite, size: int):
    answer = await site.upload(bytes(size))

    assert (answer.status_code, "at most 1 MB" in error_of(answer)) == (413, True)
    assert stored_files(site.store) == []


async def test_body_that_never_ends_is_read_up_to_a_limit(site: OwnerSite):
    """It says no length, and its archive has no end."""
    token, sent = await site.form_token(), 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal sent
        yield f'--b\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n{token}\r\n'.encode()
        yield b'--b\r\nContent-Disposition: form-data; name="archive"; filename="x"\r\n\r\n'
        while sent < 100 * MEBIBYTE:
            sent += 65_536
            yield bytes(65_536)

    headers = {**FROM_HERE, "Content-Type": "multipart/form-data; boundary=b"}
    answer = await site.client.post(LIST, content=body(), headers=headers)

    assert answer.status_code == 413
    assert sent < 3 * MEBIBYTE


async def test_only_this_form_may_be_large(site: OwnerSite):
    answer = await site.client.post("/login", content=bytes(MEBIBYTE), headers=FROM_HERE)

    assert answer.status_code == 413


def test_each_owner_has_one_upload_at_a_time():
    slots = UploadSlots(2)

    with slots.take("Ada"):
        with pytest.raises(RefusedError, match="another archive of yours"), slots.take("Ada"):
            pass
        with slots.take("Bea"), pytest.raises(RefusedError, match="2 archives are arriving"), slots.take("Cid"):
            pass
    with slots.take("Ada"):
        pass


# ---- forms that are refused


def part(name: str, value: bytes, more: str = "") -> bytes:
    """Return a part of a form."""
    return f'--b\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + value + b"\r\n"


FILE: Final = '; filename="x.tar.gz"'
FORMS: Final[dict[str, tuple[Callable[[bytes], bytes], int]]] = {
    "no token": (lambda _: part("archive", make_archive(), FILE), 403),
    "wrong token": (lambda _: part("form_token", b"x") + part("archive", make_archive(), FILE), 403),
    "token after the archive": (lambda t: part("archive", make_archive(), FILE) + part("form_token", t), 403),
    "no archive": (lambda t: part("form_token", t), 422),
    "empty archive": (lambda t: part("form_token", t) + part("archive", b"", FILE), 422),
    "two archives": (lambda t: part("form_token", t) + 2 * part("archive", make_archive(), FILE), 400),
    "another file": (lambda t: part("form_token", t) + part("other", make_archive(), FILE), 400),
    "large field": (lambda t: part("form_token", t) + part("note", b"x" * 5_000), 413),
    "large header": (lambda t: part("form_token", t) + part("archive", b"x", f'; x="{"y" * 70_000}"'), 400),
    "many headers": (lambda t: part("form_token", t, "\r\nX: y" * 5_000), 400),
    "many parts": (lambda t: part("form_token", t) * 200, 413),
    "no form": (lambda _: b"\x00" * 500, 400),
}


@pytest.mark.parametrize("what", FORMS)
async def test_hostile_form_is_refused_and_leaves_nothing(site: OwnerSite, what: str):
    make, status = FORMS[what]
    body = make((await site.form_token()).encode()) + b"--b--\r\n"

    headers = {**FROM_HERE, "Content-Type": "multipart/form-data; boundary=b"}
    answer = await site.client.post(LIST, content=body, headers=headers)

    assert answer.status_code == status
    check_inert(answer.text)
    assert stored_files(site.store) == []
    assert await site.store.submissions.list_owned("Ada") == []


async def test_form_that_ends_early_is_refused(site: OwnerSite):
    body = part("form_token", (await site.form_token()).encode()) + part("archive", make_archive(), FILE)

    headers = {**FROM_HERE, "Content-Type": "multipart/form-data; boundary=b"}
    answer = await site.client.post(LIST, content=body, headers=headers)

    assert (answer.status_code, "did not arrive whole" in answer.text) == (400, True)
    assert stored_files(site.store) == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({**FROM_HERE, "Sec-Fetch-Site": "cross-site"}, 403),
        ({**FROM_HERE, "Content-Type": "multipart/form-data"}, 415),
        ({**FROM_HERE, "Content-Type": "application/gzip"}, 415),
        ({**FROM_HERE, "Content-Type": f"multipart/form-data; boundary={'b' * 500}"}, 400),
    ],
)
async def test_form_of_another_site_or_kind_is_refused(site: OwnerSite, headers: dict[str, str], status: int):
    answer = await site.upload(make_archive(), headers)

    assert answer.status_code == status
    assert stored_files(site.store) == []


async def test_token_of_another_session_is_refused(site: OwnerSite):
    token = await site.form_token()
    await site.log_in("Bea")

    assert (await site.upload(make_archive(), form_token=token)).status_code == 403


# ---- who may see and change what


async def test_pages_need_a_login(site: OwnerSite):
    row = await add_submission(site.store, "1")
    site.client.cookies.clear()

    for path in (LIST, f"{LIST}.json", f"{LIST}/{row.submission_id}", f"{LIST}/{row.submission_id}.json"):
        answer = await site.client.get(path)
        assert (answer.status_code, answer.headers["cache-control"]) == (401, "no-store")
    assert 'href="/login"' in (await site.client.get(LIST)).text
    for answer in (await site.upload(make_archive()), await site.change(row.submission_id, "withdraw")):
        assert answer.status_code == 401
    assert await site.state_of(row.submission_id) == "queued"


@pytest.mark.parametrize("change", ["", "activate", "roll-back", "withdraw"])
async def test_submission_of_another_seems_not_to_exist(site: OwnerSite, change: str):
    """The same answer as for an id that nobody has."""
    row = await add_submission(site.store, "1", "fox", "Bea")
    await try_submission(site.store, row.submission_id)
    answers = []
    for identity in (row.submission_id, "01JZ9QK3T5V7X9B2D4F6H8M00Z"):
        answer = await (site.change(identity, change) if change else site.client.get(f"{LIST}/{identity}"))
        answers.append((answer.status_code, answer.text.replace(identity, "ID")))

    assert answers[0] == answers[1]
    assert answers[0][0] == 404
    assert await site.state_of(row.submission_id) == "active"
    assert (await site.client.get(f"{LIST}.json")).json()["submissions"] == []
    assert (await site.client.get(f"{LIST}.json?bot=fox")).status_code == 404


# ---- what the pages show


async def test_list_has_the_newest_first_page_by_page(site: OwnerSite):
    for number in range(25):
        await add_submission(site.store, str(number))

    first = (await site.client.get(f"{LIST}.json")).json()
    second = (await site.client.get(f"{LIST}.json?{first['next']}")).json()

    versions = [each["version"] for page in (first, second) for each in page["submissions"]]
    assert versions == [str(number) for number in reversed(range(25))]
    assert second["next"] is None
    assert {each["sentence"] for each in first["submissions"]} == {"it waits for its turn"}


async def test_refused_submission_says_why_with_the_log_of_the_step(site: OwnerSite):
    row = await add_submission(site.store, "1")
    await refuse_submission(site.store, row.submission_id, "the build failed with 2", "cc: no such file\n  line two\n")

    listed = (await site.client.get(LIST)).text
    shown = (await site.client.get(f"{LIST}/{row.submission_id}")).text

    assert "The build failed with 2." in listed
    assert "cc: no such file\n  line two\n</pre>" in shown
    assert "Building: failed" in shown
    assert "<button" not in shown, "nothing can be done with it any more"


@pytest.mark.parametrize(
    ("said", "shown"), [("no", "No."), ("please rest.", "Please rest."), ("did you mean cheat?", "Did you mean cheat?")]
)
async def test_sentence_on_a_page_ends_once(site: OwnerSite, said: str, shown: str):
    """An organizer ends a sentence or not, and a hint may be a question."""
    row = await add_submission(site.store, "1")
    await refuse_submission(site.store, row.submission_id, said, "")

    assert f">{shown}<" in (await site.client.get(LIST)).text


async def test_page_follows_a_pending_submission_and_leaves_a_final_one_alone(site: OwnerSite):
    row = await add_submission(site.store, "1")
    page = f"{LIST}/{row.submission_id}"
    pending = (await site.client.get(page)).text
    await try_submission(site.store, row.submission_id)
    final = (await site.client.get(page)).text

    refresh = '<noscript><meta http-equiv="refresh" content="3"></noscript>'
    assert (refresh in pending, "submission." in pending) == (True, True)
    assert ("http-equiv" in final, "submission." in final) == (False, False)


async def test_hostile_log_is_inert_and_bounded(site: OwnerSite):
    texts = "\n".join(HOSTILE_TEXTS.values())
    log = texts + "x\n" * 200_000 + texts
    row = await add_submission(site.store, "1")
    await refuse_submission(site.store, row.submission_id, texts, log)

    answer = await site.client.get(f"{LIST}/{row.submission_id}")

    assert answer.status_code == 200
    check_inert(answer.text)
    check_inert((await site.client.get(LIST)).text)
    assert len(answer.text) < 200_000
    (step,) = (await site.client.get(f"{LIST}/{row.submission_id}.json")).json()["steps"]
    assert "characters are left out]" in step["log"]
    assert all(line.isprintable() for line in step["log"].split("\n"))


async def test_page_shows_what_a_bot_writes_while_it_plays(site: OwnerSite):
    row = await add_submission(site.store, "1")
    await try_submission(site.store, row.submission_id)
    log = "\n".join(HOSTILE_TEXTS.values())
    note = RunNote(row.submission_id, "it ended 4 times", "it does not keep running", log)
    await site.store.submissions.note_runs([note])

    answer = await site.client.get(f"{LIST}/{row.submission_id}")

    check_inert(answer.text)
    assert "Active.</strong> It does not keep running." in answer.text
    assert "Running: runs" in answer.text
    assert "It ended 4 times." in answer.text
    step = (await site.client.get(f"{LIST}/{row.submission_id}.json")).json()["steps"][-1]
    assert step["step"] == "running"
    assert step["log"].isprintable() or all(line.isprintable() for line in step["log"].split("\n"))


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.014, "took less than a second."), (32.807, "took 33 s."), (254.2, "took 4 min.")]
)
async def test_page_rounds_how_long_a_step_took(site: OwnerSite, monkeypatch, seconds, told):
    submissions, began = site.store.submissions, 1_800_000_000.0
    row = await add_submission(site.store, "1")
    await submissions.move(row.submission_id, SubmissionState.QUEUED, SubmissionState.BUILDING)
    monkeypatch.setattr(submissions, "_now", lambda: began)
    await submissions.start_step(row.submission_id, SubmissionState.BUILDING)
    monkeypatch.setattr(submissions, "_now", lambda: began + seconds)
    await submissions.end_step(row.submission_id, SubmissionState.BUILDING, is_passed=True, sentence="", log="")

    answer = await site.client.get(f"{LIST}/{row.submission_id}")

    assert f">2027-01-15 08:00 UTC</time>, {told}" in answer.text


async def test_page_of_a_bot_says_which_version_the_server_runs_and_nothing_else(site: OwnerSite):
    first, second = await add_submission(site.store, "1.0"), await add_submission(site.store, "2.0-secret")
    await try_submission(site.store, first.submission_id, "a sentence for Ada", "a log for Ada")
    await refuse_submission(site.store, second.submission_id, "a sentence for Ada", "a log for Ada")
    site.client.cookies.clear()

    text = (await site.client.get("/bots/counter")).text
    view = (await site.client.get("/bots/counter.json")).json()

    assert "the server runs version <bdi>1.0</bdi>" in text
    assert view["submitted_version"] == "1.0"
    for hidden in ("for Ada", "secret", first.package, first.submission_id):
        assert hidden not in text
        assert hidden not in str(view)


# ---- versions


async def test_buttons_change_which_version_plays(site: OwnerSite):
    first, second = await add_submission(site.store, "1"), await add_submission(site.store, "2")
    for row in (first, second):
        await try_submission(site.store, row.submission_id)

    back = await site.change(second.submission_id, "roll-back")
    states = [await site.state_of(row.submission_id) for row in (first, second)]
    again = await site.change(second.submission_id, "activate")
    gone = await site.change(first.submission_id, "withdraw")

    assert (back.status_code, back.headers["location"]) == (303, f"{LIST}/{first.submission_id}")
    assert states == ["active", "inactive"]
    assert (again.status_code, gone.status_code) == (303, 303)
    assert [await site.state_of(row.submission_id) for row in (first, second)] == ["withdrawn", "active"]


async def test_page_offers_what_can_be_done(site: OwnerSite):
    rows = [await add_submission(site.store, version) for version in ("1", "2", "3", "4")]
    for row in rows[:2]:
        await try_submission(site.store, row.submission_id)
    await refuse_submission(site.store, rows[2].submission_id, "no", "no")

    views = [(await site.client.get(f"{LIST}/{row.submission_id}.json")).json() for row in rows]

    assert [view["changes"] for view in views] == [
        ["activate", "withdraw"],
        ["roll-back", "withdraw"],
        [],
        ["withdraw"],
    ]


@pytest.mark.parametrize("change", ["activate", "roll-back", "withdraw", "explode"])
async def test_button_of_an_old_page_is_refused_with_a_sentence(site: OwnerSite, change: str):
    row = await add_submission(site.store, "1")
    await refuse_submission(site.store, row.submission_id, "no", "no")
    same = await add_submission(site.store, "1")  # the version was repaired and submitted again

    answer = await site.change(row.submission_id, change)

    assert answer.status_code == (404 if change == "explode" else 409)
    assert change == "explode" or "of &#39;counter&#39; is now refused" in error_of(answer)
    assert await site.state_of(same.submission_id) == "queued"


async def test_roll_back_without_an_earlier_version_says_so(site: OwnerSite):
    row = await add_submission(site.store, "1")
    await try_submission(site.store, row.submission_id)

    answer = await site.change(row.submission_id, "roll-back")

    assert (answer.status_code, "was active before" in error_of(answer)) == (409, True)


async def test_change_needs_the_token_of_the_form(site: OwnerSite):
    row = await add_submission(site.store, "1")

    path = f"{LIST}/{row.submission_id}/withdraw"
    without = await site.client.post(path, data={"sure": "on"}, headers=FROM_HERE)
    elsewhere = await site.client.post(
        path, data={"form_token": await site.form_token()}, headers={"Origin": "https://evil.example"}
    )

    assert (without.status_code, elsewhere.status_code) == (403, 403)
    assert await site.state_of(row.submission_id) == "queued"


# ---- what the server says of itself


@pytest.mark.parametrize(
    ("is_running", "sentence"), [(True, str(SubmissionsOffError())), (False, "no server uses this data folder now")]
)
async def test_without_a_server_that_takes_submissions_the_form_is_not_there(tmp_path, is_running: bool, sentence: str):
    async with open_sources(tmp_path / "data", is_running=is_running, find_intake=lambda: None) as sources:
        await add_owners(sources.store)
        row = await add_submission(sources.store, "1")
        async with open_client(sources) as client:
            site = OwnerSite(client, sources)
            await site.log_in("Ada")
            view = (await client.get(f"{LIST}.json")).json()
            pages = [(await client.get(path)).text for path in (LIST, f"{LIST}/{row.submission_id}")]
            answers = [await site.upload(make_archive()), await site.change(row.submission_id, "withdraw")]

    assert sentence in view["why_closed"]
    assert (view["archive_bytes"], len(view["submissions"])) == (None, 1)
    assert all("<form" not in page and sentence[1:40] in page for page in pages)
    assert [answer.status_code for answer in answers] == [409, 409]
    assert all(sentence[1:40] in error_of(answer) for answer in answers)


async def test_intake_follows_the_server_that_uses_the_folder(tmp_path):
    """Its limits are those of the server that holds the folder now; the note of a dead one counts nothing."""
    larger = IntakeOffer(replace(SETTINGS, archive_mb=7), {})
    async with await open_store(tmp_path) as store:
        found = ServerIntake(store)
        assert found.find() is None
        for offer in (OFFER, larger):
            with acquire_folder_lock(tmp_path) as held:
                held.write_lock_info("127.0.0.1:1", submissions=to_plain(offer))
                intake = found.find()
                assert intake is not None
                assert intake.archive_bytes == offer.settings.archive_mb * MEBIBYTE
                assert found.find() is intake, "it knows which uploads are under way"
                note = (tmp_path / "arena.lock.json").read_text()
            (tmp_path / "arena.lock.json").write_text(note)
            assert found.find() is None


@pytest.mark.parametrize("note", [None, {}, [], "on", {"settings": {"archive_mb": "many"}, "pools": []}])
async def test_note_without_an_offer_means_that_nothing_is_taken(tmp_path, note: Any):
    async with await open_store(tmp_path) as store:
        with acquire_folder_lock(tmp_path) as held:
            held.write_lock_info("127.0.0.1:1", submissions=note)

            assert ServerIntake(store).find() is None


async def test_package_that_is_withdrawn_while_it_is_submitted_again_is_kept(site: OwnerSite):
    """By two processes: both use the same file, and it is there in the end."""
    for round_ in range(5):
        first, again = make_archive(f"1.{round_}", "one"), make_archive(f"1.{round_}", "one")
        row = (await site.upload(first)).headers["location"].rpartition("/")[2]
        other = intake_of(site.store)
        answer, _ = await asyncio.gather(
            site.change(row, "withdraw"), other.submit("Ada", io.BytesIO(again)), return_exceptions=True
        )
        assert not isinstance(answer, BaseException)
        needed = [
            each.package
            for each in await site.store.submissions.list_owned("Ada")
            if each.state not in (SubmissionState.WITHDRAWN, SubmissionState.REFUSED)
        ]
        kept = {path.removeprefix("packages/").partition(".")[0] for path in stored_files(site.store)}
        assert {*needed} <= kept

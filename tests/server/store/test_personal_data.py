"""What the store has of an owner is found everywhere, renamed in one step, and forgotten but for what is sealed."""

import dataclasses
import json
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Column, insert, select

from arena.competition.league.ports import LeagueRow
from arena.errors import BannedError, OptionError, UnknownNameError
from arena.server.store import pool_tables
from arena.server.store.account_values import BotProfile
from arena.server.store.open_store import Store
from arena.server.store.personal_data import OWNER_COLUMNS, SealedTraces, is_pseudonym, make_pseudonym
from arena.server.store.tables import METADATA, SUBMISSION_STEPS, SUBMISSIONS, UPLOADS

PSEUDONYM = make_pseudonym(lambda count: bytes(range(count)))
SUBMISSION = {
    "submission_id": "01JZ8QK3T5V7X9B2D4F6H8M0S1",
    "bot": "counter",
    "owner": "ann",
    "version": "1",
    "package": "ab" * 32,
    "archive": "cd" * 32,
    "byte_count": 7,
    "pools": ["standard"],
    "state": "active",
    "sentence": "ann's bot plays",
    "refused_step": "",
    "created_at": 1.0,
    "changed_at": 2.0,
    "activated_at": 2.0,
}
STEP = {"step": "building", "started_at": 1.0, "sentence": "built for ann", "log": "/home/ann/bot", "is_passed": True}
UPLOAD = {"upload_id": "01U", "owner": "ann", "bot": "counter", "sha256": "00", "byte_count": 1, "created_at": 1.0}


@pytest.fixture
async def full(people: Store, match_row) -> Store:
    """Ann in every place: with a bot that has played, one that has not, and a league that names her."""
    await people.owners.create_bot("ann", "ann-the-second")
    await people.tokens.create("ann", ["own"], owner="ann")
    await people.profiles.change("ann", "counter", BotProfile("by Ann of Zürich"))
    await people.invitations.create("ann", 1, timedelta(days=1))
    await people.logins.redeem_code((await people.logins.create_code("ann"))[0])
    await people.bans.ban("ann", "rude")
    await people.bans.lift("ann")
    await people.results.add_match(match_row())
    await people.leagues.add_league(LeagueRow("cup", "L" * 26, 0.0, 'entrants = ["counter"]', {}))
    await people.leagues.add_league(LeagueRow("other", "M" * 26, 0.0, 'entrants = ["encounter"]', {}))
    inputs = {"seekers": [{"bot": "counter", "owner": "ann"}, {"bot": "x", "owner": "bob"}], "house": []}
    await people.database.write(lambda connection: add_rows(connection, inputs))
    return people


def add_rows(connection, inputs) -> None:
    connection.execute(insert(SUBMISSIONS).values(SUBMISSION))
    connection.execute(insert(SUBMISSION_STEPS).values(**STEP, submission_id=SUBMISSION["submission_id"]))
    connection.execute(insert(UPLOADS).values(UPLOAD))
    connection.execute(insert(pool_tables.POOL_ROUNDS).values(round_id="R", pool="p", at=0.0, inputs=inputs))
    match = {"match_id": "01JZ8QK3T5V7X9B2D4F6H8M0NP", "pool": "p", "season": 1, "round_id": "R", "at": 0.0}
    connection.execute(insert(pool_tables.POOL_MATCHES).values(**match, rated=True, reason={}))
    seat = {"entrant": 0, "bot": "counter", "version": "1", "owner": "ann", "instance": "i", "rating": 0.0}
    seat |= {"spread": 1.0, "waited_s": 0.0, "is_house": False, "match_id": match["match_id"]}
    connection.execute(insert(pool_tables.POOL_SEATS).values(seat))


async def dump(store: Store) -> dict[str, list[Any]]:
    def read(connection):
        return {
            table.name: [dict(row._mapping) for row in connection.execute(select(table))]
            for table in METADATA.tables.values()
        }

    return await store.database.read(read)


def where_named(rows: dict[str, list[Any]], name: str) -> set[str]:
    """Return the tables in which a name stands as a whole text, or within one of several words."""
    return {table for table, found in rows.items() for row in found if f'"{name}"' in json.dumps(row, default=str)}


def test_every_column_with_an_owner_is_known():
    """One that is added later belongs there too, or its rows would be neither exported nor forgotten."""
    columns: set[Column[Any]] = {
        column for table in METADATA.tables.values() for column in table.columns if column.name in ("owner", "used_by")
    }
    assert set(OWNER_COLUMNS) == columns


async def test_export_has_every_row_and_no_secret(full: Store):
    exported = await full.personal.export("ann")

    for table in ("owner", "bot", "token", "invitation", "web_session", "owner_ban", "submission", "submission_step",
                  "upload", "pool_seat", "match"):  # fmt: skip
        assert exported[table], table
    assert exported["named_in_leagues"] == ["cup"]
    assert exported["submission_step"][0]["log"] == "/home/ann/bot"
    assert "by Ann of Zürich" in [bot["profile"].get("text") for bot in exported["bot"]]
    text = json.dumps(exported)
    assert "_hash" not in text
    assert '"bob"' not in text


async def test_renamed_owner_is_renamed_everywhere(full: Store):
    secret = await full.tokens.create("ann", ["own"], owner="ann")

    traces = await full.personal.rename("ann", "anna")

    assert where_named(await dump(full), "ann") == set()
    assert traces == SealedTraces(1, ("counter",), ("cup",))
    identity = await full.tokens.check(secret)
    assert (identity.name, identity.owner) == ("anna", "anna"), "the token stays valid"
    assert [bot.name for bot in (await full.owners.get("anna")).bots] == ["ann-the-second", "counter"]
    assert await full.personal.rename("anna", "anna") == traces, "it may be repeated"


@pytest.mark.parametrize("new", ["bob", "B0b", "", "a/b", "house-x", "ann\n", "c\u043eunter", "x" * 33, "cat_x"])
async def test_name_that_nobody_may_take_is_refused(full: Store, new):
    before = await dump(full)

    with pytest.raises(OptionError):
        await full.personal.rename("ann", new)

    assert await dump(full) == before


@pytest.mark.parametrize("owner", ["nobody", "", "%", "ann' OR 1=1 --"])
async def test_unknown_owner_is_refused(full: Store, owner):
    for act in (full.personal.export(owner), full.personal.rename(owner, "new"), full.personal.shut_out(owner),
                full.personal.forget(owner, PSEUDONYM)):  # fmt: skip
        with pytest.raises(UnknownNameError):
            await act


async def test_forgotten_owner_is_left_only_where_it_is_sealed(full: Store):
    secret = await full.tokens.create("ann", ["own"], owner="ann")

    files = await full.personal.shut_out("ann")
    name, traces = await full.personal.forget("ann", PSEUDONYM)

    rows = await dump(full)
    assert (files.uploads, files.packages) == (("01U",), (SUBMISSION["package"],))
    assert (name, traces) == (PSEUDONYM, SealedTraces(1, ("counter",), ("cup",)))
    assert where_named(rows, "ann") == where_named(rows, "ann-the-second") == set()
    assert "/home/ann" not in json.dumps(rows, default=str)
    assert "Ann of" not in json.dumps(rows, default=str, ensure_ascii=False)
    assert "ann@example.org" not in json.dumps(rows, default=str)
    assert [row["state"] for row in rows["submission"]] == ["withdrawn"]
    assert all(row["revoked_at"] for row in rows["token"] if row["owner"] == PSEUDONYM)
    assert [row["name"] for row in rows["bot"]] == ["counter"], "its games bear its name, which stays taken"
    assert secret


async def test_forgetting_goes_on_where_it_was_interrupted_and_changes_nothing_twice(full: Store):
    await full.personal.shut_out("ann")

    assert (await full.personal.shut_out("ann")).uploads == ("01U",)
    await full.personal.forget("ann", PSEUDONYM)
    before = await dump(full)
    await full.personal.shut_out(PSEUDONYM)
    assert (await full.personal.forget(PSEUDONYM, make_pseudonym(bytes)))[0] == PSEUDONYM

    assert await dump(full) == before


async def test_banned_owner_is_not_forgotten(full: Store):
    """Or the name would be free, and the owner could join again."""
    await full.bans.ban("ann", "plays with two accounts")

    with pytest.raises(BannedError):
        await full.personal.shut_out("ann")


@pytest.mark.parametrize(("name", "is_one"), [(PSEUDONYM, True), ("forgotten-x", False), ("ann", False)])
def test_pseudonym_is_told_from_a_name(name, is_one):
    assert is_pseudonym(name) is is_one


async def test_bot_with_the_owners_name_is_not_taken_for_the_owner(people: Store, match_row):
    made = await people.owners.create_bot("ann", "ann")
    row = match_row()
    await people.results.add_match(dataclasses.replace(row, entrants=("ann", "bob")))

    traces = await people.personal.rename("ann", "anna")

    identity = await people.tokens.check(made.secret)
    assert (identity.name, identity.owner, traces.bots) == ("ann", "anna", ("ann",))

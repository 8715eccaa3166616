"""A play-off: one more round for entrants that the league could not separate."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from arena.league.field import Entry, Field
from arena.league.formats import Format, Gauntlet, Ladder, RoundRobin, Season, Swiss, WithPlayOff
from arena.league.model import Block, BlockResult, Entrant
from arena.league.standings import compute_standings
from tests.support.leagues import (
    SEED,
    blocks_of,
    by_luck,
    count_games,
    count_seatings,
    field,
    places_from_order,
    play_blocks,
    play_league,
    spread,
    tables_of,
    with_last_round,
)


def with_play_off(inner: Format, count: int = 8, by_rating: bool = False) -> WithPlayOff:
    return WithPlayOff(inner, count, by_rating, tables=4)


def ahead(*best: str):
    """Return a model in which these are ahead of all others, and chance decides among themselves."""

    def how(table: Sequence[str], block: Block) -> tuple[int, ...]:
        lucky = [name for _, name in sorted(zip(by_luck(table, block), table, strict=True))]
        return places_from_order(table, sorted(lucky, key=lambda name: name not in best))

    return how


def play_off_in(results: Sequence[BlockResult]) -> list[Block]:
    return [block for block in blocks_of(results) if block.label == "play-off"]


@pytest.mark.parametrize("inner", [Season(60), RoundRobin(), Gauntlet("b00", 40), Swiss(5), Ladder(2)], ids=repr)
def test_inseparable_entrants_play_one_more_round(inner):
    entries = field(8, 4)

    results = play_league(with_play_off(inner), entries, ahead("b01", "b02"))

    regular = [result for result in results if result.block.label != "play-off"]
    assert regular == play_league(inner, entries, ahead("b01", "b02"))
    blocks = play_off_in(results)
    assert len(blocks) == 8
    assert {block.round for block in blocks} == {regular[-1].block.round + 1}
    assert blocks[0].number == regular[-1].block.number + 1


def test_clear_leader_needs_no_play_off():
    assert not play_off_in(play_league(with_play_off(Season(60)), field(8, 4), ahead("b03")))


def test_two_at_tables_of_four_meet_in_every_game_and_the_others_take_turns():
    entries = field(8, 4)

    blocks = play_off_in(play_league(with_play_off(Season(80), 12), entries, ahead("b01", "b02")))

    assert all({"b01", "b02"} <= set(table) for table in tables_of(blocks))
    assert spread(count_seatings(blocks, ["b01", "b02"])) <= 1
    assert set(count_games(blocks, [name for name in entries.names() if name not in ("b01", "b02")])) == {4}


def test_full_table_plays_alone_each_in_each_seat():
    four = ["b00", "b02", "b04", "b06"]

    blocks = play_off_in(play_league(with_play_off(Season(80), 8), field(8, 4), ahead(*four)))

    assert {frozenset(table) for table in tables_of(blocks)} == {frozenset(four)}
    assert set(count_seatings(blocks, four).values()) == {2}


def test_more_than_a_table_play_a_season_among_themselves():
    form, entries = with_play_off(Season(30), 20), field(16, 4)
    regular = play_league(Season(30), entries)
    level = form.contenders(entries, regular)

    blocks = form.draw_round(regular[-1].block.round + 1, entries, regular)

    assert len(level) >= 8
    assert {len(block.tables) for block in blocks} == {len(level) // 4}
    assert {name for block in blocks for name in block.names} == set(level)
    assert spread(count_games(blocks, level)) <= 1


def test_play_off_names_the_champion_and_keeps_the_table():
    """An entrant that only fills its tables cannot win it, though it wins the games."""
    entries, filler = field(8, 4), ahead("b07", "b02")
    form = with_play_off(Season(80))
    regular = play_league(Season(80), entries, ahead("b01", "b02"))
    play_off = play_blocks(form.draw_round(regular[-1].block.round + 1, entries, regular), filler)

    table = compute_standings(
        entries.names(), [*regular, *play_off], seed=SEED, contenders=form.contenders(entries, regular)
    )

    assert table.rows == compute_standings(entries.names(), regular, seed=SEED).rows
    assert table.champion is not None
    assert (table.champion.name, table.champion.by) == ("b02", "play-off")
    assert set(table.champion.contenders) == {"b01", "b02"}


def test_ratings_can_decide_who_plays_it():
    entries = field(8, 4)
    results = play_league(Season(80), entries, ahead("b01", "b02"))

    by_rating = with_play_off(Season(80), by_rating=True)

    assert set(by_rating.contenders(entries, results)) == {"b01", "b02"}


def with_leaver(entries: Field, name: str, number: int, is_barred: bool = False) -> Field:
    """Return the same field with an entrant that leaves after this round."""
    gone = with_last_round(entries, name, number)
    barred = (replace(each, barred=number) if is_barred and each.name == name else each for each in gone.entries)
    return replace(gone, entries=tuple(barred))


LEVEL = ("b01", "b02", "b03")


def test_withdrawn_entrant_does_not_play_it():
    form, entries = with_play_off(Season(80)), field(9, 4)
    results = play_league(Season(80), entries, ahead(*LEVEL))
    last = results[-1].block.round

    assert set(form.contenders(with_leaver(entries, "b01", last), results)) == {"b02", "b03"}
    assert set(form.contenders(with_leaver(entries, "b01", last, is_barred=True), results)) == {"b02", "b03"}
    both = with_leaver(with_leaver(entries, "b01", last), "b02", last)
    assert form.contenders(both, results) == ()
    assert form.draw_round(last + 1, both, results) == ()


@pytest.mark.parametrize("is_barred", [False, True])
def test_entrant_that_withdraws_during_it_keeps_its_seats(is_barred):
    form, entries = with_play_off(Season(80)), field(9, 4)
    results = play_league(form, entries, ahead(*LEVEL))
    play_off = play_off_in(results)

    later = with_leaver(entries, "b01", play_off[0].round, is_barred)

    assert list(form.draw_round(play_off[0].round, later, results)) == play_off


def test_too_few_entrants_for_a_table_have_no_play_off():
    form, entries = with_play_off(Season(20)), field(4, 4)
    results = play_league(Season(20), entries)
    last = results[-1].block.round

    assert form.draw_round(last + 1, entries, results)
    assert form.draw_round(last + 1, with_leaver(entries, "b00", last), results) == ()


@pytest.mark.parametrize("inner", [Season(30), Swiss(3), Ladder(4), Gauntlet("b00", 30)], ids=repr)
def test_play_off_takes_no_late_entrants(inner):
    form, entries = with_play_off(inner), field(9, 3)
    last = blocks_of(play_league(inner, entries))[-1].round

    assert form.why_cannot_join(entries, Entry(Entrant("late"), last)) is None
    assert form.why_cannot_join(entries, Entry(Entrant("late"), last + 1)) is not None


def test_play_off_waits_for_all_earlier_rounds():
    season, swiss, entries = with_play_off(Season(30)), with_play_off(Swiss(3)), field(9, 3)
    last = blocks_of(play_league(Season(30), entries))[-1].round

    assert [season.depends_on_results(number, entries) for number in (1, last, last + 1)] == [False, False, True]
    assert [swiss.depends_on_results(number, entries) for number in (1, 3, 4)] == [True, True, True]


@pytest.mark.parametrize("inner", [Season(31), Swiss(3)], ids=repr)
def test_redrawn_from_all_results_it_is_the_same(inner):
    form, entries = with_play_off(inner), field(9, 3)
    results = play_league(form, entries)

    again = [block for number in range(1, 101) for block in form.draw_round(number, entries, results)]

    assert play_off_in(results)
    assert again == blocks_of(results)


def test_its_size_is_reported_separately():
    size = with_play_off(Season(60), 12).size(field(8, 4))

    assert (size.games, size.play_off) == (60, 12)


def test_play_off_without_games_is_refused():
    assert [fault.field for fault in with_play_off(Season(60), 0).why_not_playable(field(8, 4))] == ["play_off"]

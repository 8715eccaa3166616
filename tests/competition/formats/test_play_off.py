"""A play-off: one more round for entrants that the league could not separate."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from arena.competition.formats import Format, Gauntlet, Ladder, RoundRobin, Season, Swiss, WithPlayOff
from arena.competition.league.field import Entry, Field
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import Block, BlockResult, Entrant
from arena.competition.league.standings import compute_standings
from arena.competition.league.standings_inputs import PlayOffTerms
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


def ahead(*best: str) -> Callable[[Sequence[str], Block], tuple[int, ...]]:
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
        entries.names(), [*regular, *play_off], seed=SEED, play_off=PlayOffTerms(form.contenders(entries, regular))
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


# ---- rounds of a play-off


def in_rounds(inner: Format, games: int = 40, rounds: int = 5, by_rating: bool = False) -> WithPlayOff:
    return WithPlayOff(inner, games, by_rating, tables=4, rounds=rounds)


def once_ahead(best: Sequence[str], then: Sequence[str]):
    """Return a model in which `best` are ahead of all others in the league, and `then` in the play-off."""

    def how(table: Sequence[str], block: Block) -> tuple[int, ...]:
        return ahead(*(then if block.label == "play-off" else best))(table, block)

    return how


def contenders_of(form: WithPlayOff, entries: Field, results: Sequence[BlockResult]) -> tuple[str, ...]:
    return form.contenders(entries, [result for result in results if result.block.label != "play-off"])


def champion_of(form: WithPlayOff, entries: Field, results: Sequence[BlockResult]):
    regular = [result for result in results if result.block.label != "play-off"]
    champion = compute_standings(
        entries.names(), results, seed=SEED, play_off=form.play_off_terms(entries, regular)
    ).champion
    assert champion is not None
    return champion


def test_it_stops_when_one_leads():
    form, entries = in_rounds(Season(80)), field(8, 4)
    results = play_league(form, entries, once_ahead(("b01", "b02"), ("b02",)))
    champion = champion_of(form, entries, results)

    assert len(play_off_in(results)) < 40
    assert len(play_off_in(results)) % 8 == 0
    assert (champion.name, champion.by, champion.remaining) == ("b02", "play-off", ("b02",))
    assert set(champion.contenders) == {"b01", "b02"}
    assert champion.certainty is not None
    assert champion.certainty > 0.9, "the league did not show that b02 is better"


def test_it_ends_with_its_last_round_if_nobody_leads():
    """By chance one of the two could lead early: so they take turns."""
    form, entries = in_rounds(Season(80)), field(8, 4)

    def how(table: Sequence[str], block: Block) -> tuple[int, ...]:
        order = list(dict.fromkeys(name for name in (*sorted(("b01", "b02"), reverse=block.number % 2 == 0), *table)))
        return places_from_order(table, [name for name in order if name in table])

    results = play_league(form, entries, how)
    champion = champion_of(form, entries, results)

    assert len(play_off_in(results)) == 40
    assert len({block.round for block in play_off_in(results)}) == 5
    assert set(champion.remaining) == {"b01", "b02"}
    assert champion.certainty == pytest.approx(0.5, abs=0.4)


def test_those_clearly_behind_drop_out_and_the_others_play_on():
    form, entries = in_rounds(Season(80), 80), field(8, 4)
    results = play_league(form, entries, once_ahead(LEVEL, ("b01", "b02")))
    blocks = play_off_in(results)
    last = [block for block in blocks if block.round == blocks[-1].round]

    assert set(contenders_of(form, entries, results)) == set(LEVEL)
    assert "b03" not in champion_of(form, entries, results).remaining
    assert all({"b01", "b02"} <= set(table) for table in tables_of(last))
    assert not all("b03" in table for table in tables_of(last))


@pytest.mark.slow
@pytest.mark.parametrize("by_rating", [False, True])
def test_in_rounds_redrawn_from_all_results_it_is_the_same(by_rating):
    form, entries = in_rounds(Season(60), by_rating=by_rating), field(8, 4)
    results = play_league(form, entries, ahead("b01", "b02", "b03"))

    again = [block for number in range(1, 40) for block in form.draw_round(number, entries, list(reversed(results)))]

    assert play_off_in(results)
    assert again == blocks_of(results)


def test_games_of_the_league_count_too():
    """One round decides little. Together with the league, in which b02 had a small lead, it does not turn the order."""
    form, entries = in_rounds(Season(200), 8, 1), field(8, 4)

    def how(table: Sequence[str], block: Block) -> tuple[int, ...]:
        first = ["b02", "b01"] if block.number % 7 else ["b01", "b02"]
        order = [*(name for name in first if name in table), *(name for name in sorted(table) if name not in first)]
        return places_from_order(table, order)

    results = play_league(form, entries, how)
    if play_off_in(results):
        assert champion_of(form, entries, results).name == "b02"


def test_two_entrants_only():
    form, entries = in_rounds(Season(40)), field(2, 2)
    results = play_league(form, entries, once_ahead((), ("b01",)))

    assert play_off_in(results)
    assert champion_of(form, entries, results).name == "b01"
    assert len(play_off_in(results)) < 40


def first_round_of_play_off(form: WithPlayOff, entries: Field, how=by_luck) -> tuple[set[str], list[Block]]:
    """Return the contenders, and the blocks of the first round that they play on."""
    results = play_league(form, entries, how)
    blocks = play_off_in(results)
    return set(contenders_of(form, entries, results)), [each for each in blocks if each.round == blocks[0].round]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_contenders_take_turns_at_tables_with_one_seat_for_the_others(seats):
    """As many contenders as a table has seats, or four: all of them play about equally often, and so do the others."""
    form, entries = in_rounds(Season(60)), field(9, seats)

    contenders, blocks = first_round_of_play_off(form, entries)

    assert len(contenders) == max(4, seats)
    assert all(len(contenders & set(table)) == seats - 1 for table in tables_of(blocks))
    assert all(len(block.tables) == 1 for block in blocks)
    assert spread(count_games(blocks, contenders)) <= 1
    assert spread(count_games(blocks, set(entries.names()) - contenders)) <= 1


def test_contenders_that_are_the_whole_field_fill_their_tables():
    contenders, blocks = first_round_of_play_off(in_rounds(Season(60)), field(4, 4))

    assert blocks
    assert all(contenders <= set(table) for table in tables_of(blocks))


def test_under_the_old_judgement_contenders_play_on_among_themselves():
    form, entries = in_rounds(Season(60)), replace(field(8, 2), judgement=Judgement.OLD)

    contenders, blocks = first_round_of_play_off(form, entries)

    assert len(contenders) == 4
    assert {name for block in blocks for name in block.names} == contenders


def test_play_off_that_contradicts_the_league_is_less_certain():
    """Two bots that were equal in the league, of which one then wins every game: it is champion, and it has changed."""
    form, entries = in_rounds(Season(80)), field(8, 4)
    results = play_league(form, entries, once_ahead(("b01", "b02"), ("b02",)))
    old = replace(entries, judgement=Judgement.OLD)

    now, before = (champion_of(form, each, results) for each in (entries, old))

    assert (now.name, before.name) == ("b02", "b02")
    assert now.certainty is not None
    assert before.certainty is not None
    assert now.certainty < before.certainty


def test_scores_all_alike_are_played_to_the_end():
    form, entries = in_rounds(Season(40)), field(8, 4)

    results = play_league(form, entries, lambda table, block: (1,) * len(table))
    champion = champion_of(form, entries, results)

    assert len(tables_of(play_off_in(results))) == 40
    assert len(champion.remaining) == 4, "a table has four seats"
    assert champion.certainty == pytest.approx(1 / 4, abs=0.01)


def test_two_hundred_entrants_in_a_hundred_games():
    form, entries = in_rounds(Season(100), 25, 3), field(200, 4)
    results = play_league(form, entries)

    table = compute_standings(entries.names(), [each for each in results if not each.block.label], seed=SEED)
    assert contenders_of(form, entries, results) == tuple(row.name for row in table.rows[:4])
    assert len(tables_of(play_off_in(results))) == 25
    assert champion_of(form, entries, results).by == "play-off"


def test_bot_that_always_forfeits_does_not_win_the_play_off():
    form, entries = in_rounds(Season(80)), field(8, 4)

    def how(table: Sequence[str], block: Block) -> tuple[int, ...]:
        return (
            ahead(*(name for name in table if name != "b01"))(table, block)
            if block.label
            else ahead("b01", "b02")(table, block)
        )

    champion = champion_of(form, entries, play_league(form, entries, how))

    assert (champion.name, champion.remaining) == ("b02", ("b02",))


def test_clear_leader_that_was_withdrawn_leaves_the_play_off_to_the_others():
    """In a league with the old judgement it is still the champion, so there is none."""
    form, entries = in_rounds(Season(80)), field(9, 4)

    def how(table: Sequence[str], block: Block) -> tuple[int, ...]:
        places = ahead(*LEVEL)(table, block)
        order = sorted(table, key=lambda name: (name != "b08", places[table.index(name)]))
        return places_from_order(table, order)

    results = play_league(Season(80), entries, how)
    gone = with_leaver(entries, "b08", results[-1].block.round - 1)

    assert form.contenders(entries, results) == ()
    assert set(form.contenders(gone, results)) == set(LEVEL)
    assert form.contenders(replace(gone, judgement=Judgement.OLD), results) == ()


@pytest.mark.parametrize("is_barred", [True, False], ids=["disqualified", "withdrawn"])
def test_leader_that_leaves_during_it_leaves_the_title_to_the_next(is_barred):
    form, entries = in_rounds(Season(80)), field(9, 4)
    results = play_league(form, entries, ahead(*LEVEL))
    first = play_off_in(results)[0].round
    so_far = [result for result in results if result.block.round <= first]
    leader = champion_of(form, entries, so_far).name

    gone = with_leaver(entries, leader, first, is_barred=is_barred)
    blocks = form.draw_round(first + 1, gone, so_far)
    champion = compute_standings(
        entries.names(),
        so_far,
        seed=SEED,
        play_off=PlayOffTerms(contenders_of(form, entries, so_far), form.rounds),
        departed=gone.find_departed(first + 1),
    ).champion

    assert leader not in {name for block in blocks for name in block.names}
    assert champion is not None
    assert champion.name in LEVEL
    assert champion.name != leader

"""A comparison as people and machines read it."""

from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from xmlschema import XMLSchema

from arena.cli.compare.answer import EXIT_CODES, finding_as_dict, sentence_of
from arena.cli.compare.figures import figure_lines, loss_lines
from arena.cli.compare.output_files import junit_xml, markdown_text
from arena.cli.compare.progress import draw_scale, fill_lines, progress_line
from arena.cli.exit_codes import ExitCode
from arena.competition.compare.comparison_result import (
    ComparisonProgress,
    ComparisonResult,
    PlayedGames,
    ResultCode,
    RoleConduct,
)
from arena.competition.compare.estimate import Estimate
from arena.competition.compare.lanes import Lanes
from arena.competition.compare.scores import CostlyGame
from arena.competition.compare.sequential import ComparisonMode, ComparisonQuestion, ScoreSummary
from arena.competition.compare.trend import Trend
from arena.match.referee.game_lengths import GameLengths

LANES = Lanes(("baseline", "honest", "counter"), b"seed")
DATA = Path("arena-data")
BETTER = ComparisonResult(
    ResultCode.BETTER,
    games=640,
    seconds=250.0,
    evidence=ScoreSummary(80, 0.22, 0.25),
    estimate=Estimate(0.21, 0.08, 0.34),
    candidate=RoleConduct(90_000, {"late": 3, "illegal": 0, "missing": 0, "gone": 0}),
    baseline=RoleConduct(180_000, {"late": 0, "illegal": 0, "missing": 0, "gone": 0}),
    voids=1,
    losses=(CostlyGame("01ABC", 2, 3.0, "01ABD"),),
    first_look_games=96,
)
OPEN = replace(BETTER, code=ResultCode.UNDECIDED)
TOO_FEW = replace(
    OPEN, games=64, seconds=600.0, evidence=ScoreSummary(8, 0.12, 0.25), estimate=Estimate(0.12, -0.2, 0.5)
)
ROUGH = replace(TOO_FEW, code=ResultCode.ROUGH, games=88, seconds=30.0, first_look_games=0)
AT = 1_763_800_000.25
"""Seconds since 1970."""
SCHEMA = XMLSchema(Path(__file__).with_name("junit.xsd"))
ENDED = "bot07 ended with exit code 1"
FAILED = ComparisonResult(ResultCode.CRASHED, 8, 3.0, reason=f"candidate: {ENDED}")


def test_answer_is_one_sentence():
    assert sentence_of(BETTER) == "better by 0.21 places a game, 0.08 to 0.34, after 640 games, 4 min"


@pytest.mark.parametrize(
    ("finding", "sentence"),
    [
        (
            replace(BETTER, code=ResultCode.WORSE, estimate=Estimate(-0.3, -0.4, -0.1)),
            "worse by 0.30 places a game, 0.10 to 0.40, after 640 games",
        ),
        (
            replace(BETTER, code=ResultCode.NOT_BETTER),
            "not better: +0.21 places a game, +0.08 to +0.34, after 640 games",
        ),
        (replace(BETTER, code=ResultCode.NOT_WORSE), "not worse: "),
        (replace(BETTER, code=ResultCode.UNDECIDED), "undecided: "),
        (
            replace(BETTER, code=ResultCode.SAME, estimate=Estimate(0.02, -0.1, 0.1)),
            "the same: +0.02 places a game, -0.10",
        ),
        (replace(BETTER, code=ResultCode.DIFFERENT), "different: +0.21 places a game, +0.08 to +0.34, after 640 games"),
        (replace(BETTER, code=ResultCode.FAULTS), "faults: 0.00% of the candidate's 90003 decisions"),
        (replace(BETTER, code=ResultCode.UNSTEADY, reason="the machine took time"), "unsteady: the machine took time"),
        (FAILED, "candidate crashed again and again, after 8 games, 3 s: bot07 ended with exit code 1"),
    ],
    ids=lambda value: value.code if isinstance(value, ComparisonResult) else "",
)
def test_each_answer_has_its_wording(finding, sentence):
    assert sentence_of(finding).startswith(sentence)


def test_every_answer_has_its_exit_code():
    assert set(EXIT_CODES) == set(ResultCode)
    assert {EXIT_CODES[code] for code in ResultCode} == {
        ExitCode.YES,
        ExitCode.NO,
        ExitCode.UNDECIDED,
        ExitCode.BOT_FAILED,
        ExitCode.UNSTEADY,
    }


def told_line(finding: ComparisonResult, games: int | None = None) -> str:
    """Give the line of a running comparison; by default no more games are over than those that count."""
    return progress_line(progress_of(finding, games), ComparisonQuestion(), LANES)


def progress_of(
    finding: ComparisonResult, games: int | None = None, *, stopped: int = 0, limit_s: float = 600.0
) -> ComparisonProgress:
    """Give a running comparison with tables of four. Games that are over beyond those that count are of new blocks."""
    played = PlayedGames(finding.games // 8, GameLengths(finding.games if games is None else games, stopped, 90, 2000))
    return ComparisonProgress(replace(finding, played=played), 5_012, limit_s)


def test_progress_line_estimates_remaining_time():
    """8.67 * 0.25 / 0.04 blocks at most, of which 40 are played: at 2 games a second."""
    line = told_line(replace(OPEN, games=320, seconds=160.0, evidence=ScoreSummary(40, 0.1, 0.25)))

    assert line.startswith("320 games played, 40 of 44 blocks complete, 5012 decisions in 3 min; ")
    assert "the next look is after 352 games, in 16 s" in line
    assert "about 113 games, 57 s to go" in line


def test_near_answer_is_expected_at_a_look_and_not_before():
    """The mean is clear: the answer comes after the next batch of 4 blocks, of 8 games each."""
    line = told_line(replace(OPEN, games=96, seconds=48.0, evidence=ScoreSummary(12, 0.6, 0.25)))

    assert "the next look is after 128 games, in 16 s" in line
    assert "about 32 games, 16 s to go" in line


def test_nothing_remains_once_there_is_an_answer():
    evidence = ScoreSummary(20, 0.6, 0.2)

    assert "to go" in told_line(replace(OPEN, evidence=evidence))
    for code in set(ResultCode) - {ResultCode.UNDECIDED}:
        line = told_line(replace(BETTER, code=code, evidence=evidence))
        assert "to go" not in line
        assert "look" not in line


def test_first_look_is_announced_before_the_first_game():
    none = ComparisonResult(ResultCode.UNDECIDED, 0, 4.0, first_look_games=96)

    rest = "played, 0 of 12 blocks complete, 5012 decisions in 4 s; the first look is after 96 games"
    assert told_line(none) == f"0 games {rest}"
    assert told_line(none, games=1) == f"1 game {rest}"


def test_time_to_first_look_counts_games_of_unfinished_blocks():
    """40 games took 20 s, so the other 56 take 28 s. No game counts yet, as no batch of blocks is over."""
    line = told_line(ComparisonResult(ResultCode.UNDECIDED, 0, 20.0, first_look_games=96), games=40)

    assert line == (
        "40 games played, 0 of 12 blocks complete, 5012 decisions in 20 s; the first look is after 96 games, in 28 s"
    )


def test_look_that_waits_for_a_long_game_says_so():
    line = told_line(ComparisonResult(ResultCode.UNDECIDED, 0, 20.0, first_look_games=96), games=100)

    assert line.endswith("the first look is after 96 games and waits for a long one")


def test_rough_run_announces_no_look():
    rough = replace(OPEN, games=40, seconds=12.0, first_look_games=0, evidence=ScoreSummary(5, 0.1, 0.3))

    assert progress_line(progress_of(rough, limit_s=30.0), ComparisonQuestion(), LANES) == (
        "40 games played, 5 blocks complete, 5012 decisions in 12 s; +0.10 places a game; "
        "the rough answer comes in 18 s"
    )


@pytest.mark.parametrize(
    ("limit_s", "is_too_short"),
    [
        pytest.param(47.0, True, id="a-second-too-few"),
        pytest.param(49.0, False, id="a-second-more"),
    ],
)
def test_budget_that_ends_before_the_first_look_is_announced(limit_s, is_too_short):
    """40 games took 20 s, so the first look comes after 48 s."""
    none = ComparisonResult(ResultCode.UNDECIDED, 0, 20.0, first_look_games=96)

    line = progress_line(progress_of(none, 40, limit_s=limit_s), ComparisonQuestion(), LANES)

    said = f"; the budget of {limit_s:.0f} s will end before that: a rough estimate, no verdict"
    assert line.endswith(said) is is_too_short
    assert ("budget" in line) is is_too_short


@pytest.mark.parametrize(("seconds", "is_announced"), [(14.0, False), (15.0, True)])
def test_half_a_budget_without_a_game_is_a_warning(seconds, is_announced):
    none = ComparisonResult(ResultCode.UNDECIDED, 0, seconds, first_look_games=96)

    line = progress_line(progress_of(none, 0, limit_s=30.0), ComparisonQuestion(), LANES)

    assert ("the budget of 30 s will end before that" in line) is is_announced


@pytest.mark.parametrize(("games", "is_announced"), [(10, True), (11, False), (0, True)])
def test_rough_answer_with_too_few_games_is_announced(games, is_announced):
    """An interval needs two blocks of 8 games. After 20 s of 30 s, these are to be expected from 10.7 games on."""
    line = progress_line(
        progress_of(ComparisonResult(ResultCode.UNDECIDED, 0, 20.0), games, limit_s=30.0), ComparisonQuestion(), LANES
    )

    said = "the rough answer comes in 10 s; at this speed it will have too few games for an interval"
    assert line.endswith(said) is is_announced


def test_first_games_say_nothing_about_the_budget():
    """8 games took 4 s of 30 s. At this speed the first look would be too late, but the bots have only just begun."""
    none = ComparisonResult(ResultCode.UNDECIDED, 0, 4.0, first_look_games=96)

    assert "budget" not in progress_line(progress_of(none, 8, limit_s=30.0), ComparisonQuestion(), LANES)


def test_games_at_the_turn_limit_are_counted_while_they_are_played():
    none = ComparisonResult(ResultCode.UNDECIDED, 0, 20.0, first_look_games=96)

    line = progress_line(progress_of(none, 40, stopped=38), ComparisonQuestion(), LANES)

    assert "; 38 of 40 games ended at the limit of 2000 turns; the first look" in line


def test_progress_breaks_only_between_its_parts():
    parts = ["40 games played, 0 of 12 blocks complete", "38 of 40 games ended at the limit", "the first look is late"]

    assert fill_lines(parts, 80) == [f"{parts[0]}; {parts[1]};", parts[2]]
    assert fill_lines(parts, 200) == ["; ".join(parts)]
    assert fill_lines(parts, 10) == [f"{parts[0]};", f"{parts[1]};", parts[2]]


def every_text(finding: ComparisonResult) -> list[str]:
    """Give the answer as the terminal, the JSON's sentence, the Markdown page and the JUnit file tell it."""
    question = ComparisonQuestion()
    figures = figure_lines(finding, question)
    code = EXIT_CODES[finding.code]
    sentence = finding_as_dict(finding, question, code)["sentence"]
    texts = [sentence_of(finding), sentence, markdown_text(finding, figures), junit_xml(finding, figures, code, AT)]
    return [*texts, "\n".join([sentence, *figures])]


def test_budget_that_ends_before_the_first_look_gives_no_verdict():
    assert sentence_of(TOO_FEW) == (
        "too few games for a verdict (64 of 96): +0.12 places a game, 90% interval -0.20 to +0.50, after 10 min"
    )
    answer = finding_as_dict(TOO_FEW, ComparisonQuestion(), ExitCode.UNDECIDED)
    assert (answer["code"], answer["is_verdict"], answer["first_look_games"]) == ("undecided", False, 96)
    figures = "\n".join(figure_lines(TOO_FEW, ComparisonQuestion()))
    assert "by Student's t distribution; it is no verdict" in figures
    assert "evidence    none yet: the first look of the test is after 96 games" in figures
    assert all("too few games for a verdict (64 of 96)" in text for text in every_text(TOO_FEW))


def test_interval_beyond_the_margin_is_a_no_even_before_the_first_look():
    worse = replace(TOO_FEW, code=ResultCode.WORSE, is_by_interval=True, estimate=Estimate(-1.2, -1.8, -0.6))
    question = ComparisonQuestion(ComparisonMode.NOT_WORSE)

    assert sentence_of(worse) == "worse by 1.20 places a game, 0.60 to 1.80, after 64 games, 10 min"
    figures = "\n".join(figure_lines(worse, question))
    assert "first look of the test; no, because the whole interval is beyond the margin" in figures
    assert "it is no verdict" not in figures
    answer = finding_as_dict(worse, question, EXIT_CODES[worse.code])
    assert (answer["exit"], answer["is_verdict"], answer["is_by_interval"]) == (1, True, True)


def test_budget_that_ends_before_any_batch_has_no_interval():
    none = ComparisonResult(ResultCode.UNDECIDED, 0, 2.0, first_look_games=96)

    assert sentence_of(none) == "too few games for a verdict (0 of 96), after 2 s"
    assert not any("interval" in text for text in every_text(none))


@pytest.mark.parametrize(
    ("finding", "games", "blocks", "sentence"),
    [
        (
            ComparisonResult(ResultCode.UNDECIDED, 0, 30.0, first_look_games=96),
            40,
            0,
            "too few games for a verdict (0 of 96), after 30 s; 40 games played, 0 of 12 blocks complete",
        ),
        (
            TOO_FEW,
            80,
            9,
            (
                "too few games for a verdict (64 of 96): +0.12 places a game, 90% interval -0.20 to +0.50, after 10 min"
                "; 80 games played, 9 of 12 blocks complete"
            ),
        ),
        (
            ComparisonResult(ResultCode.ROUGH, 0, 30.0),
            40,
            0,
            (
                "rough answer, no verdict: too few games even for an interval, after 30 s; "
                "40 games played, 0 blocks complete"
            ),
        ),
        (
            ROUGH,
            101,
            11,
            (
                "rough answer, no verdict: no clear difference: +0.12 places a game, 90% interval -0.20 to +0.50, "
                "after 88 games, 30 s; 101 games played, 11 blocks complete"
            ),
        ),
        (replace(FAILED, games=0), 8, 0, f"candidate crashed again and again, after 8 games, 3 s: {ENDED}"),
    ],
    ids=["too-few", "some", "rough-too-few", "rough", "crashed"],
)
def test_answer_counts_the_games_that_the_progress_counted(finding, games, blocks, sentence):
    finding = replace(finding, played=PlayedGames(blocks, GameLengths(games)))

    assert sentence_of(finding) == sentence


@pytest.mark.parametrize(
    ("games", "advice"),
    [(40, "give a larger --budget: at this speed the first look needs 72 s"), (0, "no game was over yet")],
)
def test_too_small_budget_has_advice(games, advice):
    """40 games took 30 s, so 96 games take 72 s."""
    played = PlayedGames(0, GameLengths(games))
    finding = ComparisonResult(ResultCode.UNDECIDED, 0, 30.0, first_look_games=96, played=played)

    (line,) = (line for line in figure_lines(finding, ComparisonQuestion()) if line.startswith("next "))
    assert line.endswith(advice)


@pytest.mark.parametrize(
    ("code", "look", "reason"),
    [
        (ResultCode.ROUGH, 0, "none counts, as no block is complete"),
        (ResultCode.UNDECIDED, 96, "none counts, as no batch of 4 blocks is complete"),
    ],
)
def test_answer_without_a_counting_game_says_why(code, look, reason):
    finding = ComparisonResult(code, 0, 30.0, first_look_games=look, played=PlayedGames(0, GameLengths(9)))

    assert f"played      9 games, 0.3 games a second; {reason}" in figure_lines(finding, ComparisonQuestion())


def test_rough_answer_without_an_interval_has_advice():
    finding = ComparisonResult(ResultCode.ROUGH, 0, 30.0, played=PlayedGames(0, GameLengths(9)))

    advice = "next        give a --budget instead of --quick: an interval needs 2 complete blocks, which are 16 games"
    assert advice in figure_lines(finding, ComparisonQuestion())
    assert not any(line.startswith("next") for line in figure_lines(ROUGH, ComparisonQuestion()))


def test_figures_say_how_many_of_the_played_games_count():
    played = replace(BETTER, played=PlayedGames(80, GameLengths(655, 3, 87.5, 2000)))

    told = figure_lines(played, ComparisonQuestion())

    assert "played      655 games, 2.6 games a second; 640 count, in whole batches of 4 blocks" in told
    assert "turns       88 a game (median); 3 of 655 games ended at the limit of 2000 turns" in told
    answer = finding_as_dict(played, ComparisonQuestion(), ExitCode.YES)
    assert (answer["games"], answer["played_games"], answer["complete_blocks"]) == (640, 655, 80)
    assert (answer["median_turns"], answer["turn_limit"], answer["games_at_turn_limit"]) == (87.5, 2000, 3)


def test_games_that_all_count_are_counted_once():
    told = figure_lines(replace(BETTER, played=PlayedGames(80, GameLengths(640, 0, 90, 2000))), ComparisonQuestion())

    assert "played      640 games, 2.6 games a second" in told
    assert "turns       90 a game (median)" in told


def test_comparison_undecided_after_a_look_is_not_called_too_short():
    assert sentence_of(OPEN).startswith("undecided: +0.21 places a game")


def test_rough_answer_is_called_rough_in_every_output():
    answer = finding_as_dict(ROUGH, ComparisonQuestion(), EXIT_CODES[ResultCode.ROUGH])

    assert (answer["code"], answer["exit"], answer["is_verdict"], answer["is_rough"]) == ("rough", 2, False, True)
    assert answer["ratio"] is answer["bound"] is None
    assert all("rough answer, no verdict" in text for text in every_text(ROUGH))


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        (Estimate(0.31, 0.05, 0.57), "probably better: +0.31 places a game, 90% interval +0.05 to +0.57"),
        (Estimate(-0.31, -0.57, -0.05), "probably worse: -0.31 places a game, 90% interval -0.57 to -0.05"),
        (Estimate(0.12, -0.2, 0.5), "no clear difference: +0.12 places a game, 90% interval -0.20 to +0.50"),
        (None, "too few games even for an interval"),
    ],
)
def test_rough_answer_says_what_its_interval_says(estimate, words):
    assert sentence_of(replace(ROUGH, estimate=estimate)) == (
        f"rough answer, no verdict: {words}, after 88 games, 30 s"
    )


def test_only_the_sequential_test_gives_verdicts():
    codes = {code for code in ResultCode if replace(BETTER, code=code).is_verdict}

    assert codes == {code for code in ResultCode if EXIT_CODES[code] in (ExitCode.YES, ExitCode.NO)}


def test_figures_include_faults_voids_and_costliest_games():
    told = "\n".join([*figure_lines(BETTER, ComparisonQuestion()), *loss_lines(BETTER, DATA, None)])

    assert "90003 decisions, 3 late" in told
    assert "180000 decisions, no fault" in told
    assert "1 block disturbed by the machine, 0 of them because the candidate had to wait for a core" in told
    assert "arena replay show 01ABC --seat 2" in told


def test_exported_games_are_named_by_file():
    """The data folder may be gone by then."""
    assert loss_lines(BETTER, DATA, Path("replays")) == ["cost        3 places: replays/costly-1.txt"]


def test_observed_variance_is_distinguished_from_assumed_one():
    """The least variance with four seats and the usual margin is 0.15, and a variance of 0 counts as a quarter more."""
    told = "\n".join(figure_lines(replace(BETTER, evidence=ScoreSummary(28, 0.0, 0.0)), ComparisonQuestion()))

    assert "standard deviation of 0.000; 0.433 is assumed" in told
    assert "standard deviation of 0.500\n" in "\n".join(figure_lines(BETTER, ComparisonQuestion()))
    assert "2.6 games a second" in told


def test_try_of_a_branch_says_its_own_error_and_that_of_all():
    second = ComparisonQuestion(number=2)
    line = "try         2: its own error is 0.69%, that of all tries of the branch together 5.0%"

    assert line in figure_lines(BETTER, second)
    assert line in markdown_text(BETTER, figure_lines(BETTER, second))
    assert not [line for line in figure_lines(BETTER, ComparisonQuestion()) if line.startswith("try")]
    told, only = (finding_as_dict(BETTER, each, ExitCode.YES) for each in (second, ComparisonQuestion()))
    assert (told["error"], told["try"], told["own_error"]) == (0.05, 2, pytest.approx(0.05 * 5 / 36))
    assert (only["error"], only["try"], only["own_error"]) == (0.05, None, 0.05)


RATED = replace(BETTER, baseline_share=0.5, points=Estimate(49.0, 19.0, 79.0))


def test_difference_is_also_told_in_rating_points_and_odds():
    """49 points are odds of 10 ** (49 / 400); a margin of 0.2 is 17 to 13 instead of even odds: 46.6 points."""
    worse = replace(
        RATED, code=ResultCode.WORSE, estimate=Estimate(-0.3, -0.4, -0.1), points=Estimate(-70.0, -95.0, -23.0)
    )
    level = replace(RATED, code=ResultCode.NOT_BETTER)
    figures = "\n".join(figure_lines(RATED, ComparisonQuestion()))
    told = finding_as_dict(RATED, ComparisonQuestion(), ExitCode.YES)

    in_points = "about 49 rating points against this field, 19 to 79"
    assert sentence_of(RATED).startswith(f"better by 0.21 places a game, 0.08 to 0.34 ({in_points}), after")
    assert "0.10 to 0.40 (about 70 rating points against this field, 23 to 95), after" in sentence_of(worse)
    assert "(about +49 rating points against this field, +19 to +79), after" in sentence_of(level)
    rough = sentence_of(replace(ROUGH, points=RATED.points))
    assert "interval -0.20 to +0.50 (about +49 rating points against this field, +19 to +79), after" in rough
    assert "margin 0.2 places a game, about 47 rating points; error 5.0%" in figures
    assert "an opponent are 1.33 times the baseline's, 1.12 to 1.58" in figures
    assert "the baseline finishes ahead of 50% of its opponents" in figures
    assert told["rating_points"] == {"value": 49.0, "low": 19.0, "high": 79.0}
    assert told["odds_ratio"]["value"] == pytest.approx(10 ** (49 / 400))
    assert told["margin_rating_points"] == pytest.approx(46.6, abs=0.05)
    assert finding_as_dict(BETTER, ComparisonQuestion(), ExitCode.YES)["rating_points"] is None


@pytest.mark.parametrize(
    ("autocorrelation", "word", "text"),
    [
        (0.0, "none", ""),
        (0.15, "likely", "blocks seem to resemble the ones before them (autocorrelation +0.15): the variance counts"),
        (0.3, "found", "blocks resemble the ones before them (autocorrelation +0.30): the variance counts 2.6 times"),
    ],
)
def test_dependent_blocks_are_told(autocorrelation, word, text):
    """80 blocks: the standard error is 0.112. At 0.3 the bias is 0.0275, so 0.4393 counts, which is 2.57 times."""
    finding = replace(BETTER, evidence=ScoreSummary(80, 0.22, 0.25, autocorrelation))
    told = finding_as_dict(finding, ComparisonQuestion(), ExitCode.YES)

    for page in every_text(finding)[2:]:
        assert ("dependence  " in page) == bool(text)
        assert text in page
    assert (told["dependence"], told["autocorrelation"]) == (word, autocorrelation)
    assert (told["variance_factor"] > 1) == bool(text)


@pytest.mark.parametrize(
    ("third", "factor", "text"), [(0.0, 1.0, ""), (-0.25, 2.0, "the candidate does much worse in a few blocks")]
)
def test_tail_that_speaks_against_the_verdict_is_told(third, factor, text):
    """With a variance of 0.25 the skewness is the third moment times 8."""
    finding = replace(BETTER, evidence=ScoreSummary(80, 0.22, 0.25, third_moment=third))

    for page in every_text(finding)[2:]:
        assert ("tail  " in page) == bool(text)
        assert text in page
    assert finding_as_dict(finding, ComparisonQuestion(), ExitCode.YES)["tail_factor"] == factor


@pytest.mark.parametrize(
    ("mode", "mean", "blow", "wrong"),
    [
        (ComparisonMode.BETTER, 0.2, "loss of 2.2 places", "the candidate would be no better"),
        (ComparisonMode.BETTER, 0.0, "win of 2.2 places", "the candidate would be better by the margin"),
        (ComparisonMode.NOT_WORSE, 0.0, "loss of 2.2 places", "the candidate would be worse by the margin"),
        (ComparisonMode.NOT_WORSE, -0.2, "win of 2.2 places", "the candidate would be no worse"),
        (ComparisonMode.SAME, 0.0, "loss of 2.2 places", "one would be better by the margin"),
        (ComparisonMode.SAME, 0.2, "loss of 2.2 places", "both would be equally good"),
    ],
)
def test_answer_from_few_blocks_alike_says_what_they_cannot_exclude(mode, mean, blow, wrong):
    """With 9 % of blocks lost, 32 blocks show none in 5 % of comparisons, as 0.91 ** 32 is 0.05; 0.2 / 0.09 is 2.2."""
    figures = "\n".join(figure_lines(replace(BETTER, evidence=ScoreSummary(32, mean, 0.0)), ComparisonQuestion(mode)))

    missed = f"in 5.0% of comparisons, 32 blocks as alike as these miss a {blow} in 9% of all blocks;"
    assert f"unseen      {missed}\n            with it, {wrong}\n" in figures


def test_programs_read_what_blocks_cannot_exclude():
    alike = replace(BETTER, evidence=ScoreSummary(32, 0.2, 0.0))

    told = finding_as_dict(alike, ComparisonQuestion(), ExitCode.YES)["unseen"]
    assert told == {"share": pytest.approx(0.0894, abs=1e-4), "places": pytest.approx(-2.237, abs=1e-3)}
    assert finding_as_dict(BETTER, ComparisonQuestion(), ExitCode.YES)["unseen"] is None
    assert finding_as_dict(replace(alike, code=ROUGH.code), ComparisonQuestion(), ExitCode.UNDECIDED)["unseen"] is None
    assert "unseen" not in "\n".join(figure_lines(replace(alike, code=ROUGH.code), ComparisonQuestion()))


def test_trend_is_a_sentence_of_its_own():
    learning = replace(BETTER, trend=Trend(0.1, 0.52))
    figures = "\n".join(figure_lines(learning, ComparisonQuestion()))

    assert "the candidate gets better over the comparison: +0.10 places a game in the first half" in figures
    assert "the verdict is about the mean of these games; later games may differ" in figures
    assert "the estimate is about" in "\n".join(figure_lines(replace(learning, code=ROUGH.code), ComparisonQuestion()))
    assert "gets worse" in "\n".join(figure_lines(replace(BETTER, trend=Trend(0.5, 0.1)), ComparisonQuestion()))
    halves = {"first_half": 0.1, "second_half": 0.52}
    assert finding_as_dict(learning, ComparisonQuestion(), ExitCode.YES)["trend"] == halves


def test_failed_bot_is_quoted():
    failed = replace(FAILED, reason=FAILED.reason + "\n  first\n  KeyError: 'pile'")

    assert "said        KeyError: 'pile'" in figure_lines(failed, ComparisonQuestion())
    assert not [line for line in figure_lines(FAILED, ComparisonQuestion()) if line.startswith("said")]


@pytest.mark.parametrize(
    ("mode", "mean", "picture"),
    [
        (ComparisonMode.BETTER, 0.1, "not better ├────────────────────────────●────────────────────────────┤ better"),
        (ComparisonMode.BETTER, 0.5, "not better ├────────────────────────────┼───────────────────────────●┤ better"),
        (ComparisonMode.NOT_WORSE, -0.5, "worse ├●───────────────────────────┼────────────────────────────┤ not worse"),
        (ComparisonMode.SAME, 0.0, "different ├────────────────────────────┼───────────────────────────●┤ the same"),
        (ComparisonMode.SAME, -0.5, "different ├●───────────────────────────┼────────────────────────────┤ the same"),
    ],
)
def test_chart_shows_the_evidence(mode, mean, picture):
    assert draw_scale(replace(BETTER, evidence=ScoreSummary(80, mean, 0.25)), ComparisonQuestion(mode)) == picture
    assert len(picture) < 80


def test_json_contains_the_same_answer():
    answer = finding_as_dict(BETTER, ComparisonQuestion(), ExitCode.YES)

    assert (answer["code"], answer["exit"], answer["games"]) == ("better", 0, 640)
    assert answer["estimate"] == {"value": 0.21, "low": 0.08, "high": 0.34}
    assert answer["sentence"] == sentence_of(BETTER)


@pytest.mark.parametrize(
    ("finding", "code", "counts"),
    [
        pytest.param(BETTER, ExitCode.YES, (0, 0, 0), id="yes"),
        pytest.param(replace(BETTER, code=ResultCode.WORSE), ExitCode.NO, (1, 0, 0), id="no"),
        pytest.param(replace(BETTER, code=ResultCode.UNDECIDED), ExitCode.UNDECIDED, (1, 0, 0), id="undecided"),
        pytest.param(replace(BETTER, code=ResultCode.UNDECIDED), ExitCode.YES, (0, 0, 0), id="undecided-passes"),
        pytest.param(replace(BETTER, code=ResultCode.FAULTS), ExitCode.BOT_FAILED, (1, 0, 1), id="faults"),
        pytest.param(FAILED, ExitCode.BOT_FAILED, (1, 0, 2), id="crashed"),
        pytest.param(
            replace(BETTER, code=ResultCode.UNSTEADY, reason="x"), ExitCode.UNSTEADY, (0, 1, 1), id="unsteady"
        ),
        pytest.param(ROUGH, ExitCode.UNDECIDED, (0, 0, 1), id="rough"),
        pytest.param(TOO_FEW, ExitCode.UNDECIDED, (1, 0, 0), id="too-few-games"),
        pytest.param(
            ComparisonResult(ResultCode.UNDECIDED, 0, 5.0), ExitCode.UNDECIDED, (1, 0, 2), id="nothing-was-over"
        ),
    ],
)
def test_junit_reports_one_failure_or_a_machine_error(finding, code, counts):
    """The counts are failures, errors, skipped."""
    text = junit_xml(finding, [], code, AT)
    suite = fromstring(text)[0]

    assert [case.get("name") for case in suite.iter("testcase")] == ["starts", "no_faults", "strength"]
    assert tuple(int(suite.get(kind, "")) for kind in ("failures", "errors", "skipped")) == counts
    assert suite.get("tests") == "3"
    SCHEMA.validate(text)


def test_bot_output_breaks_neither_junit_nor_markdown():
    hostile = replace(FAILED, reason="candidate: <b>\x1b[2J\x00 ``` [link](x) & \ud800")

    xml = junit_xml(hostile, ["```", "<script>"], ExitCode.BOT_FAILED, AT)
    suite = fromstring(xml)[0]
    text = markdown_text(hostile, ["```", "figures"])

    assert "<b>" in (suite[1][0].get("message") or "")
    SCHEMA.validate(xml)
    assert "\x1b" not in text
    assert text.startswith("## arena compare: crashed\n\n```text\ncandidate crashed again and again")
    assert text.endswith("\n```\n")
    assert text.count("```") == 2

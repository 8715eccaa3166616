"""A comparison as people and machines read it."""

from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from xmlschema import XMLSchema

from arena.cli.compare.output_files import junit_xml, markdown_text
from arena.cli.compare.progress import draw_scale
from arena.cli.compare.text import EXIT_CODES, figure_lines, finding_as_dict, loss_lines, progress_line, sentence_of
from arena.cli.exit_codes import ExitCode
from arena.compare.comparison_result import ComparisonResult, ResultCode, RoleConduct
from arena.compare.estimate import Estimate
from arena.compare.lanes import Lanes
from arena.compare.scores import CostlyGame
from arena.compare.sequential import ComparisonMode, ComparisonQuestion, ScoreSummary

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
)
OPEN = replace(BETTER, code=ResultCode.UNDECIDED)
AT = 1_763_800_000.25
"""Seconds since 1970."""
SCHEMA = XMLSchema(Path(__file__).with_name("junit.xsd"))
FAILED = ComparisonResult(ResultCode.CRASHED, 8, 3.0, reason="candidate: bot07 ended with exit code 1")


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


def test_progress_line_estimates_remaining_time():
    """8.67 * 0.25 / 0.04 blocks at most, of which 40 are played: at 2 games a second."""
    line = progress_line(
        replace(OPEN, games=320, seconds=160.0, evidence=ScoreSummary(40, 0.1, 0.25)), ComparisonQuestion(), LANES
    )

    assert "320 games in 3 min" in line
    assert "about 113 games, 57 s to go" in line


@pytest.mark.parametrize(("blocks", "games"), [(4, 64), (12, 32)])
def test_near_answer_is_expected_at_a_look_and_not_before(blocks, games):
    """The mean is clear: after 12 blocks, or after the next batch of 4, of 8 games each."""
    line = progress_line(
        replace(OPEN, games=8 * blocks, seconds=4.0 * blocks, evidence=ScoreSummary(blocks, 0.6, 0.25)),
        ComparisonQuestion(),
        LANES,
    )

    assert f"about {games} games, {games // 2} s to go" in line


def test_nothing_remains_once_there_is_an_answer():
    evidence = ScoreSummary(20, 0.6, 0.2)

    assert "to go" in progress_line(replace(OPEN, evidence=evidence), ComparisonQuestion(), LANES)
    for code in set(ResultCode) - {ResultCode.UNDECIDED}:
        assert "to go" not in progress_line(replace(BETTER, code=code, evidence=evidence), ComparisonQuestion(), LANES)


def test_first_look_is_announced():
    assert "the first look is after 96 games" in progress_line(
        ComparisonResult(ResultCode.UNDECIDED, 0, 4.0), ComparisonQuestion(), LANES
    )


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
    """The least variance with four seats and the usual margin is 0.15."""
    told = "\n".join(figure_lines(replace(BETTER, evidence=ScoreSummary(28, 0.0, 0.0)), ComparisonQuestion()))

    assert "standard deviation of 0.000; 0.387 is assumed" in told
    assert "standard deviation of 0.500\n" in "\n".join(figure_lines(BETTER, ComparisonQuestion()))
    assert "2.6 games a second" in told


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

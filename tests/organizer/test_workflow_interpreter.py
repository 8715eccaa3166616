"""What the tests of actions rely on: steps run, are left out and fail as GitHub documents it."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support.workflow_expression import evaluate, fill_in
from tests.support.workflow_job import Job

CONTEXTS = {"inputs": {"bot": "bots/mine", "none": ""}, "steps": {"cache": {"cache-hit": "true"}}}
FUNCTIONS = {"always": lambda: True, "success": lambda: False}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("inputs.bot", "bots/mine"),
        ("steps.cache.outputs.cache-hit != 'true'", False),
        ("steps.cache.outputs.other == ''", True),
        ("always() && inputs.none != ''", False),
        ("success() || inputs.bot == 'bots/mine'", True),
        ("!(success() && always())", True),
        ("'it''s'", "it's"),
    ],
)
def test_expression_has_the_value_that_github_documents(expression, value):
    assert evaluate(expression, CONTEXTS, FUNCTIONS) == value


@pytest.mark.parametrize("expression", ["inputs.bto", "secrets.TOKEN", "steps.cahce.outputs.x", "inputs"])
def test_unknown_name_is_an_error(expression):
    """GitHub takes an empty text, and nobody notices the typing error."""
    with pytest.raises(KeyError):
        fill_in(f"a ${{{{ {expression} }}}} b", CONTEXTS, FUNCTIONS)


@pytest.mark.skipif(os.name != "posix" or not shutil.which("bash"), reason="its steps are for bash")
def test_steps_after_a_failure_run_only_if_their_condition_says_so(tmp_path: Path):
    job = Job(tmp_path, tmp_path, {}, {})

    job.run(
        [
            {
                "name": "set",
                "id": "set",
                "shell": "bash",
                "run": "echo key=a=b >> $GITHUB_OUTPUT; echo ::add-mask::hush",
            },
            {"name": "fail", "shell": "bash", "run": "false | true; echo not reached"},
            {"name": "left out", "if": "steps.set.outputs.key == 'a=b'", "shell": "bash", "run": "exit 9"},
            {
                "name": "last",
                "if": "always()",
                "shell": "bash",
                "env": {"KEY": "${{ steps.set.outputs.key }}"},
                "run": 'echo "$KEY hush"; echo sum >> "$GITHUB_STEP_SUMMARY"',
            },
        ]
    )

    assert job.code == 1
    assert job.ran == ["set", "fail", "last"]
    assert "a=b ***" in job.output
    assert "hush" not in job.output
    assert "not reached" not in job.output
    assert job.summary == "sum\n"

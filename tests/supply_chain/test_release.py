"""The workflow of a release builds every file, after the tests, and has nothing to lose."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hatchling.build import get_requires_for_build_wheel

from tests.support.workflow import find_known_mistakes, find_pins, is_pinned, read_workflow

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / ".github" / "workflows" / "release.yml"
PROJECTS = (ROOT, ROOT / "sdk")
SETTING = "HATCH_BUILD_HOOK_ENABLE_CUSTOM"


@pytest.fixture(scope="module")
def jobs() -> Any:
    return read_workflow(FILE)["jobs"]


def scripts_of(job: Any) -> str:
    return "\n".join(step.get("run", "") for step in job["steps"])


def test_only_a_tag_starts_it_and_it_may_only_read():
    workflow = read_workflow(FILE)

    assert workflow["on"] == {"push": {"tags": ["v*"]}}
    assert workflow["permissions"] == {"contents": "read"}
    assert [job["permissions"] for job in workflow["jobs"].values() if job.get("permissions")] == []
    assert not [word for word in ("secrets.", "github.token", "GITHUB_TOKEN") if word in FILE.read_text()]


def test_every_action_comes_from_github_and_is_pinned_by_hash():
    assert len(find_pins(FILE)) > 8
    assert [pin for pin in find_pins(FILE) if not is_pinned(pin)] == []


def test_known_mistakes_of_workflows_are_absent():
    assert "No findings to report" in find_known_mistakes(FILE)


def test_nothing_is_built_before_compiled_wheels_are_tested(jobs: Any):
    assert "make test-compiled" in scripts_of(jobs["test"])
    assert "needs" not in jobs["test"]
    assert jobs["pure"]["needs"] == jobs["compiled"]["needs"] == "test"
    assert jobs["release"]["needs"] == ["pure", "compiled"]


def test_release_has_the_contract_for_tools_such_as_grpcurl(jobs: Any):
    assert "make protoset PROTOSET=wheelhouse/cheatarena.binpb" in scripts_of(jobs["pure"])
    assert "*.binpb" in scripts_of(jobs["release"])


def test_both_projects_are_compiled_for_three_systems_and_versions(jobs: Any):
    compiled = jobs["compiled"]

    assert [each.split("-")[0] for each in compiled["strategy"]["matrix"]["system"]] == ["ubuntu", "macos", "windows"]
    assert compiled["env"]["CIBW_BUILD"].split() == ["cp311-*", "cp312-*", "cp313-*"]
    assert compiled["env"]["CIBW_ENVIRONMENT"] == f"{SETTING}=1"
    assert re.findall(r"^cibuildwheel (\S+)", scripts_of(compiled), re.MULTILINE) == ["sdk", "."]


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_compiler_is_needed_only_if_it_is_asked_for(project: Path, monkeypatch: pytest.MonkeyPatch):
    """A wheel is pure unless the setting is set. Then the build fetches the compiler that the lock names."""
    monkeypatch.chdir(project)
    monkeypatch.delenv(SETTING, raising=False)
    pure = get_requires_for_build_wheel()
    monkeypatch.setenv(SETTING, "1")
    (compiler,) = get_requires_for_build_wheel()

    version = re.search(r"^mypy==(\S+)", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)
    assert pure == []
    assert version is not None
    assert compiler == f"mypy[mypyc]=={version[1]}"


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_hook_is_where_its_project_says(project: Path):
    options = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    hook = options["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]

    assert hook["enable-by-default"] is False
    assert (project / hook["path"]).resolve() == ROOT / "compiled" / "build_hook.py"

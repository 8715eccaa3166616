"""What others get: wheels that play outside the repository, and a bill of materials of all that they install."""

import json
import os
import re
import subprocess
import zipfile
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="the scripts are for bash"),
    pytest.mark.slow,
    pytest.mark.timeout(300),  # a cold cache downloads what is installed
]


def run_script(name: str, *arguments: object) -> str:
    """Run a script of .ci and return its output; it must succeed."""
    words = [str(ROOT / ".ci" / name), *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with both wheels and what they install, and what the script said while it played with them."""
    folder = tmp_path_factory.mktemp("wheels")
    return folder, run_script("wheels", folder)


def installed(environment: Path) -> dict[str, str]:
    """Return the version of each distribution in an environment, by name in lower case with dashes."""
    [packages] = environment.glob("lib/python3*/site-packages")
    return {each.name.lower().replace("_", "-"): each.version for each in distributions(path=[str(packages)])}


@pytest.fixture(scope="module")
def materials(built: tuple[Path, str]) -> Any:
    run_script("sbom", built[0])
    return json.loads((built[0] / "sbom.json").read_text(encoding="utf-8"))


def test_bot_with_the_sdk_alone_plays_on_the_installed_server(built):
    """Both are installed from wheels, and neither sees the repository."""
    _, said = built

    standings = said[said.index("2 passed") :]
    assert re.search(r"^ +mybot +\d", standings, re.MULTILINE)
    assert re.search(r"^ +honest#1 +\d", standings, re.MULTILINE)


def test_new_bot_with_the_sdk_alone_passes_its_test_and_plays(built):
    """It is written by the installed SDK. The arena starts it by its manifest."""
    _, said = built

    assert "-m pytest newbot" in said
    assert re.search(r"\b2 passed\b", said)
    assert re.search(r"^ +newbot +\d", said[said.index("2 passed") :], re.MULTILINE)


def test_index_page_of_each_wheel_has_an_example_and_says_which_python(built):
    for name, example in (("cheatarena", "class Cautious(Bot)"), ("cheatarena_server", "arena match")):
        [wheel] = built[0].glob(f"{name}-[0-9]*.whl")
        with zipfile.ZipFile(wheel) as packed:
            [path] = [each for each in packed.namelist() if each.endswith(".dist-info/METADATA")]
            page = packed.read(path).decode()

        assert example in page
        assert "Changelog" in page or "CHANGELOG" in page
        text = page.partition("\n\n")[2]
        assert 1000 < len(text) < 6000, "an index page is short"
        assert re.findall(r"\]\((?!https?://)", text) == [], "a link into the repository leads nowhere on an index page"
        for minor in (11, 12, 13, 14):
            assert f"Classifier: Programming Language :: Python :: 3.{minor}" in page


def test_sdk_brings_its_three_libraries_and_no_more(built):
    found = {line.partition("==")[0] for line in (built[0] / "sdk-alone.txt").read_text().splitlines()}

    assert {"cheatarena", "grpcio", "protobuf", "googleapis-common-protos"} <= found
    assert found - {"cheatarena", "grpcio", "protobuf", "googleapis-common-protos"} <= {"typing-extensions"}


def locked_versions() -> dict[str, set[str]]:
    """Return the locked versions by name: several if they depend on the version of Python."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines():
        name, is_pinned, version = line.partition("==")
        if is_pinned and not line.startswith((" ", "#")):
            found.setdefault(name, set()).add(version.split(" ")[0])
    return found


def test_server_brings_locked_versions_and_no_development_tool(built):
    found, locked = installed(built[0] / "installed"), locked_versions()

    assert set(found) - set(locked) == {"cheatarena", "cheatarena-server"}
    assert {name for name, version in found.items() if version not in locked.get(name, {version})} == set()
    assert {"pytest", "mypy", "ruff", "hatchling", "pip-audit"}.isdisjoint(found)


def test_bill_of_materials_lists_what_is_installed(built, materials):
    """Every distribution with its version, nothing more and nothing less."""
    listed = {each["name"].lower().replace("_", "-"): each["version"] for each in materials["components"]}

    assert materials["bomFormat"] == "CycloneDX"
    assert listed == installed(built[0] / "installed")


def test_bill_of_materials_names_packages_and_not_this_machine(built, materials):
    assert all(each["purl"].startswith("pkg:pypi/") for each in materials["components"])
    assert str(built[0]) not in json.dumps(materials)
    assert "file:" not in json.dumps(materials)

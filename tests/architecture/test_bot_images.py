"""The images in which submitted bots are built and run, and the service that makes their boxes.

No container engine is needed: the files are read, and their scripts are run with stand-ins for
the programs that need rights.
"""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.cli.exit_codes import ExitCode
from tests.support.image_context import is_sent, read_ignore_rules

ROOT = Path(__file__).resolve().parents[2]
DOCKER = ROOT / "docker"
FILE = DOCKER / "bots.Dockerfile"
UNIT = ROOT / "deploy" / "arena-boxes.service"
LANGUAGES = {"python"} | {path.parent.name for path in (ROOT / "sample_bots").glob("*/bot.toml")}
KEPT = "/usr/local/share/bots"

posix = pytest.mark.skipif(os.name != "posix", reason="the scripts are for sh")


def read_stages(file: Path) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return the instructions of each stage of a Dockerfile with their arguments, their lines joined."""
    text = re.sub(r"^#.*\n", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = re.sub(r"\\\n\s*", " ", text)
    stages: dict[str, list[tuple[str, str]]] = {"": []}
    for line in filter(None, text.splitlines()):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            stages[rest.rpartition(" AS ")[2] if " AS " in rest else "server"] = []
        stages[list(stages)[-1]].append((word, rest))
    return stages


@pytest.fixture(scope="module")
def stages() -> Mapping[str, Sequence[tuple[str, str]]]:
    return read_stages(FILE)


@pytest.fixture(scope="module")
def boxes() -> Any:
    return yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))["services"]["boxes"]


# ---- images


def test_every_language_of_a_sample_has_an_image(stages):
    """And each of them runs bots as a user of its own, in the folder in which a box has them."""
    assert len(LANGUAGES) == 6
    for language in LANGUAGES:
        assert stages[language][-2:] == [("USER", "bot"), ("WORKDIR", "/bot")], language
        made = [rest for word, rest in stages[language] if word == "RUN" and "useradd --uid 61184" in rest]
        assert made, language


def test_every_base_is_pinned_by_its_version():
    """A registry could tell their hashes. None may float to another version of a language or of Debian."""
    for file in (FILE, DOCKER / "Dockerfile"):
        bases = re.findall(r"^ARG [A-Z]+=(.+:.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert bases
        assert [
            base for base in bases if not re.fullmatch(r"[a-z]+:(?:\d[\d.]*-)?(?:slim-trixie|trixie-slim|trixie)", base)
        ] == []


@pytest.mark.parametrize("file", [FILE, DOCKER / "Dockerfile"], ids=lambda path: path.name)
def test_what_is_copied_exists_and_is_sent_to_the_build(file):
    rules = read_ignore_rules(file.with_name(f"{file.name}.dockerignore"))
    copied = [rest.split()[:-1] for stage in read_stages(file).values() for word, rest in stage if word == "COPY"]
    sources = {source for words in copied if not words[0].startswith("--from") for source in words} - {"."}

    assert sources
    for source in sources:
        path = ROOT / source
        files = [path] if path.is_file() else [each for each in path.rglob("*.*") if each.is_file()]
        assert any(is_sent(each.relative_to(ROOT).as_posix(), rules) for each in files), source


def test_build_of_bots_sees_no_secret_and_no_history():
    rules = read_ignore_rules(FILE.with_name(f"{FILE.name}.dockerignore"))

    assert not [
        name for name in (".git/config", "arena-data/arena.db", ".venv/x", "arena/ids.py") if is_sent(name, rules)
    ]


def test_copies_between_stages_name_stages_that_exist(stages):
    named = {
        rest.split()[0].removeprefix("--from=")
        for stage in stages.values()
        for word, rest in stage
        if word == "COPY" and rest.startswith("--from")
    }

    assert named
    assert named <= set(stages)


def test_boxes_have_what_the_image_of_each_language_has(stages):
    """Packages of Debian, and the folders that other images give."""

    def packages(stage: str) -> set[str]:
        text = " ".join(rest for word, rest in stages[stage] if word == "RUN")
        return {word for found in re.findall(r"--no-install-recommends ([^&]*)", text) for word in found.split()}

    assert packages("boxes") >= packages("cpp") | packages("java-tools") | {"bubblewrap", "libseccomp2"}
    given = [rest.split()[0] for word, rest in stages["boxes"] if word == "COPY"]
    assert {f"--from={name}" for name in ("typescript", "go", "rust", "java", "server")} <= set(given)


def test_server_has_what_boxes_are_made_with():
    text = (DOCKER / "Dockerfile").read_text(encoding="utf-8")

    assert "--no-install-recommends bubblewrap libseccomp2" in text


# ---- scripts


def run_script(name: str, place: Path, called_as: str, *words: str, **environment: str) -> Any:
    """Run a script of the image below `place`, with stand-ins that say how they are called."""
    script = (DOCKER / name).read_text(encoding="utf-8")
    for folder in ("/usr/local", "/usr/share", "/sys/fs"):
        script = script.replace(folder, f"{place}{folder}")
    programs = place / "bin"
    programs.mkdir(exist_ok=True)
    for program in ("chown", "mount", "setpriv", "node"):
        (programs / program).write_text(f'#!/bin/sh\necho "{program} $*"\nenv | grep -i "^npm_config" | sort\nexit 0\n')
        (programs / program).chmod(0o755)
    file = programs / called_as
    file.write_text(script)
    return subprocess.run(
        ["sh", str(file), *words],
        env={"PATH": f"{programs}:{os.defpath}", "HOME": str(place / "home"), **environment},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


@posix
def test_boxes_lose_every_capability_before_the_arena_starts(tmp_path):
    groups = tmp_path / "sys" / "fs" / "cgroup"
    groups.mkdir(parents=True)
    (groups / "cgroup.procs").touch()

    done = run_script("start-boxes.sh", tmp_path, "start-boxes.sh", "boxes", "--data", "x y")

    assert done.returncode == 0, done.stderr
    given, last = done.stdout.splitlines()
    assert given.split()[:3] == ["chown", "arena", str(groups)]
    assert last.startswith("setpriv --reuid arena --regid arena ")
    assert "--inh-caps=-all --bounding-set=-all --no-new-privs arena boxes --data x y" in last


@posix
def test_boxes_without_control_groups_say_so_and_do_not_start(tmp_path):
    done = run_script("start-boxes.sh", tmp_path, "start-boxes.sh", "boxes")

    assert done.returncode == 69
    assert done.stderr == (
        "boxes: this machine has no control groups of version 2, so nothing limits what a bot uses\n"
    )
    assert done.stdout == ""


@posix
def test_cargo_takes_kept_crates_unless_the_bot_says_otherwise(tmp_path):
    kept, real = tmp_path / KEPT[1:] / "cargo", tmp_path / "usr" / "local" / "rust" / "bin"
    for folder in (kept, real):
        folder.mkdir(parents=True)
    (kept / "config.toml").write_text("kept")
    (real / "cargo").write_text('#!/bin/sh\necho "cargo $*"\n')
    (real / "cargo").chmod(0o755)
    settings = tmp_path / "home" / ".cargo" / "config.toml"

    first = run_script("use-kept-packages.sh", tmp_path, "cargo", "build", "--release")
    written = settings.read_text()
    settings.write_text("own")
    run_script("use-kept-packages.sh", tmp_path, "cargo", "build")

    assert first.stdout == "cargo build --release\n", first.stderr
    assert written == "kept"
    assert settings.read_text() == "own"


@posix
def test_maven_takes_kept_artifacts_and_writes_only_to_its_own_folder(tmp_path):
    real = tmp_path / "usr" / "share" / "maven" / "bin"
    real.mkdir(parents=True)
    (real / "mvn").write_text('#!/bin/sh\necho "mvn $*"\n')
    (real / "mvn").chmod(0o755)

    done = run_script("use-kept-packages.sh", tmp_path, "mvn", "-q", "package")

    assert done.stdout == f"mvn --offline -Dmaven.repo.local.tail={tmp_path}{KEPT}/maven/repository -q package\n"


@posix
def test_npm_reads_kept_packages_through_an_index_of_its_own(tmp_path):
    kept = tmp_path / KEPT[1:] / "npm" / "_cacache"
    (kept / "index-v5").mkdir(parents=True)
    (kept / "content-v2").mkdir()
    (kept / "index-v5" / "entry").write_text("kept")
    cache = tmp_path / "home" / ".npm"

    offline = run_script("use-kept-packages.sh", tmp_path, "npm", "install")
    online = run_script("use-kept-packages.sh", tmp_path, "npm", "install", npm_config_offline="false")

    assert offline.stdout.splitlines()[1:] == [f"npm_config_cache={cache}", "npm_config_offline=true"], offline.stderr
    assert "npm_config_offline=false" in online.stdout
    assert (cache / "_cacache" / "index-v5" / "entry").read_text() == "kept"
    assert (cache / "_cacache" / "content-v2").readlink() == kept / "content-v2"


# ---- service


def test_box_service_has_only_rights_that_the_guide_explains(boxes):
    """No socket of an engine, no device, and of the host only the settings."""
    assert boxes["cap_drop"] == ["ALL"]
    assert boxes["read_only"] is True
    assert not {"privileged", "devices", "pid", "ipc", "userns_mode", "environment"} & boxes.keys()
    of_host = [volume for volume in boxes["volumes"] if volume.startswith((".", "/"))]
    assert of_host == ["./arena.toml:/etc/arena/server.toml:ro"]
    assert "no-new-privileges:true" in boxes["security_opt"]
    guide = (
        (ROOT / "docs" / "boxes.md")
        .read_text(encoding="utf-8")
        .partition("\n## Where boxes can be made")[2]
        .partition("\n## ")[0]
    )
    assert [
        right
        for right in (*boxes["cap_add"], *set(boxes["security_opt"]) - {"no-new-privileges:true"})
        if right not in guide
    ] == []


def test_unit_of_boxes_has_no_capability_and_a_part_of_the_control_groups():
    values = dict(re.findall(r"^([A-Za-z]+)=(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE))

    assert values["User"] == "arena"
    assert values["CapabilityBoundingSet"] == ""
    assert values["NoNewPrivileges"] == "yes"
    assert set(values["Delegate"].split()) == {"cpu", "memory", "pids"}
    assert "user" in values["RestrictNamespaces"].split()
    hiding = {"ProtectProc", "ProcSubset", "ProtectKernelTunables", "ProtectKernelLogs", "ProtectControlGroups"}
    assert not hiding & values.keys(), "the kernel would refuse a box its own /proc"
    assert "MemoryDenyWriteExecute" not in values, "Node and Java write code"
    assert "sethostname" in values["SystemCallFilter"].split(), "a box has a host name of its own"
    assert not {"RestrictSUIDSGID", "ProtectHostname"} & values.keys(), "they refuse openat2 and sethostname"
    assert values["RestartPreventExitStatus"] == f"{ExitCode.NOT_ISOLATED:d}"

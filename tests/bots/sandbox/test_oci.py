"""Containers as boxes: the command that an engine gets, tried with an engine that only notes what it is asked.

No test here shows that a container holds. `arena sandbox check --backend oci` does, where an engine is installed, and
so does `make box-vm`.
"""

import json
import os
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

from arena.bots.launch.box_limits import BoxLimits
from arena.bots.launch.box_port import BoxRequest
from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.programs import BotProgram
from arena.bots.sandbox.box_makers import make_name
from arena.bots.sandbox.oci import OciBackend
from arena.bots.sandbox.probes.isolation_check import check_isolation
from arena.errors import BotStartError, IsolationError
from tests.support.boxes import SECRET, WAIT_S, list_descriptors, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="containers of this kind need Linux")

ENGINE = f"""#!{sys.executable} -IS
import json, os, signal, sys
folder = os.path.dirname(os.path.abspath(__file__))
words = sys.argv[1:]
with open(folder + "/calls", "a") as calls:
    calls.write(json.dumps([words, sorted(os.environ)]) + "\\n")
if words[0] == "run":
    source = next(word for word in words if word.endswith("target=/bot,readonly")).split("source=")[1].split(",")[0]
    variables = open(words[words.index("--env-file") + 1]).read().splitlines()
    open(folder + "/variables", "w").write("\\n".join(variables))
    open(folder + "/pid", "w").write(str(os.getpid()))
    image = words.index("a-bot")
    command = [words[words.index("--entrypoint") + 1], *words[image + 1:]]
    command = [source + word[4:] if word.startswith("/bot/") else word for word in command]
    os.execvpe(command[0], command, dict(line.split("=", 1) for line in variables) | {{"PATH": os.environ["PATH"]}})
if words[0] == "kill":
    os.kill(int(open(folder + "/pid").read()), int(words[2]))
if words[0] == "inspect":
    print(os.getppid())
if words[0] == "ps":
    print(open(folder + "/containers").read())
"""


class Engine:
    """A script called `podman` that notes its calls and runs the program without a container."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        script = folder / "podman"
        script.write_text(ENGINE)
        script.chmod(0o755)
        (folder / "containers").write_text("")

    def calls(self, word: str) -> list[list[str]]:
        """Return the words of each call of a command."""
        lines = (self.folder / "calls").read_text().splitlines()
        return [words for words, _ in map(json.loads, lines) if words[0] == word]


@pytest.fixture
def engine(tmp_path, monkeypatch) -> Engine:
    folder = tmp_path / "engine"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return Engine(folder)


@pytest.fixture
def start(engine, tmp_path):
    """Start a program in a container of the engine."""
    (tmp_path / "bot").mkdir()
    backend = partial(OciBackend, image="a-bot")
    with Launcher(tmp_path / "output", open_boxes=backend) as launcher:

        def run(code: str, environment: dict[str, str] | None = None, **limits):
            (tmp_path / "bot" / "bot.py").write_text(code)
            command = (sys.executable, "-u", str(tmp_path / "bot" / "bot.py"))
            program = BotProgram(
                "bot", command, tmp_path / "bot", environment or {}, limits=BoxLimits(**limits), is_boxed=True
            )
            return launcher.start(program, address="unix:/run/s", token=SECRET, instance="1")

        yield run


def test_container_gets_the_least_rights_and_every_limit(engine, start, tmp_path):
    """Nothing is left to the defaults of an engine."""
    start("pass", memory_mb=256, processes=20, cpus=0.5, scratch_mb=64, open_files=100, file_mb=8, cpu_seconds=9).wait(
        WAIT_S
    )

    (words,) = engine.calls("run")
    text = " ".join(words)
    for option in (
        "run --rm --interactive --init --pull never --name cheatarena-",
        "--network none --read-only --cap-drop ALL --security-opt no-new-privileges",
        "--ipc private --hostname box --user 61184:61184",
        "--pids-limit 20 --memory 256m --memory-swap 256m --cpus 0.5",
        f"--shm-size {16 << 20} --tmpfs /tmp:rw,exec,nosuid,nodev,size={48 << 20}",
        "--ulimit core=1 --ulimit nofile=100",
        f"--ulimit fsize={8 << 20} --ulimit cpu=9",
        f"--mount type=bind,source={tmp_path / 'bot'},target=/bot,readonly",
        "--mount type=bind,source=/run/s,target=/run/arena.sock,readonly",
        "--workdir /bot --entrypoint python3 a-bot -u /bot/bot.py",
    ):
        assert option in text
    assert "--privileged" not in words


def test_container_of_a_user_gets_no_limit_above_the_users_own(engine, tmp_path, monkeypatch):
    """The kernel would refuse to raise it, and the container would not start."""
    import resource  # noqa: PLC0415  Windows has none, and this file is read there too

    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (0, 0 if kind == resource.RLIMIT_CORE else 512))
    program = BotProgram("bot", ("python3",), tmp_path, limits=BoxLimits(open_files=100))

    box = OciBackend(image="a-bot").prepare(BoxRequest("bot", program, ("python3",), {}))

    text = " ".join(box.command)
    assert "--ulimit core=0 --ulimit nofile=100 --ulimit fsize=512" in text


def test_container_that_cannot_be_made_leaves_no_descriptor(engine, tmp_path):
    """The program may be started again and again."""
    program = BotProgram("bot", ("python3",), tmp_path / "a,b")
    backend, before = OciBackend(), list_descriptors()

    with pytest.raises(BotStartError, match="its path has a comma"):
        backend.prepare(BoxRequest("bot", program, ("python3",), {}))

    assert list_descriptors() <= before


def test_container_gets_the_filter_of_the_other_boxes(engine, tmp_path):
    """The engines' own profiles allow ptrace and, in part, new user namespaces."""
    program = BotProgram("bot", ("python3",), tmp_path)

    box = OciBackend().prepare(BoxRequest("bot", program, ("python3",), {}))

    option = next(word for word in box.command if word.startswith("seccomp="))
    profile = json.loads(Path(option.removeprefix("seccomp=")).read_text())
    refused = {name for rule in profile["syscalls"] for name in rule["names"] if not rule["args"]}
    assert {"ptrace", "unshare", "mount", "bpf", "io_uring_setup", "keyctl", "clone3"} <= refused
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    assert "cheatarena-bot-python" in box.command, "the image that docker/bots.Dockerfile makes"


def test_build_runs_in_a_copy_that_has_a_size(engine, tmp_path):
    """Its container sees the program's folder read-only, and writes to a file system as large as its /tmp."""
    backend = OciBackend(image="a-bot")
    program = BotProgram("bot", (), tmp_path, build=("make",), limits=BoxLimits(scratch_mb=32))

    box = backend.prepare(BoxRequest("bot build", program, ("/usr/bin/make", "all"), {}, is_build=True))

    text = " ".join(box.command)
    assert f"--mount type=bind,source={tmp_path},target=/source,readonly" in text
    assert f"--tmpfs /bot:rw,exec,nosuid,nodev,size={24 << 20},mode=1777" in text
    assert text.endswith("--workdir /bot --entrypoint make a-bot all")


def test_secrets_are_neither_in_the_command_nor_in_the_variables_of_the_engine(engine, start):
    """Other users of the host see no token, and no variable of the program reaches the engine."""
    start("pass", {"LD_PRELOAD": "/bot/evil.so", "LEVEL": "3"}).wait(WAIT_S)

    _, names = json.loads(next(line for line in (engine.folder / "calls").read_text().splitlines() if '["run"' in line))
    assert SECRET not in " ".join(engine.calls("run")[0])
    assert not {"LD_PRELOAD", "LEVEL", "CHEATARENA_TOKEN"} & {*names}
    variables = (engine.folder / "variables").read_text().splitlines()
    assert {f"CHEATARENA_TOKEN={SECRET}", "CHEATARENA_ADDRESS=unix:/run/arena.sock", "LEVEL=3"} <= {*variables}
    assert not [line for line in variables if line.startswith("PATH=")], "an image has its own PATH"


def test_program_ends_like_any_other(engine, start):
    """SIGTERM goes to the container, and its end removes it."""
    process = start(
        "import signal, sys, time\nsignal.signal(15, lambda *_: sys.exit(0))\nprint('ready')\ntime.sleep(60)"
    )
    wait_until(lambda: process.tail() == ["ready"])

    process.end(WAIT_S)

    assert process.exit_code == 0
    container = engine.calls("run")[0][engine.calls("run")[0].index("--name") + 1]
    assert engine.calls("kill") == [["kill", "--signal", str(int(signal.SIGTERM)), container]]
    assert ["rm", "--force", container] in engine.calls("rm")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (125, "was not started: the container engine failed"),
        (137, "was killed by SIGKILL, as if it had used more than 512 MB of memory"),
        (139, "was killed by SIGSEGV"),
        (3, "ended with exit code 3"),
    ],
)
def test_end_is_told_in_words(start, code, words):
    """The exit codes of `run` are those of podman-run(1) and docker."""
    process = start(f"raise SystemExit({code})")
    process.wait(WAIT_S)

    assert process.describe_state() == words


def test_containers_of_arenas_that_are_gone_are_removed(engine):
    """Those of a living arena, and containers of others, stay."""
    alive = make_name()
    (engine.folder / "containers").write_text(f"{alive}\ncheatarena-{os.getpid()}-1-7\nmy-cheatarena-1-1-1\n")

    OciBackend()

    assert engine.calls("rm") == [["rm", "--force", f"cheatarena-{os.getpid()}-1-7"]]


def test_variable_with_a_line_end_is_refused(start):
    """A file of variables cannot have it, and nothing is left out silently."""
    with pytest.raises(BotStartError, match="the variable TEXT in a container: it has a line end"):
        start("pass", {"TEXT": "a\nCHEATARENA_TOKEN=other"})


def test_host_without_engine_says_so(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(IsolationError, match=r"no container engine is installed \(podman or docker\)"):
        OciBackend()


@pytest.mark.parametrize("hint", ["Run 'docker run --help' for more information", "See 'docker run --help'."])
def test_check_says_why_the_engine_failed(engine, hint):
    """Docker ends each error with a hint at its help."""
    why = "docker: Cannot connect to the Docker daemon"
    (engine.folder / "podman").write_text(f'#!/bin/sh\nprintf "{why}\\n\\n{hint}\\n"\nexit 125\n')

    findings = check_isolation(BoxSettings(backend="oci"))

    said = f"the probe was not started: the container engine failed: {why}"
    assert {each.detail for each in findings} == {said}


def test_containers_are_made_below_the_slice_that_bounds_them(engine, tmp_path):
    """The engine or systemd holds its limits. Without one, the engine chooses."""
    request = BoxRequest("bot", BotProgram("bot", (), tmp_path), ("/bin/true",), {})

    command = OciBackend(image="a-bot", slice="arena.slice").prepare(request).command

    assert "--cgroup-parent arena.slice" in " ".join(command)
    assert "--cgroup-parent" not in OciBackend(image="a-bot").prepare(request).command

"""A box is started, signalled, measured and ended like any bot, and it says why its program ended."""

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.launch.box_limits import BoxLimits
from arena.bots.launch.box_port import BoxRequest
from arena.bots.launch.cpu_times import read_cpu_times
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.programs import BotProgram, find_bot
from arena.bots.sandbox import bubblewrap
from arena.bots.sandbox.bubblewrap import BubblewrapBackend
from arena.bots.sandbox.cgroups.group_places import find_group_tree
from arena.errors import BotStartError, OptionsError
from arena.fleet.runner.boxed_processes import BoxedProcess
from arena.fleet.runner.process_sampler import ProcessSampler
from arena.match.referee.strike_record import THROTTLED_STATE
from arena.server.rpc.listeners import make_socket_path
from cheatarena.v1 import match_pb2
from tests.support.boxes import (
    SECRET,
    WAIT_S,
    BoxedPrograms,
    list_descriptors,
    list_processes_with,
    open_boxes,
    skip_without_boxes,
    wait_until,
)
from tests.support.server import open_server

SAMPLES = Path(__file__).parents[3] / "sample_bots" / "python"


@pytest.fixture(autouse=True)
def _skip() -> None:
    skip_without_boxes()


@pytest.fixture
def boxes(tmp_path):
    with open_boxes(tmp_path) as opened:
        yield opened


def test_program_sees_its_folder_its_variables_and_its_address(boxes: BoxedPrograms):
    """A boxed bot finds what it needs, at the places that docs/boxes.md names."""
    code = """
import asyncio
import os
print(os.getcwd(), sorted(os.listdir(".")), os.environ["HOME"], os.environ["LEVEL"], os.environ["CHEATARENA_TOKEN"])
"""
    _, lines = boxes.run(code, environment={"LEVEL": "3"})

    assert lines == [f"/bot ['bot.py'] /tmp 3 {SECRET}"]


def test_box_that_cannot_be_made_leaves_nothing(tmp_path, monkeypatch):
    """The program may be started again and again."""
    backend = BubblewrapBackend(is_apart=True)
    request = BoxRequest("bot", BotProgram("bot", ("python3",), tmp_path), ("python3",), {})
    tmp_path.chmod(0o755)

    def fail(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(bubblewrap, "ConnectionGate", fail)
    before = list_descriptors()

    with pytest.raises(RuntimeError):
        backend.prepare(request)

    assert list_descriptors() <= before
    assert not any(folder.exists() for folder in backend.tree.common.folders.values())


def test_paths_of_the_program_in_its_variables_are_those_in_the_box(boxes: BoxedPrograms, tmp_path):
    """A variable that names the program's own folder is right in the box too."""
    _, lines = boxes.run(
        "import os; print(os.environ['PLACE'])", environment={"PLACE": f"/nowhere{os.pathsep}{tmp_path}/bot-1/lib"}
    )

    assert lines == ["/nowhere:/bot/lib"]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise SystemExit(7)", "ended with exit code 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "was killed by SIGSEGV"),
        ("x = []\nwhile True: x.append(b'x' * 1000000)", "used more than 64 MB of memory and was killed"),
        ("raise ValueError('no cards')", "ended with exit code 1: ValueError: no cards (bot.py:1)"),
    ],
)
def test_end_is_told_in_words(boxes: BoxedPrograms, code, words):
    """An author reads why the program ended, as without a box."""
    process, _ = boxes.run(code, memory_mb=64)

    assert process.describe_end(is_early=False) == words


def test_sigterm_reaches_every_process_of_the_program(boxes: BoxedPrograms):
    """A program and its children may say goodbye, although some have left its session."""
    process = boxes.start("""
import os, signal, sys, time
child = os.fork()
if child == 0:
    os.setsid()
def end(number, frame):
    os.write(1, b"goodbye child\\n" if child == 0 else b"goodbye parent\\n")
    os._exit(0) if child == 0 else (os.wait(), sys.exit(0))
signal.signal(signal.SIGTERM, end)
os.write(1, b"ready\\n")
while True: time.sleep(1)
""")
    wait_until(lambda: process.tail().count("ready") == 2)

    process.end(WAIT_S)

    assert process.exit_code == 0
    assert sorted(process.tail()[2:]) == ["goodbye child", "goodbye parent"]


def test_program_that_ignores_sigterm_is_killed(boxes: BoxedPrograms):
    """Nothing in a box outlives the end of its grace."""
    process = boxes.start("""
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
while True: time.sleep(1)
""")
    wait_until(lambda: process.tail() == ["ready"])
    inside = process.pid

    process.end(0.05)

    assert process.is_over
    assert read_cpu_times(inside) is None


def test_measured_process_is_the_program_itself(boxes: BoxedPrograms):
    """The blame for a strike comes from the bot's own threads, not from what makes its box."""
    process = boxes.start("import time\nprint('ready', flush=True)\nwhile True: time.sleep(1)")
    wait_until(lambda: process.tail() == ["ready"])

    assert b"/bot/bot.py" in Path(f"/proc/{process.pid}/cmdline").read_bytes()
    assert b"bwrap" not in Path(f"/proc/{process.pid}/cmdline").read_bytes()


def test_time_stopped_by_the_quota_is_no_wait_for_a_core(boxes: BoxedPrograms):
    """A hungry bot cannot excuse a late answer with the quota that it used up."""
    process = boxes.start("print('spins', flush=True)\nwhile True: pass", cpus=0.05)
    clock = iter(range(0, 10**12, 10_000_000))
    sampler = ProcessSampler([boxes.launcher], lambda: next(clock))
    wait_until(lambda: process.tail() == ["spins"])
    sampler.process_times(("bot", "one"), 0, 0)
    before = process.throttled_us
    wait_until(lambda: process.throttled_us > before + 600_000)

    times = sampler.process_times(("bot", "one"), 0, 1_000_000)

    spent = read_cpu_times(process.pid)
    assert times is not None
    assert spent is not None
    assert times.state == THROTTLED_STATE
    assert times.waited_us <= max(spent.waited_us.values()) - 600_000
    elsewhere = BoxedProcess("bot/one", process.pid)
    assert elsewhere.throttled_us > 600_000, "a server that did not start the box itself reads the same"


def test_box_ends_when_the_arena_is_killed(tmp_path):
    """A killed arena leaves no program behind, and the next one removes its control groups."""
    tmp_path.chmod(0o755)
    marker = f"marker-{tmp_path.name}"
    code = f"""
import sys, time
from pathlib import Path
from tests.support.boxes import open_boxes
with open_boxes(Path({str(tmp_path)!r})) as boxes:
    process = boxes.start("import os, time\\nif os.fork(): print('ready', flush=True)\\ntime.sleep(600)", {marker!r})
    while process.tail() != ["ready"]: time.sleep(0.01)
    print("started", flush=True)
    time.sleep(600)
"""
    arena = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=Path(__file__).parents[3])
    assert arena.stdout is not None
    assert arena.stdout.readline() == b"started\n"
    arena.send_signal(signal.SIGKILL)
    arena.wait()
    arena.stdout.close()

    folders = set(find_group_tree().folders.values())
    groups = [group for folder in folders for group in folder.glob(f"*/cheatarena-{arena.pid}-*")]
    assert groups
    wait_until(lambda: not any((group / "cgroup.procs").read_text() for group in groups))
    BubblewrapBackend()
    assert not any(group.exists() for group in groups)
    assert list_processes_with(marker) == []


def test_too_large_a_wish_is_refused(tmp_path):
    """A host's maximum holds, and the message names the limit."""
    refusal = "option memory_mb = 512 is refused: this host allows at most 256"
    backend = BubblewrapBackend(most=BoxLimits(memory_mb=256))
    with open_boxes(tmp_path, backend) as boxes, pytest.raises(BotStartError, match=refusal):
        boxes.start("pass")


@pytest.mark.parametrize("wish", [{"memory_mb": 0}, {"cpus": 1000}, {"processes": 1.5}, {"open_files": True}])
def test_limits_out_of_range_are_refused(wish):
    """Limits are checked where they are made."""
    with pytest.raises(OptionsError, match=next(iter(wish))):
        BoxLimits(**wish)


@pytest.mark.skipif(os.geteuid() != 0, reason="only boxes of root's have another user")
def test_folder_that_the_user_of_boxes_cannot_read_is_refused(tmp_path):
    """The message says which command makes it readable."""
    (tmp_path / "closed").mkdir(mode=0o700)
    program = BotProgram("closed", (sys.executable, "-c", ""), tmp_path / "closed")
    refusal = r"may not read it \(chmod -R a\+rX"
    with open_boxes(tmp_path) as boxes, pytest.raises(BotStartError, match=refusal):
        boxes.launcher.start(boxed(program), address="", token="", instance="")


def boxed(program: BotProgram) -> BotProgram:
    return replace(program, is_boxed=True)


def test_program_of_one_file_sees_no_other_file(boxes: BoxedPrograms, tmp_path):
    """Bots that are scripts in the same folder do not read each other."""
    for name in ("mine", "other"):
        (tmp_path / f"{name}.py").write_text("import os; print(os.listdir('/bot'))")
    program = find_bot(str(tmp_path / "mine.py"))
    assert isinstance(program, BotProgram)
    process = boxes.launcher.start(boxed(program), address="", token="", instance="")

    assert process.wait(WAIT_S)
    process.end(0)
    assert process.tail() == ["['mine.py']"]


async def test_boxed_bots_play_a_match_through_the_socket(tmp_path):
    """Without any network, sample bots play to the end over the server's Unix socket, without a fault."""
    with make_socket_path() as socket:
        async with open_server(tmp_path / "data", listen=(f"unix:{socket}",)) as server:
            with Launcher(tmp_path / "output", open_boxes=BubblewrapBackend) as launcher:
                for name in ("ann", "bob"):
                    token = await server.create_token(name)
                    program = find_bot(str(SAMPLES / "random_legal"))
                    assert isinstance(program, BotProgram)
                    launcher.start(boxed(program), address=f"unix:{socket}", token=token, instance="1", name=name)
                while len(server.node.sessions) < 2:
                    await asyncio.sleep(0.01)
                match = await server.wait_for_result(await server.create_match("ann", "bob"))
                await asyncio.to_thread(launcher.close)
    assert match.termination == "finished"
    assert [*match.strikes] == [match_pb2.Strikes()] * 2


HOARD = """
import ctypes, time
libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
while libc.timer_create(1, None, ctypes.byref(timer)) == 0:
    pass
print("held", flush=True)
time.sleep(600)
"""
TAKE_ONE = """
import ctypes
print(ctypes.CDLL(None).timer_create(1, None, ctypes.byref(ctypes.c_void_p())))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give each box a user of its own")
def test_box_cannot_use_up_what_the_kernel_grants_each_user(boxes: BoxedPrograms):
    """Such as the timers and the watches of epoll, without which no bot can connect."""
    hoarder = boxes.start(HOARD, "hoarder")
    wait_until(lambda: any(line.startswith("held") for line in hoarder.tail()))

    _, lines = boxes.run(TAKE_ONE, "honest")

    assert lines == ["0"]


def test_bots_are_killed_before_the_arena_if_the_machine_runs_out_of_memory(boxes: BoxedPrograms):
    """Also where their limits together are more than what is left beside the arena."""
    code = """
text = open("/proc/self/oom_score_adj").read()
try:
    open("/proc/self/oom_score_adj", "wb", buffering=0).write(b"-500")
except OSError:
    pass
print(text, open("/proc/self/oom_score_adj").read(), sep="")
"""
    _, lines = boxes.run(code)

    own = int(Path("/proc/self/oom_score_adj").read_text())
    assert int(lines[0]) > own
    assert lines[0] == lines[1]

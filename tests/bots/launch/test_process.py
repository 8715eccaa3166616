"""Bots as processes, the hostile ones too: one that floods, ignores signals, forks, plants links or just dies."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from arena.bots.launch.launcher import Launcher
from arena.bots.launch.output import OutputCapture, sanitize_for_terminal
from arena.bots.launch.process import BotProcess
from arena.bots.launch.programs import BotProgram
from arena.errors import BotStartError, EnvironmentFaultError
from cheatarena.tls_settings import TlsSettings
from tests.support.commands import is_alive

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups and signals are otherwise there")

SECRET = "cat_" + "S" * 46


@pytest.fixture
def echoed():
    return []


@pytest.fixture
def launcher(tmp_path, echoed):
    with Launcher(tmp_path / "bots", cap_bytes=1_000_000, echo=echoed.append) as opened:
        yield opened


@pytest.fixture
def start(launcher, tmp_path):
    """Start a Python program given as text."""

    def run(code: str, name: str = "bot", **options):
        return launcher.start(python(code, tmp_path, name, **options), **told())

    return run


def python(code: str, folder: Path, name: str = "bot", **options) -> BotProgram:
    return BotProgram(name, (sys.executable, "-u", "-c", code), folder, **options)


def told(instance: str = "1") -> dict[str, str]:
    return {"address": "127.0.0.1:50051", "token": SECRET, "instance": instance}


def until(condition, time_s: float = 5) -> None:
    """Wait for something that happens in another process."""
    deadline = time.monotonic() + time_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def test_output_is_read_when_the_end_of_a_program_is_known(start, monkeypatch):
    """A busy machine may end a program before it has read what the program wrote last."""
    pump = OutputCapture._pump

    def pump_late(self, pipe):
        time.sleep(0.3)
        pump(self, pipe)

    monkeypatch.setattr(OutputCapture, "_pump", pump_late)

    process = start("print('the token is refused'); raise SystemExit(77)")

    assert process.wait(5)
    assert process.tail() == ["the token is refused"]


def shown_pid(process: BotProcess) -> int:
    """The process id that a bot wrote."""
    until(process.tail)
    return int(process.tail()[0])


def test_bot_learns_address_and_nothing_else_of_our_environment(start, monkeypatch, tmp_path):
    """Secrets in our environment stay with us."""
    monkeypatch.setenv("CI_SECRET", "do not tell")
    monkeypatch.setenv("HOME", "/home/somebody")

    process = start("import os; print(*sorted(os.environ.items()), sep='\\n')", environment={"LEVEL": "3"})
    assert process.wait(5)
    process.end()

    text = process.output_path.read_text()
    names = {line.split("'")[1] for line in text.splitlines()}
    own = {"CHEATARENA_ADDRESS", "CHEATARENA_TOKEN", "CHEATARENA_INSTANCE", "LEVEL", "PATH", "HOME", "LANG"}
    assert own <= names <= own | {"LC_CTYPE"}  # Python itself may set that one
    assert "('CHEATARENA_ADDRESS', '127.0.0.1:50051')" in text
    assert f"('CHEATARENA_TOKEN', '{SECRET}')" in text
    assert "('HOME', '/home/somebody')" in text


def test_bot_learns_how_to_secure_its_connection(tmp_path, monkeypatch):
    """Files are named so that the bot finds them from its own folder."""
    monkeypatch.chdir(tmp_path)
    tls = TlsSettings(Path("ca.pem"), Path("bot.pem"), Path("bot-key.pem"))
    code = "import os; from pathlib import Path; print(*(os.environ['CHEATARENA_' + x] for x in ('CA', 'CERT', 'KEY')))"

    with Launcher(tmp_path / "bots", tls=tls) as opened:
        process = opened.start(python(code, tmp_path), **told())
        assert process.wait(5)

    assert process.tail() == [f"{tmp_path}/ca.pem {tmp_path}/bot.pem {tmp_path}/bot-key.pem"]


@pytest.mark.parametrize("tls", [TlsSettings(), TlsSettings(Path("/ca.pem")), TlsSettings(is_insecure=True)])
def test_tls_settings_survive_the_environment(tls):
    assert TlsSettings.from_environment(tls.to_environment()) == tls


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_token_is_on_no_command_line(start):
    """Neither the bot's command line nor that of its parent contains it."""
    process = start("import time; print('up'); time.sleep(60)")
    seen = Path(f"/proc/{process.pid}/cmdline").read_bytes()
    until(process.tail)
    seen += Path(f"/proc/{process.pid}/cmdline").read_bytes()

    assert SECRET.encode() not in seen


def test_bot_runs_in_its_folder_without_input(start, tmp_path):
    process = start("import os, sys; print(os.getcwd()); print(repr(sys.stdin.read()))")
    assert process.wait(5)
    process.end()

    assert process.tail() == [str(tmp_path), "''"]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_bot_inherits_no_open_files(start, tmp_path):
    with (tmp_path / "ours").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)
        process = start("import os; print(sorted(os.listdir('/proc/self/fd')))")
        assert process.wait(5)
        process.end()

    assert process.tail() == ["['0', '1', '2', '3']"]  # 3 reads the list


def test_bot_has_lower_priority_and_its_own_process_group(start):
    process = start("import os; print(os.nice(0), os.getpgrp() == os.getsid(0) == os.getpid())")
    assert process.wait(5)
    process.end()

    assert process.tail() == [f"{min(os.nice(0) + 5, 19)} True"]


@pytest.mark.parametrize(
    ("code", "sentence", "number"),
    [
        ("pass", "ended with exit code 0", 0),
        ("raise SystemExit(3)", "ended with exit code 3", 3),
        ("import os; os.kill(os.getpid(), 9)", "was killed by SIGKILL", -9),
        ("import os; os.kill(os.getpid(), 11)", "was killed by SIGSEGV", -11),
    ],
)
def test_exit_of_bot_is_described(start, code, sentence, number):
    process = start(code)

    assert process.wait(5)

    assert (process.describe_state(), process.exit_code) == (sentence, number)
    process.end()
    assert (process.describe_state(), process.exit_code) == (sentence, number)


def test_running_bot_is_distinguished(start):
    process = start("import time; time.sleep(60)")

    assert not process.wait(0.05)

    assert process.describe_state() == "is still running"
    assert process.exit_code is None
    process.end()
    assert process.describe_state() == "was killed by SIGTERM"


@pytest.mark.skipif(sys.platform != "linux", reason="no other system tells")
def test_wait_of_a_program_for_a_core_is_known(start):
    """Two processes that compute share one core."""
    spin = "import os\nos.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\nos.fork()\nwhile True: pass"
    process = start(spin)

    until(lambda: process.waited_for_core_s > 0.05, 20)


def test_last_output_is_kept_in_order(start):
    """Both streams go to one file."""
    process = start("import sys\nfor n in range(50): print(n, file=(sys.stdout, sys.stderr)[n % 2])\n1/0")
    assert process.wait(5)
    process.end()

    assert process.tail(1) == ["ZeroDivisionError: division by zero"]
    assert process.tail(0) == []
    assert process.output_path.read_text().splitlines()[:50] == [str(n) for n in range(50)]


def test_cooperative_bot_ends_in_its_own_way(start):
    """It is asked first, and has time to clean up."""
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('tidied up'), sys.exit(0)))\n"
        "sys.stdout.write('up\\n')\n"  # at once, where print writes the end of the line apart
        "time.sleep(60)\n"
    )
    process = start(code)
    until(process.tail)

    process.end(grace_s=20)

    assert process.tail() == ["up", "tidied up"]
    assert process.exit_code == 0


def test_killed_bot_is_not_asked(start):
    """It gets no chance to say goodbye to its server."""
    process = start("import signal; signal.signal(15, lambda *_: print('bye')); print('up'); signal.pause()")
    until(process.tail)

    process.kill()

    assert process.tail() == ["up"]
    assert process.describe_state() == "was killed by SIGKILL"
    assert process.is_over


def test_bot_that_ignores_signals_is_killed(start):
    process = start("import signal, time; signal.signal(15, signal.SIG_IGN); print('up'); time.sleep(60)")
    until(process.tail)

    begin = time.monotonic()
    process.end(grace_s=0.2)

    assert 0.2 <= time.monotonic() - begin < 1
    assert process.describe_state() == "was killed by SIGKILL"


def test_bot_that_stopped_itself_is_killed(start):
    process = start("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)")
    until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)

    process.end(grace_s=0.1)

    assert process.describe_state() == "was killed by SIGKILL"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("then", ["time.sleep(60)", "sys.exit(0)"], ids=["parent-stays", "parent-is-gone"])
def test_child_processes_end_with_their_bot(start, then):
    """A child ignores the request and would outlive its parent; also where the parent ended by itself before."""
    code = (
        "import os, signal, sys, time\n"
        "if os.fork() == 0:\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    print(os.getpid())\n"
        "    time.sleep(60)\n"
        f"{then}\n"
    )
    process = start(code)
    child = shown_pid(process)
    assert is_alive(child)

    process.end(grace_s=0.5)

    until(lambda: not is_alive(child), 1)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_escaped_child_holding_our_pipe_blocks_no_one(start):
    """A new session is out of reach without a sandbox; ending the bot does not wait for it."""
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    print(os.getpid())\n"
        "    time.sleep(60)\n"
        "time.sleep(60)\n"
    )
    process = start(code)
    child = shown_pid(process)

    begin = time.monotonic()
    process.end()

    assert time.monotonic() - begin < 1.5
    os.kill(child, signal.SIGKILL)


def test_output_flood_is_capped(start, echoed):
    """One bot writes 50 MB: the beginning and the very end are kept, the middle is counted, and the arena continues."""
    code = "import sys\nfor n in range(500): sys.stdout.write(f'{n:03} ' + 'x' * 99_995 + '\\n')\nprint('the end')"
    process = start(code)
    assert process.wait(20)
    process.end()

    data = process.output_path.read_bytes()
    assert data.startswith(b"000 xxx")
    assert data.endswith(b"the end\n")
    assert len(data) < 1_000_000 + 64 * 1024 + 100
    assert process.dropped_byte_count == 500 * 100_000 + len("the end\n") - 1_000_000
    assert f"\n[{process.dropped_byte_count - 64 * 1024} bytes are left out here]\n".encode() in data
    assert process.tail(1) == ["the end"]
    assert sum(map(len, echoed)) < 100_000


def test_small_output_is_kept_to_the_byte(start):
    process = start("import sys; sys.stdout.buffer.write(bytes(range(256)) * 10)")
    assert process.wait(5)
    process.end()

    assert process.output_path.read_bytes() == bytes(range(256)) * 10
    assert process.dropped_byte_count == 0


def test_output_lines_are_echoed_prefixed_and_sanitised(start, echoed):
    process = start("print('one\\ntw\\x1b[31mo\\x1b]0;title\\x07'); print('three', end='')", name="counter")
    assert process.wait(5)
    process.end()

    assert echoed == ["counter: one", "counter: two", "counter: three"]


def test_flood_of_lines_is_not_echoed_in_full(start, echoed):
    """The file has them; a thread that echoed each would take its time from the referee."""
    process = start("import sys; sys.stdout.write('\\n' * 60_000)")
    assert process.wait(5)
    process.end()

    assert process.output_path.stat().st_size == 60_000
    assert 200 < len(echoed) < 20_000
    assert f"more lines are in {process.output_path}]" in echoed[200]


def test_failing_listener_is_dropped(tmp_path):
    """A closed terminal is not the bot's fault."""

    def broken(_line):
        raise BrokenPipeError

    with Launcher(tmp_path / "bots", echo=broken) as launcher:
        process = launcher.start(python("print(1); print(2)", tmp_path), **told())
        assert process.wait(5)
        process.end()

    assert process.exit_code == 0
    assert process.tail() == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain žluť 牌", "plain žluť 牌"),
        ("\x1b[2J\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;aGk=\x07copied", "copied"),
        ("\x1bPq#0\x1b\\picture", "picture"),
        ("a\rb\bc\x00d\x7fe", "abcde"),
        ("\x9b31mred", "red"),
        ("\u202egnp.exe", "gnp.exe"),
        ("tab\there", "tab here"),
        ("\x1b", ""),
    ],
)
def test_control_sequences_never_reach_the_terminal(text, shown):
    assert sanitize_for_terminal(text) == shown


def test_each_process_has_its_own_private_file(start):
    first, second = start("print(1)", name="A#1 ../x"), start("print(2)", name="A#1 ../x")
    assert first.wait(5)
    assert second.wait(5)

    assert first.output_path != second.output_path
    assert first.output_path.parent == second.output_path.parent
    assert stat.S_IMODE(first.output_path.stat().st_mode) == 0o600
    assert stat.S_IMODE(first.output_path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Zoë", "Zoë.log"),
        ("李雷", "李雷.log"),
        ("हिन्दी", "हिन्दी.log"),
        ("A#1 ../x", "A_1_.._x.log"),
        ("../..", "_.log"),
    ],
)
def test_file_is_named_after_the_bot(start, name, file):
    process = start("print(1)", name=name)
    assert process.wait(5)

    assert process.output_path.name == file


def test_planted_link_is_not_followed(start, tmp_path):
    """Its target may or may not exist."""
    (tmp_path / "bots").mkdir()
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "bots" / "bot.log").symlink_to(tmp_path / "victim")
    (tmp_path / "bots" / "bot.2.log").symlink_to(tmp_path / "nowhere")

    process = start("print('mine')")
    assert process.wait(5)
    process.end()

    assert process.output_path == tmp_path / "bots" / "bot.3.log"
    assert (tmp_path / "victim").read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()


def test_folder_replaced_by_a_link_is_refused(start, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "bots").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(EnvironmentFaultError, match="cannot be written"):
        start("print(1)")

    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_missing_program_is_reported(launcher, tmp_path):
    with pytest.raises(BotStartError, match=r"there is no program .*/none"):
        launcher.start(BotProgram("bot", ("./none",), tmp_path), **told())


def test_missing_folder_is_reported(launcher, tmp_path):
    with pytest.raises(BotStartError, match="bot cannot be started"):
        launcher.start(python("pass", tmp_path / "gone"), **told())


def test_non_executable_file_is_explained_in_its_output(launcher, tmp_path):
    (tmp_path / "rubbish").write_bytes(b"\0\1\2")
    (tmp_path / "rubbish").chmod(0o755)

    process = launcher.start(BotProgram("bot", ("./rubbish",), tmp_path), **told())
    assert process.wait(5)
    process.end()

    assert process.exit_code == 126
    assert process.tail()[-1].endswith("rubbish: Exec format error")


def test_leaving_the_launcher_ends_everything(tmp_path):
    """This includes leaving by an exception, such as Ctrl-C."""
    processes: list[BotProcess] = []

    def play() -> None:
        with Launcher(tmp_path / "bots") as launcher:
            sleeper = python("import time; time.sleep(60)", tmp_path)
            processes.extend(launcher.start(sleeper, **told()) for _ in range(3))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play()

    assert [process.describe_state() for process in processes] == ["was killed by SIGTERM"] * 3


def test_bots_ignoring_signals_are_ended_in_parallel(tmp_path):
    """Two seconds for all of them together, not for each."""
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up'); time.sleep(60)"
    with Launcher(tmp_path / "bots") as launcher:
        processes = [launcher.start(python(code, tmp_path), **told()) for _ in range(3)]
        until(lambda: all(process.tail() for process in processes))
        begin = time.monotonic()

    assert 1.9 < time.monotonic() - begin < 3
    assert {process.exit_code for process in processes} == {-9}


def test_closed_launcher_starts_nothing(tmp_path):
    launcher = Launcher(tmp_path / "bots")
    launcher.close()
    launcher.close()

    with pytest.raises((BotStartError, RuntimeError)):
        launcher.start(python("pass", tmp_path), **told())


def test_bot_outlives_the_thread_that_requested_it(launcher, tmp_path):
    """The kernel ends a bot with the thread that started it, so that thread must be a lasting one."""
    started: list[BotProcess] = []
    code = "import time; print('up'); time.sleep(60)"

    def ask() -> None:
        started.append(launcher.start(python(code, tmp_path), **told()))
        until(started[0].tail)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()

    assert not started[0].wait(0.2)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel does that on Linux alone")
def test_bots_end_when_the_arena_is_killed(tmp_path):
    """A SIGKILL leaves no program behind that would continue playing."""
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from arena.bots.launch.launcher import Launcher\n"
        "from arena.bots.launch.programs import BotProgram\n"
        "launcher = Launcher(Path(sys.argv[1]))\n"
        "program = BotProgram('bot', (sys.executable, '-c', 'import time; time.sleep(60)'), Path.cwd())\n"
        "print(launcher.start(program, address='a', token='t', instance='i').pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "bots")], stdout=subprocess.PIPE) as arena:
        assert arena.stdout is not None
        bot = int(arena.stdout.readline())
        assert is_alive(bot)
        arena.kill()

    until(lambda: not is_alive(bot), 2)


def test_build_runs_first_in_the_bots_folder(launcher, tmp_path):
    make = (sys.executable, "-c", "open('bot', 'w').write('#!/bin/sh\\necho built'); import os; os.chmod('bot', 0o755)")
    program = BotProgram("built", ("./bot",), tmp_path, build=make)

    launcher.build(program)
    process = launcher.start(program, **told())

    assert process.wait(5)
    process.end()
    assert process.tail() == ["built"]


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("print('no compiler'); raise SystemExit(2)", "the build of bot ended with exit code 2: no compiler"),
        ("import time; time.sleep(60)", "the build of bot took longer than 0.3 s"),
    ],
)
def test_failed_build_is_reported(launcher, tmp_path, code, sentence):
    program = BotProgram("bot", ("./bot",), tmp_path, build=(sys.executable, "-c", code))

    with pytest.raises(BotStartError, match=sentence):
        launcher.build(program, time_s=0.3 if "sleep" in code else 5)


def test_most_bots_need_no_build(launcher, tmp_path):
    launcher.build(python("pass", tmp_path))

    assert launcher.running == ()


def test_ended_processes_are_forgotten(start, launcher):
    """A season starts thousands of processes with one launcher."""
    first = start("pass")
    assert launcher.running == (first,)

    first.end()
    second = start("pass")

    assert launcher.running == (second,)

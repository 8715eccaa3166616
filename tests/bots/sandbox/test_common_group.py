"""All boxes of a machine share a control group, whichever arena made them. It limits what they use together."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from arena.author.check.exit_check import describe_end
from arena.bots.launch.box_limits import DEFAULT_TOTALS, BoxLimits, BoxTotals
from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.cpu_times import read_cpu_times
from arena.bots.launch.process import BotProcess
from arena.bots.launch.programs import BotProgram
from arena.bots.sandbox.box_makers import make_name
from arena.bots.sandbox.bubblewrap import BubblewrapBackend
from arena.bots.sandbox.cgroups.controller_files import VERSION_2
from arena.bots.sandbox.cgroups.group_places import GroupTree, find_group_tree
from arena.bots.sandbox.cgroups.version_1 import VERSION_1
from arena.errors import CrowdedHostError, OptionsError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.fleet.runner.boxed_builds import BoxedBuilds
from arena.fleet.runner.started_bot import Access, StartedBot
from tests.support.boxes import BoxedPrograms, group_of, open_boxes, skip_without_boxes, wait_until

HOLD = "import time\nheld = b'x' * ({mb} << 20)\nprint('held', flush=True)\ntime.sleep(600)\n"
HONEST = """
import os, time
held = b"x" * (4 << 20)
count = 0
while True:
    time.sleep(0.02)
    count += 1
    os.write(1, b"%d\\n" % count)
"""
FORK = """
import os, time
for _ in range(19):
    os.fork() or time.sleep(600)
print("forked", flush=True)
time.sleep(600)
"""
SPIN = "print('spins', flush=True)\nwhile True: pass\n"
SPIN_IN_ALL = (
    "import os\nfor _ in range(7):\n    if os.fork() == 0: break\nprint('spins', flush=True)\nwhile True: pass\n"
)
HOST_FAULT = "was killed because this host had no memory left for its boxes; the program itself kept to its limit"


class Yard:
    """Boxes with totals of their own, so that no test disturbs boxes of others."""

    def __init__(self, backend: BubblewrapBackend, boxes: BoxedPrograms) -> None:
        self.backend = backend
        self.boxes = boxes

    def read(self, controller: str, file: str) -> int:
        """Return the number in a file of the common group."""
        return int((self.backend.tree.common.folders[controller] / file).read_text())


@contextmanager
def open_yard(folder: Path, totals: BoxTotals = DEFAULT_TOTALS) -> Iterator[Yard]:
    skip_without_boxes()
    backend = BubblewrapBackend(totals=totals, is_apart=True)
    with open_boxes(folder, backend) as boxes:
        yield Yard(backend, boxes)


def has_ended(process: BotProcess) -> bool:
    return process.exit_code is not None


# ---- real boxes


def test_boxes_that_use_too_much_together_lose_one_and_the_honest_neighbour_stays(tmp_path):
    """The total is held, the largest program makes room, and nobody says that it had used too much itself."""
    with open_yard(tmp_path, BoxTotals(memory_mb=128)) as yard:
        honest = yard.boxes.start(HONEST, "honest")
        wait_until(honest.tail)
        hungry = [yard.boxes.start(HOLD.format(mb=48), f"hungry-{number}") for number in range(3)]
        wait_until(lambda: any(map(has_ended, hungry)))
        (ended,) = filter(has_ended, hungry)

        assert (ended.describe_state(), ended.is_host_fault) == (HOST_FAULT, True)
        with pytest.raises(CrowdedHostError, match="the bot was killed because this host"):
            describe_end(ended, "in the match")  # of `arena check`
        bot = StartedBot.of(BotEntrant("hungry", BotProgram("hungry", (), tmp_path)), ended, Access("", ""))
        assert bot.is_host_fault
        assert (found := bot.find_exit()) is not None
        assert found.is_host_fault
        last = honest.tail(1)
        wait_until(lambda: honest.tail(1) != last)
        assert not has_ended(honest)
        if yard.backend.tree.files is VERSION_1:
            assert yard.read("memory", "memory.max_usage_in_bytes") <= 128 << 20
        wait_until(lambda: [each.tail() for each in hungry if each is not ended] == [["held"]] * 2)


def test_program_that_uses_too_much_itself_is_told_so(tmp_path):
    """Also if all boxes together have less than they may."""
    with open_yard(tmp_path, BoxTotals(memory_mb=256)) as yard:
        process, _ = yard.boxes.run(HOLD.format(mb=96), memory_mb=64)

        assert (process.describe_state(), process.is_host_fault) == (
            "used more than 64 MB of memory and was killed",
            False,
        )


def test_honest_neighbour_keeps_its_share_of_the_cpu(tmp_path):
    """A box with eight busy processes gets no more of what all may use than a box with one."""
    with open_yard(tmp_path, BoxTotals(cpus=0.2)) as yard:
        greedy = yard.boxes.start(SPIN_IN_ALL, "greedy", cpus=8.0)
        honest = yard.boxes.start(SPIN, "honest")
        wait_until(lambda: len(greedy.tail()) == 8 and honest.tail() == ["spins"])
        group = group_of(greedy).members()
        before = {pid: ran_us(pid) for pid in (*group, honest.pid)}
        wait_until(lambda: ran_us(honest.pid) - before[honest.pid] > 150_000 or has_ended(honest))

        spent = {pid: ran_us(pid) - before[pid] for pid in before}
        assert 3 * spent[honest.pid] > sum(spent[pid] for pid in group)


def ran_us(pid: int) -> int:
    """Return the CPU time of a process so far."""
    times = read_cpu_times(pid)
    return 0 if times is None else times.total_ran_us


def test_box_without_a_process_left_is_refused_with_the_reason(tmp_path):
    """As soon as the others have ended, it starts."""
    with open_yard(tmp_path, BoxTotals(processes=24)) as yard:
        greedy = yard.boxes.start(FORK, "greedy", processes=64)
        wait_until(lambda: greedy.tail() == ["forked"])
        with pytest.raises(
            CrowdedHostError, match=r"have 22 processes, and may have 24 \(total_processes in \[boxes\]\)"
        ):
            yard.boxes.start("pass")
        greedy.kill()

        process, _ = yard.boxes.run("pass")

        assert process.exit_code == 0


def test_total_below_what_is_in_use_lets_no_further_box_start(tmp_path):
    """Another arena has lower numbers. Version 2 makes room for it; version 1 leaves the running boxes alone."""
    with open_yard(tmp_path) as yard:
        holding = yard.boxes.start(HOLD.format(mb=96))
        wait_until(holding.tail)
        tree = replace(yard.backend.tree, totals=BoxTotals(memory_mb=64))
        if tree.files is VERSION_2:
            tree.make_group(BoxLimits()).remove()
            wait_until(lambda: has_ended(holding))
            assert holding.is_host_fault
        else:
            with pytest.raises(CrowdedHostError, match=r"together use more than 64 MB of memory \(total_memory_mb"):
                tree.make_group(BoxLimits())
            assert not has_ended(holding)


def test_build_that_has_to_make_room_is_no_failure_of_its_author(tmp_path):
    """It is tried again later, as after any fault of the machine."""
    (tmp_path / "program").mkdir()
    with open_yard(tmp_path, BoxTotals(memory_mb=64)) as yard:
        script = "head -c 100000000 /dev/zero > large"
        program = BotProgram("bot", (), tmp_path / "program", build=("/bin/sh", "-c", script))
        builds = BoxedBuilds(tmp_path / "builds", yard.boxes.launcher, BoxSettings(build_memory_mb=512))

        with pytest.raises(CrowdedHostError, match="the build of bot was killed because this host had no memory left"):
            builds.build(program, "c0ffee")
    assert not list((tmp_path / "builds").iterdir())


def test_group_lives_as_long_as_any_box(tmp_path):
    """Nothing is left on the machine after the last one."""
    with open_yard(tmp_path) as yard:
        folders = set(yard.backend.tree.common.folders.values())
        first, second = (yard.boxes.start("import time; time.sleep(600)", name) for name in ("first", "second"))
        first.kill()
        assert all(folder.is_dir() for folder in folders)
        second.kill()
        assert not any(folder.exists() for folder in folders)


def test_boxes_of_several_arenas_share_one_group(tmp_path):
    """The default of the bound is a part of the machine, whatever makes the boxes."""
    skip_without_boxes()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    tmp_path.chmod(0o755)
    with open_boxes(tmp_path / "one") as one, open_boxes(tmp_path / "two") as two:
        pair = [each.start("import time; time.sleep(600)") for each in (one, two)]
        groups = [Path(file).parent for each in pair for file in group_of(each).member_files]

        assert len({group.parent for group in groups}) == len({group.parent.parent for group in groups})
        assert {group.parent.name for group in groups} == {"cheatarena-boxes"}
        limit = int((find_group_tree().common.folders["memory"] / find_group_tree().files.memory).read_text())
        assert limit <= 0.75 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_many_boxes_may_be_made_and_removed_at_once():
    """The last box of one arena removes the group that the first box of another needs."""
    skip_without_boxes()
    shared = find_group_tree().bound(BoxTotals(memory_mb=512), is_apart=True)

    def make_and_remove(_: int) -> None:
        for _ in range(40):
            replace(shared).make_group(BoxLimits()).remove()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(make_and_remove, range(4)))

    assert not any(folder.exists() for folder in shared.common.folders.values())


# ---- limits in folders that look like control groups


@pytest.fixture
def tree(tmp_path) -> GroupTree:
    """A place of version 2 whose unit may use 1 GB and 400 processes."""
    (tmp_path / "memory.max").write_text(f"{1 << 30}\n")
    (tmp_path / "pids.max").write_text("400\n")
    (tmp_path / "cgroup.procs").write_text("")
    return GroupTree(dict.fromkeys(("memory", "pids", "cpu"), tmp_path), VERSION_2)


def limits_of(tree: GroupTree) -> dict[str, str]:
    folder = tree.common.folders["memory"]
    return {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}


def test_boxes_get_three_quarters_of_what_the_arena_itself_may_use(tree):
    """So the server that is in the same unit keeps a part. The CPU has no quota: weights share it."""
    tree.make_group(BoxLimits())

    assert limits_of(tree) == {
        "cgroup.subtree_control": "+memory +pids +cpu",
        "cpu.weight": str(100 * min(100, os.cpu_count() or 1)),
        "memory.max": str(3 << 28),
        "memory.swap.max": "0",
        "pids.max": "300",
    }


def test_boxes_get_their_limits_if_systemd_has_taken_controllers_away_meanwhile(tree):
    """It takes those that none of its own units needs, while there is no box."""
    place = tree.folders["memory"]
    (place / "cgroup.subtree_control").write_text("memory pids\n")

    tree.make_group(BoxLimits())

    assert (place / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"


def test_numbers_of_the_settings_replace_the_share(tree):
    tree.bound(BoxTotals(memory_mb=900, processes=350, cpus=1.5), is_apart=False).make_group(BoxLimits())

    written = limits_of(tree)
    assert (written["memory.max"], written["pids.max"], written["cpu.max"]) == (str(900 << 20), "350", "150000 100000")


@pytest.mark.parametrize("totals", [BoxTotals(memory_mb=900), DEFAULT_TOTALS])
def test_totals_become_only_lower_while_boxes_run(tree, totals):
    """The lowest of all settings hold, and an arena without any keeps those that are there."""
    tree.bound(BoxTotals(memory_mb=512), is_apart=False).make_group(BoxLimits())
    tree.bound(totals, is_apart=False).make_group(BoxLimits())
    assert limits_of(tree)["memory.max"] == str(512 << 20)

    tree.bound(BoxTotals(memory_mb=256), is_apart=False).make_group(BoxLimits())
    assert limits_of(tree)["memory.max"] == str(256 << 20)


def test_box_gets_no_more_cpu_than_the_groups_above_it(tmp_path):
    """Version 1 refuses a higher quota, so the box would never start; version 2 lowers it by itself."""
    skip_without_boxes()
    found = find_group_tree()
    if found.files is not VERSION_1:
        pytest.skip("this machine has control groups of version 2")
    above = found.folders["cpu"] / make_name()
    above.mkdir()
    try:
        (above / "cpu.cfs_period_us").write_text("50000")
        (above / "cpu.cfs_quota_us").write_text("40000")
        tree = replace(found, folders={**found.folders, "cpu": above}).bound(BoxTotals(cpus=1.5), is_apart=True)
        group = tree.make_group(BoxLimits(cpus=2.0))
        try:
            (box,) = tree.common.folders["cpu"].glob("cheatarena-*")

            assert (box / "cpu.cfs_quota_us").read_text() == "80000\n"
        finally:
            group.remove()
    finally:
        above.rmdir()


def test_process_killed_to_make_room_for_others_is_told_from_one_that_used_too_much(tree):
    """Version 2 counts a kill in the group of the killed, and a lack of memory in the group whose limit it was."""
    group = tree.make_group(BoxLimits())
    (folder,) = tree.common.folders["memory"].glob("cheatarena-*")

    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\noom_group_kill 1\n")
    assert (group.was_out_of_memory(), group.was_full()) == (True, False)

    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 3\noom 1\noom_kill 1\noom_group_kill 1\n")
    assert (group.was_out_of_memory(), group.was_full()) == (True, True)


def test_groups_of_dead_arenas_are_removed_where_this_and_earlier_releases_made_them(tmp_path):
    """A living arena keeps its groups, and with them the common one."""
    above, below = tmp_path, tmp_path / "session"
    tree = GroupTree(dict.fromkeys(("memory", "pids", "cpu"), above), VERSION_2, searched=[below])
    alive = make_name()
    dead = f"cheatarena-{os.getpid()}-1-1"
    for folder in (
        above / "cheatarena-boxes" / dead,
        above / dead / dead,
        below / dead,
        above / "cheatarena-boxes" / alive,
    ):
        folder.mkdir(parents=True)

    tree.remove_abandoned()
    assert sorted(str(each.relative_to(above)) for each in above.rglob("*")) == [
        "cheatarena-boxes",
        f"cheatarena-boxes/{alive}",
        "session",
    ]

    (above / "cheatarena-boxes" / alive).rmdir()
    tree.remove_abandoned()
    assert [each.name for each in above.iterdir()] == ["session"]


# ---- the place


def make_version_1(root: Path, limits: dict[str, str]) -> Path:
    """Make three trees of version 1 with this process at /users/ann/session, and limits by file; return /proc/self."""
    lines = []
    for number, controller in enumerate(("memory", "pids", "cpu")):
        (root / controller / "users" / "ann" / "session").mkdir(parents=True)
        lines.append(f"3{number} 23 0:26 / {root}/{controller} rw - cgroup cgroup rw,{controller}\n")
    for file, text in limits.items():
        (root / file).write_text(text)
    proc = root / "proc"
    proc.mkdir()
    own = "".join(f"{number}:{name}:/users/ann/session\n" for number, name in enumerate(("memory", "pids", "cpu")))
    (proc / "cgroup").write_text(own)
    (proc / "mountinfo").write_text("".join(lines))
    return proc


def test_place_is_above_all_sessions_so_that_they_share_it(tmp_path):
    """A limit of a group is not left behind: boxes outside of it would evade it."""
    proc = make_version_1(
        tmp_path,
        {
            "memory/users/ann/session/memory.limit_in_bytes": "9223372036854771712\n",
            "memory/users/ann/memory.limit_in_bytes": f"{1 << 30}\n",
            "pids/users/ann/session/pids.max": "max\n",
            "cpu/users/ann/session/cpu.cfs_quota_us": "50000\n",
        },
    )

    tree = find_group_tree(proc)

    assert tree.folders == {
        "memory": tmp_path / "memory/users/ann",
        "pids": tmp_path / "pids",
        "cpu": tmp_path / "cpu/users/ann/session",
    }
    assert not tree.missing
    assert set(tree.searched) == {tmp_path / "memory/users/ann/session"} | {
        tmp_path / "pids" / each for each in ("users/ann/session", "users/ann", "users")
    }


def make_version_2(root: Path, own: str) -> Path:
    """Make the groups down to that of this process, each with all controllers below it; return /proc/self."""
    place = root / "cgroup"
    folder = place / own
    folder.mkdir(parents=True)
    for each in (folder, *folder.parents[: len(Path(own).parts)]):
        (each / "cgroup.controllers").write_text("cpu memory pids\n")
        (each / "cgroup.subtree_control").write_text("cpu memory pids\n")
    proc = root / "proc"
    proc.mkdir()
    (proc / "cgroup").write_text(f"0::/{own}\n")
    (proc / "mountinfo").write_text(f"30 23 0:26 / {place} rw - cgroup2 cgroup2 rw\n")
    return proc


@pytest.mark.parametrize("own", ["system.slice/arena.service/server", "system.slice/arena.service"])
def test_place_of_version_2_is_no_higher_than_a_delegated_unit(tmp_path, monkeypatch, own):
    """What is above belongs to systemd. A limit of the own group is not left behind either."""
    proc, place = make_version_2(tmp_path, own), tmp_path / "cgroup"
    assert find_group_tree(proc).folders["memory"] == place

    def read_attribute(path: Path, name: str) -> bytes:
        if path.name == "arena.service" and name == "user.delegate":
            return b"1"
        raise OSError(61, "No data available")

    monkeypatch.setattr(os, "getxattr", read_attribute)

    assert find_group_tree(proc).folders["memory"] == place / "system.slice" / "arena.service"

    (place / own / "memory.max").write_text(f"{1 << 30}\n")
    assert find_group_tree(proc).folders["memory"] == place / own


# ---- settings


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"backend": "oci", "total_memory_mb": 1_024}, "total_memory_mb.*a container engine has its own"),
        ({"slice": "arena.slice"}, "slice.*only a container engine takes it"),
    ],
)
def test_setting_that_would_have_no_effect_is_refused(settings, words):
    with pytest.raises(OptionsError, match=words):
        BoxSettings(**settings)


def test_build_has_the_limits_that_the_host_sets():
    """Its files count as memory, so they may not be more than that."""
    limits = BoxSettings(build_memory_mb=1_024, build_cpus=4.0, build_time_s=600.0).build_limits

    assert (limits.memory_mb, limits.cpus, limits.scratch_mb, limits.file_mb) == (1_024, 4.0, 768, 768)
    assert limits.cpu_seconds == 2_400


def test_one_box_may_not_have_more_than_all():
    """Neither a bot nor a build: it could only end by making room for others."""
    settings = BoxSettings(total_memory_mb=1_024, total_processes=100, total_cpus=1.0)

    for limits in (settings.most, settings.build_limits):
        assert (limits.memory_mb, limits.processes, limits.cpus) == (1_024, 100, 1.0)

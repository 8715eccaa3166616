"""The sample bots of every language are submitted as folders, and play rated games in a pool.

`make bots` runs this, and not `make test`: builds take minutes. They fetch packages from the hosts that this machine's
own tools name. With `-s`, each language prints its figures.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator

import psutil
import pytest

from arena.bots.launch.manifest import LANGUAGES
from arena.fleet.submissions.submitted_programs import build_path
from tests.e2e.test_pools import query, wait_until
from tests.e2e.test_submissions import SAMPLES, SETTINGS, Site, open_site
from tests.sample_bots.other_languages import list_languages
from tests.support.boxes import skip_without_boxes
from tests.support.package_indexes import find_index_hosts

CHOSEN = os.environ.get("SUBMITTED_LANGUAGES", "")
"""The languages to try, with commas between them, or `all`."""
pytestmark = [
    pytest.mark.skipif(not CHOSEN, reason="builds take minutes; `make submitted-languages` runs it"),
    pytest.mark.timeout(1_800),
]

PATIENCE_S = 900.0
FOLDERS = {"python": SAMPLES / "honest", **{each.name: each.folder for each in list_languages()}}
MISSING = {each.name: each.missing for each in list_languages()}
LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", "node_modules", "target", "build", "dist")


@pytest.fixture(scope="module")
def reasons() -> dict[str, str]:
    """Why a language cannot be tried here; empty texts if it can. Hosts are added to `hosts`."""
    return {name: f"{' and '.join(missing)} is not installed" for name, missing in MISSING.items() if missing}


@pytest.fixture(scope="module")
def hosts(reasons: dict[str, str]) -> list[str]:
    """The package indexes of all languages that can be reached."""
    found = dict[str, None]()
    for language in FOLDERS.keys() - reasons.keys():
        try:
            found |= dict.fromkeys(find_index_hosts(language))
        except (OSError, LookupError, subprocess.SubprocessError) as error:
            reasons[language] = f"its package index cannot be reached: {error}"
    return list(found)


@pytest.fixture(scope="module")
def site(hosts: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server for all languages, which shows boxes the toolchain that rustup manages."""
    skip_without_boxes()
    toolchains, path = [], os.environ["PATH"]
    if shutil.which("rustc"):
        root = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout
        toolchains.append(root.strip())
        path = f"{root.strip()}/bin{os.pathsep}{path}"
    settings = f"[boxes]\npaths = {toolchains}\n{SETTINGS}".replace(
        "[submissions]", f"[submissions]\npackage_indexes = {hosts}"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", path)
        with open_site(tmp_path_factory.mktemp("languages"), settings) as opened:
            yield opened


def test_every_language_has_a_sample():
    assert FOLDERS.keys() == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_folder_becomes_a_rated_game(language: str, site: Site, reasons: dict[str, str]):
    if CHOSEN != "all" and language not in CHOSEN.split(","):
        pytest.skip("`make submitted-languages` tries this language")
    if reason := reasons.get(language):
        pytest.skip(reason)
    folder = site.folder / language
    shutil.copytree(FOLDERS[language], folder, ignore=LEFT_OUT)
    manifest = folder / "bot.toml"
    name = f"ann-{language}"
    lines = [line for line in manifest.read_text().splitlines() if not line.startswith(("name =", "version ="))]
    manifest.write_text("\n".join([f'name = "{name}"', 'version = "1"', 'pools = ["quick"]', *lines]))

    start = time.monotonic()
    told = site.submit(folder, time_s=PATIENCE_S)
    active_s = time.monotonic() - start
    assert "active" in told
    rated = (
        "select count(*) from pool_match join match using (match_id) join pool_seat using (match_id)"
        f" where bot = '{name}' and match.state = 'ended' and pool_match.rated"
    )
    wait_until(lambda: query(site.data, rated)[0][0], PATIENCE_S)
    game_s = time.monotonic() - start

    print(f"\n{language}: {describe(site, name)}; active after {active_s:.0f} s, rated game after {game_s:.0f} s")


def describe(site: Site, bot: str) -> str:
    """Return how long the build took, how large its result is, and how much memory the newest box uses."""
    ((identity, package),) = query(site.data, f"select submission_id, package from submission where bot = '{bot}'")
    asked = (
        f"select ended_at - started_at from submission_step where step = 'building' and submission_id = '{identity}'"
    )
    ((build_s,),) = query(site.data, asked)
    files = [path for path in build_path(site.data, package).rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    return (
        f"built in {build_s:.0f} s, {len(files)} files of {size:.1f} MB, {measure_memory(site):.0f} MB while it plays"
    )


def measure_memory(site: Site) -> float:
    """Return the megabytes of all processes of the box that was made last."""
    beside = psutil.Process(site.server.pid).children()
    (maker,) = [each for each in beside if "arena.fleet.submissions.box_process" in each.cmdline()]
    newest = max(maker.children(), key=lambda each: each.create_time())
    return sum(each.memory_full_info().uss for each in (newest, *newest.children(recursive=True))) / 1e6

"""What starts a server for others: image, compose file, systemd unit and the commands of their guide.

No container engine is needed: the files are read, their scripts are run outside of a container, and every command and
option of the arena in them has to exist.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
import yaml
from typer.main import get_command

from arena.cli.main import COMMANDS, app
from arena.server.config.read_config import read_config
from arena.server.config.server_config import ServerConfig
from arena.server.metrics import FolderMetrics, NodeMetrics, PoolMetrics, build_metrics_registry
from arena.server.node.call_totals import CallTotals
from arena.server.node.limits import settable_limits
from arena.server.node.match_totals import EndedMatches
from arena.server.rpc.local_authority import LocalAuthority
from arena.server.store.open_store import open_store
from arena.web.page_meter import PageMeter
from tests.competition.pools.test_matchmaker import Arena

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "docker" / "Dockerfile"
COMPOSE_FILE = ROOT / "docker" / "compose.yaml"
UNIT = ROOT / "deploy" / "arena.service"
DOCS = ROOT / "docs"
GUIDES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "docs/rules/*.md", "*/README.md", "sample_bots/*/README.md")
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md"
)
"""All texts for users and for people who change the arena; docs/reference is made from the code."""
BOTS = yaml.safe_load(COMPOSE_FILE.read_text(encoding="utf-8"))["services"]["first-start"]["command"]
"""The bots for which the first start makes tokens."""
SERVER_SETTINGS = tomllib.loads((ROOT / "docker" / "arena.toml").read_text(encoding="utf-8"))

posix = pytest.mark.skipif(os.name != "posix", reason="the scripts are for sh")


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load(COMPOSE_FILE.read_text(encoding="utf-8"))


def instructions(name: str) -> list[str]:
    """Return the arguments of each instruction of the Dockerfile with this name, its lines joined."""
    text = re.sub(r"\\\n\s*", " ", DOCKERFILE.read_text(encoding="utf-8"))
    return re.findall(rf"^{name} (.*)$", text, re.MULTILINE)


def unit_values(name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)


# ---- commands


def called_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each call of `arena` in a text: a shell script, a list of words, or a guide."""
    text = re.sub(r"\\\n#?\s*", " ", text)
    for found in re.finditer(r"(?:^|[\s\"'/`(=])arena +(?!arena )([a-z][^\n`|>;)]*)", text, re.MULTILINE):
        words = shlex.split(found[1], comments=True)
        if words[0] in COMMANDS:
            yield words


def dockerfile_calls() -> list[list[str]]:
    [entry], [default] = instructions("ENTRYPOINT"), instructions("CMD")
    assert yaml.safe_load(entry) == ["arena"]
    return [yaml.safe_load(default)]


def compose_calls(compose: Any) -> list[list[str]]:
    """Return the commands of the services that run `arena`, and of their checks of health."""
    services = [service for service in compose["services"].values() if "entrypoint" not in service]
    checks = [service["healthcheck"]["test"] for service in services if "healthcheck" in service]
    return [service["command"] for service in services] + [words[2:] for words in checks]


def all_calls(compose: Any) -> list[list[str]]:
    files = (*(ROOT / "docker").glob("*.sh"), COMPOSE_FILE, *(ROOT / "deploy").iterdir(), *GUIDES)
    found = [words for path in files for words in called_commands(path.read_text(encoding="utf-8"))]
    calls = [words for words in found if words[1:]]  # a name alone is no call: guides say "`arena replay` shows …"
    return calls + dockerfile_calls() + compose_calls(compose)


def refused_words(words: list[str]) -> list[str]:
    """Return the options of a call that its command does not have; the command's name if there is none."""
    group = get_command(app)
    context = group.make_context("arena", [], resilient_parsing=True)
    command: Any = group
    rest = list(words)
    while hasattr(command, "resolve_command"):
        if not rest or rest[0] not in command.list_commands(context):
            return rest[:1] or ["nothing"]
        _, command, rest = command.resolve_command(context, rest)
    known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)} | {"--help"}
    return [word for word in rest if word.startswith("--") and word.partition("=")[0] not in known]


def test_every_command_and_option_exists(compose):
    calls = all_calls(compose)

    assert {words[0] for words in calls} >= {"serve", "health", "cert", "token", "match"}
    assert {" ".join(words): wrong for words in calls if (wrong := refused_words(words))} == {}


@pytest.mark.parametrize(
    ("line", "wrong"),
    [("arena serve --lisen 0.0.0.0:7", ["--lisen"]), ("arena token grant ann", ["grant"]), ("arena health x:1", [])],
)
def test_planted_command_is_found(line, wrong):
    [words] = called_commands(f"sudo -u arena /opt/arena/bin/{line}\n")

    assert refused_words(words) == wrong


# ---- image


def test_image_runs_as_its_own_user():
    text = DOCKERFILE.read_text(encoding="utf-8")

    assert instructions("USER") == ["arena"]
    assert text.index("\nUSER arena") > text.rindex("\nRUN ")


def test_server_alone_checks_its_health(compose):
    """An image with a check would need one switched off elsewhere, and some versions of compose then wait in vain."""
    checks = {name: service.get("healthcheck") for name, service in compose["services"].items()}

    assert not instructions("HEALTHCHECK")
    assert [name for name, check in checks.items() if check] == ["arena"]
    assert checks["arena"]["test"][:3] == ["CMD", "arena", "health"]
    assert checks["arena"]["test"][3] in SERVER_SETTINGS["listen"]


def test_no_secret_is_in_a_layer():
    """Tokens and keys are made at the first start, into volumes."""
    assert not re.search(r"(?i)(?:arena token|arena cert|password|secret)", "\n".join(instructions("(?:RUN|ENV|ARG)")))


# ---- compose


def test_every_service_but_the_boxes_is_read_only_without_rights(compose):
    """The image's own user is used, so no service names one."""
    for name, service in compose["services"].items():
        if name == "boxes":  # tests/architecture/test_bot_images.py
            continue
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert not {"user", "privileged", "cap_add", "devices"} & service.keys(), name


def test_bot_sees_its_own_folder_and_nothing_of_the_server(compose):
    for bot in BOTS:
        assert compose["services"][bot]["volumes"] == [f"bot-{bot.replace('_', '-')}:/bots/{bot}:ro"]


def test_pages_are_served_to_this_machine_beside_the_server(compose):
    """They read the same volume, and reach the server on loopback."""
    web = compose["services"]["web"]

    assert web["network_mode"] == "service:arena"
    assert set(web["volumes"]) <= set(compose["services"]["arena"]["volumes"])
    assert [port for port in compose["services"]["arena"]["ports"] if port.endswith(":8000")] == ["127.0.0.1:8000:8000"]


def test_server_cannot_change_its_certificate_and_sees_no_token(compose):
    volumes = compose["services"]["arena"]["volumes"]

    assert "arena-tls:/tls:ro" in volumes
    assert [volume for volume in volumes if volume.startswith("bot-")] == []


def test_server_takes_submissions_for_the_service_that_runs_boxes(compose, tmp_path):
    """Both read the same settings, which are valid, and bots have a pool to play in."""
    for name, command in (("arena", "serve"), ("boxes", "boxes")):
        assert compose["services"][name]["command"] == [command, "--config", "/etc/arena/server.toml"]
        assert "./arena.toml:/etc/arena/server.toml:ro" in compose["services"][name]["volumes"]

    settings = read_config(ROOT / "docker" / "arena.toml", {"data": tmp_path})

    assert settings.submissions.enabled
    assert not settings.submissions.runs_boxes
    assert settings.pools


def test_every_volume_is_declared_and_filled_by_the_first_start(compose):
    filled = {volume.split(":")[0] for volume in compose["services"]["first-start"]["volumes"]}

    assert filled == set(compose["volumes"])
    assert all(len(volume.split(":")) == 2 for volume in compose["services"]["first-start"]["volumes"])


def test_every_entry_point_is_in_the_image(compose):
    copied = " ".join(instructions("COPY"))

    for name, service in compose["services"].items():
        for entry in service.get("entrypoint", ()):
            assert f"docker/{entry}" in copied, name


@pytest.mark.slow
@posix
def test_first_start_makes_certificates_and_tokens_once(tmp_path):
    """The real commands, in a folder instead of a container: no secret is printed, and a second run keeps it all."""
    bots = BOTS[2:]

    def start() -> subprocess.CompletedProcess[str]:
        return run_script("make-first-start.sh", tmp_path, *bots)

    (tmp_path / "bots").mkdir()
    for bot in bots:
        (tmp_path / "bots" / bot).mkdir()
    first = start()
    assert first.returncode == 0, first.stderr
    kept = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.name in ("token", "ca.pem", "ca-key.pem")}
    second = start()

    assert second.returncode == 0, second.stderr
    assert len(kept) == 2 * len(bots) + 2
    assert {path: path.read_bytes() for path in kept} == kept
    tokens = {(tmp_path / "bots" / bot / "token").read_text().strip() for bot in bots}
    assert len(tokens) == len(bots)
    assert not any(token in first.stdout + first.stderr for token in tokens)
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)


@posix
@pytest.mark.parametrize("bot", BOTS)
def test_bot_gets_its_token_in_the_environment_only(tmp_path, bot):
    """`python` is a stand-in that shows how it was started. No other program gets the token as an argument either."""
    assert "$CHEATARENA_TOKEN" not in (ROOT / "docker" / "run-sample-bot.sh").read_text(encoding="utf-8")
    (tmp_path / "bots" / bot).mkdir(parents=True)
    (tmp_path / "bots" / bot / "token").write_text("cat_planted\n")
    stand_in = tmp_path / "bin" / "python"
    stand_in.parent.mkdir()
    stand_in.write_text('#!/bin/sh\necho "$@"\necho "$CHEATARENA_TOKEN" "$CHEATARENA_CA"\n')
    stand_in.chmod(0o755)

    done = run_script("run-sample-bot.sh", tmp_path, bot)

    assert done.stdout.splitlines() == [
        f"-m sample_bots.python.{bot}.bot", f"cat_planted {tmp_path}/bots/{bot}/ca.pem"
    ]  # fmt: skip
    assert (ROOT / "sample_bots" / "python" / bot / "bot.py").is_file()


def run_script(name: str, place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the image with its folders /tls and /bots below `place`."""
    script = (ROOT / "docker" / name).read_text(encoding="utf-8")
    for folder in ("/tls", "/bots"):
        script = script.replace(folder, f"{place}{folder}")
    commands = place / "bin"
    commands.mkdir(exist_ok=True)
    if not (arena := commands / "arena").exists():
        arena.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from arena.cli.main import main; main()" "$@"\n')
        arena.chmod(0o755)
    environment = {"PATH": f"{commands}:{os.defpath}", "ARENA_DATA": str(place / "data"), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["sh", "-c", script, name, *arguments],
        env=environment, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


# ---- systemd


def test_unit_runs_with_few_rights_and_stops_after_the_grace_period():
    assert unit_values("User") == ["arena"]
    assert unit_values("ProtectSystem") == ["strict"]
    assert unit_values("NoNewPrivileges") == ["yes"]
    assert unit_values("CapabilityBoundingSet") == [""]
    assert unit_values("StateDirectory") == ["arena"]
    assert unit_values("Restart") == ["on-failure"]
    assert unit_values("RuntimeMaxSec") == ["7d"], (
        "a failure for systemd, so the server starts again, with a new journal"
    )
    assert unit_values("MemoryMax")
    assert float(unit_values("TimeoutStopSec")[0]) > 2 * read_config().grace_s


def test_unit_lets_every_session_have_a_file_descriptor():
    assert int(unit_values("LimitNOFILE")[0]) > read_config().limits.sessions + 1000


@posix
def test_systemd_accepts_the_unit(tmp_path):
    """Apart from the program, which is installed elsewhere here."""
    unit = tmp_path / "arena.service"
    unit.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/arena/bin/arena", "/bin/true"), encoding="utf-8")
    try:
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, timeout=60, check=False
        )
    except FileNotFoundError:
        pytest.skip("systemd-analyze is not installed")

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


# ---- the guide


def test_settings_of_the_guide_are_read(tmp_path):
    def read(guide: str) -> ServerConfig:
        [text] = re.findall(r"```toml\n(.*?)```", (DOCS / guide).read_text(encoding="utf-8"), re.DOTALL)
        (file := tmp_path / "server.toml").write_text(text, encoding="utf-8")
        return read_config(file)

    first, settings = read("first-server.md"), read("proxies.md")

    assert first.data == Path("/var/lib") / unit_values("StateDirectory")[0]
    assert first.plaintext_behind_proxy
    assert settings.tls_cert is not None
    assert settings.tls_key is not None
    script = (ROOT / "deploy" / "install-certificate.sh").read_text(encoding="utf-8")
    assert str(settings.tls_cert) in script
    assert str(settings.tls_key) in script


METRIC: Final = re.compile(r"\b((?:arena|process)_[a-z]+_[a-z_]+|arena_(?:sessions|matches|submissions|boxes))\b")


@pytest.fixture
async def served_metrics(tmp_path) -> set[str]:
    """The names of all metrics of a server with a pool, submissions, a certificate and pages."""
    calls = CallTotals()
    node: Any = SimpleNamespace(
        ended=EndedMatches(),
        registry=SimpleNamespace(matches={}),
        sessions={},
        stalls_us=[],
        frames={"in": 0, "out": 0},
        calls=calls,
    )
    calls.note("Health/Check", "OK", 0.1)
    matchmaker = Arena().matchmaker
    pair = LocalAuthority(tmp_path / "tls").issue_server_certificate(["localhost"])
    async with await open_store(tmp_path / "data"):
        folder = FolderMetrics(tmp_path / "data", pair.certificate)
        registry = build_metrics_registry(NodeMetrics(node), PoolMetrics(matchmaker), folder)
        PageMeter(registry).note("/", 200, 0.1)
        return {sample.name for family in registry.collect() for sample in family.samples}


def dashboard_expressions() -> list[str]:
    dashboard = json.loads((ROOT / "deploy" / "grafana.json").read_text())
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def test_metrics_of_guide_dashboard_and_alerts_exist(served_metrics):
    """A histogram's buckets are its samples."""
    alerts = yaml.safe_load((ROOT / "deploy" / "alerts.yml").read_text())
    expressions = [*dashboard_expressions(), *(rule["expr"] for group in alerts["groups"] for rule in group["rules"])]

    named = {name for text in (*expressions, section("Health, metrics")) for name in METRIC.findall(text)}

    assert len(named) > 18
    assert named - served_metrics == {"arena_think_seconds", "arena_page_first_byte_seconds"}


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed; CI installs it")
def test_prometheus_understands_alerts_and_dashboard(tmp_path):
    """It reads no dashboards, so the expressions of the panels are rules of a file of their own here."""
    rules = [{"record": f"panel:{number}", "expr": each} for number, each in enumerate(dashboard_expressions())]
    (tmp_path / "panels.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))

    checked = subprocess.run(
        ["promtool", "check", "rules", ROOT / "deploy" / "alerts.yml", tmp_path / "panels.yml"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.returncode == 0, checked.stderr
    assert re.findall(r"SUCCESS: (\d+) rules found", checked.stdout) == ["13", str(len(rules))]


def test_limits_of_the_guide_can_be_set_and_have_these_defaults():
    rows = re.findall(r"^\| `([a-z_]+)` \| (\d+) \|", section("Limits"), re.MULTILINE)
    limits = read_config().limits

    assert len(rows) > 5
    assert {name for name, _ in rows} <= settable_limits()
    assert {name: int(value) for name, value in rows} == {name: getattr(limits, name) for name, _ in rows}


def test_links_of_the_guides_lead_somewhere():
    """Also to the chapters of a page."""
    for guide in (*GUIDES, *(ROOT / "docs" / "reference").iterdir()):
        for link, _, anchor in re.findall(r"\]\(([^)#]*)(#([^)]+))?\)", guide.read_text(encoding="utf-8")):
            page = guide.parent / link if link else guide
            assert link.startswith("https:") or page.exists(), f"{guide.name}: {link}"
            assert not anchor or page.suffix != ".md" or anchor in anchors(page), f"{guide.name}: {link}#{anchor}"


def anchors(page: Path) -> set[str]:
    """Return the names of the chapters of a page, as GitHub makes them from headings, and those that it declares."""
    text = page.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    declared = re.findall('<a id="(.*?)"', text)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles} | {*declared}


def section(title: str) -> str:
    """Return a chapter of the guide for operators whose heading begins with a title."""
    return (DOCS / "operations.md").read_text(encoding="utf-8").partition(f"\n## {title}")[2].partition("\n## ")[0]

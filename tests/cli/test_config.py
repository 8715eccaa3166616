"""Settings: flags override the environment, which overrides the file; all errors are reported at once."""

from dataclasses import fields, replace

import pytest

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.errors import NotationError, OptionError, OptionsError
from arena.server.config.read_config import box_variables, read_config
from arena.server.config.retention_settings import RetentionSettings
from arena.server.config.server_config import ServerConfig
from arena.server.node.limits import Limits, settable_limits


@pytest.fixture
def file(tmp_path, monkeypatch):
    for name in ("ARENA_PORT", "ARENA_HOST", "ARENA_DATA", "ARENA_LOG_LEVEL"):
        monkeypatch.delenv(name, raising=False)

    def write(text):
        path = tmp_path / "arena.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_defaults_apply_without_any_settings(file):
    assert read_config() == ServerConfig()


def test_flags_override_environment_and_environment_overrides_file(file, monkeypatch):
    path = file('port = 1\nhost = "localhost"\ngrace_s = 2\n[limits]\nmatches = 7\n')
    monkeypatch.setenv("ARENA_PORT", "2")
    monkeypatch.setenv("ARENA_HOST", "::1")
    monkeypatch.setenv("ARENA_LIMITS__SESSIONS", "9")

    config = read_config(path, {"port": 3, "data": None})

    assert (config.port, config.host, config.grace_s) == (3, "::1", 2)
    assert config.limits == replace(Limits(), matches=7, sessions=9)


def test_defaults_of_a_command_are_weaker_than_any_setting(file, monkeypatch):
    quiet = {"log_level": "critical"}

    assert read_config(defaults=quiet).log_level == "critical"
    assert read_config(file('log_level = "debug"'), defaults=quiet).log_level == "debug"
    monkeypatch.setenv("Arena_Log_Level", "warning")
    assert read_config(file('log_level = "debug"'), defaults=quiet).log_level == "warning"


def test_each_source_overrides_only_the_limits_that_it_has(file, monkeypatch):
    path = file("[limits]\nmatches = 1\nsessions = 1\njoins_a_minute = 1\n")
    monkeypatch.setenv("ARENA_LIMITS__SESSIONS", "2")
    monkeypatch.setenv("arena_limits__Matches", "2")

    config = read_config(path, {"limits": {"matches": 3}})

    assert config.limits == replace(Limits(), matches=3, sessions=2, joins_a_minute=1)


def test_settings_of_submissions_have_variables_too(file, monkeypatch):
    monkeypatch.setenv("ARENA_SUBMISSIONS__ENABLED", "true")
    monkeypatch.setenv("ARENA_SUBMISSIONS__PACKAGE_INDEXES", "a.example, b.example")

    submissions = read_config(file("[submissions]\nqueued = 4\n")).submissions

    assert submissions == SubmissionSettings(enabled=True, queued=4, package_indexes=("a.example", "b.example"))


def test_terms_of_journals_are_checked(file, monkeypatch):
    monkeypatch.setenv("ARENA_RETENTION__PACK_AFTER_DAYS", "90")
    assert read_config(file("[retention]\ndrop_after_days = 365\n")).retention == RetentionSettings(True, 90, 365)
    for text, fault in (
        ("drop_after_days = 30", "retention.drop_after_days must be at least pack_after_days, 90, got 30"),
        ("drop_after_days = -1", "retention.drop_after_days must be a?.*1 to 36500, got -1"),
        ('drop_after_days = "2027-01-01"', "retention.drop_after_days must be .*1 to 36500"),
        ("pack_after = 5", "pack_after"),
    ):
        with pytest.raises(OptionsError, match=fault):
            read_config(file(f"[retention]\n{text}\n"))


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ("limits = 5", {}),
        ("limits = 5", {"ARENA_LIMITS__SESSIONS": "9"}),
        ("[limits]\nmatches = 7", {"ARENA_LIMITS": "5"}),
        ("", {"ARENA_LIMITS": "5", "ARENA_LIMITS__SESSIONS": "9"}),
    ],
)
def test_limits_that_are_no_table_are_refused(file, monkeypatch, text, variables):
    """The sentence says what is expected, in words of the user."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    refusal = r"limits must be a table \[limits\] in the file.*, got '?5'?"
    with pytest.raises(OptionsError, match=refusal):
        read_config(file(text))


def test_every_error_is_reported_at_once(file):
    path = file(
        'port = 70000\ncolour = "red"\ngrace_s = -1\n[limits]\nmatches = 0\nwishes = 3\nframe_bytes = "big"\n'
        '[submissions]\nqueued = 0\npackage_indexes = ["https://a.example", "b.example", "c.example:443"]\n'
    )

    with pytest.raises(OptionsError) as caught:
        read_config(path)

    assert sorted(fault.field for fault in caught.value.faults) == [
        "colour", "grace_s", "limits.frame_bytes", "limits.matches", "limits.wishes", "port",
        "submissions.package_indexes", "submissions.package_indexes", "submissions.queued",
    ]  # fmt: skip


def test_texts_are_split_at_commas_in_a_file_too(file):
    config = read_config(file('listen = "a:1, b:2"\n[boxes]\npaths = "/opt/a,/opt/b"\n'))

    assert (config.listen, config.boxes.paths) == (("a:1", "b:2"), ("/opt/a", "/opt/b"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("port = 70000", "port must be 0 to 65535, got 70000"),
        ("port = 'x'", "port must be 0 to 65535, got 'x'"),
        ("web_port = 0.5", "web_port must be a whole number, 0 to 65535, got 0.5"),
        ("grace_s = -1", "grace_s must be 0 to 86400, got -1"),
        ('host = ""', "option host = '' is refused: string should have at least 1 character"),
        ('journal = "paper"', "journal must be 'process' or 'disk', got 'paper'"),
        ("colour = 1", "option colour = 1 is refused: unknown setting"),
        (
            '[[pools]]\nname = "x"\nhouse_bots = "sample:honest"',
            'pools[0].house_bots must be a list, such as ["a", "b"], got \'sample:honest\'',
        ),
        ("[[pools]]\nname = 'x'\nseats = 'all'", "pools[0].seats must be 2 to 10, got 'all'"),
        ("[[pools]]\nname = 'x'\nseason_days = 0", "pools[0].season_days must be above 0, at most 3660, got 0"),
        ("[limits]\nmatches = 0", "limits.matches must be 1 to 1000000, got 0"),
        ("[limits]\nframe_bytes = 4096", "option limits.frame_bytes = 4096 is refused: unknown setting"),
    ],
)
def test_error_states_allowed_values(file, text, said):
    with pytest.raises(OptionsError) as caught:
        read_config(file(text))

    assert str(caught.value) == said


def test_unreadable_file_is_refused(file, tmp_path):
    with pytest.raises(NotationError):
        read_config(file("port ="))
    with pytest.raises(OptionError, match="cannot be read"):
        read_config(tmp_path / "nothing.toml")


def test_every_configurable_limit_can_be_set(file):
    known = {
        "sessions", "sessions_a_token", "joins_a_minute", "connections_an_address", "matches", "messages_a_second",
        "outbox_bytes", "outbox_bytes_a_seat", "streams_a_connection", "redemptions_a_minute",
        "account_changes_a_minute", "streams_a_minute", "guesses_a_minute", "people_an_address",
    }  # fmt: skip

    config = read_config(flags={"limits": dict.fromkeys(known, 4096) | {"binds_loopback": True}})

    assert known | {"binds_loopback"} == settable_limits() <= {field.name for field in fields(Limits)}
    assert {getattr(config.limits, name) for name in known} == {4096}
    assert config.limits.binds_loopback


def test_submissions_are_off_unless_a_file_turns_them_on(tmp_path, monkeypatch):
    assert not read_config().submissions.enabled
    (tmp_path / "arena.toml").write_text("[submissions]\nenabled = true\nqueued = 1\n")

    read = read_config(tmp_path / "arena.toml").submissions

    assert (read.enabled, read.queued, read.trial_games) == (True, 1, 2)
    monkeypatch.setenv("ARENA_SUBMISSIONS", "yes")
    with pytest.raises(OptionsError, match=r"submissions must be a table \[submissions\] in the file"):
        read_config()


@pytest.mark.parametrize(
    "line",
    [
        *("trial_games = 0", "files = 0", "stored_mb = 'all'", "enable = true"),
        *("package_indexes = ['https://index.example']", "package_indexes = ['index.example:443', 'b.example']"),
    ],
)
def test_invalid_setting_for_submissions_is_refused(tmp_path, line):
    (tmp_path / "arena.toml").write_text(f"[submissions]\n{line}\n")

    with pytest.raises(OptionsError, match=r"submissions\."):
        read_config(tmp_path / "arena.toml")


@pytest.mark.parametrize(
    "boxes",
    [
        BoxSettings(
            "oci", ("/opt/node", "/opt/java"), memory_mb=64, processes=7, cpus=0.5, scratch_mb=9, slice="a.slice"
        ),
        BoxSettings(total_memory_mb=900, total_processes=99, total_cpus=1.5, build_time_s=60.0, build_memory_mb=512),
    ],
)
def test_settings_of_boxes_can_be_given_to_another_command(monkeypatch, boxes):
    """A submission is checked and tried by commands that have to isolate it as the server does."""
    for variable, text in box_variables(boxes).items():
        monkeypatch.setenv(variable, text)

    assert read_config().boxes == boxes

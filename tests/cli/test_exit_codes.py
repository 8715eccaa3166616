"""Exit codes are part of the interface: their numbers, and which errors lead to which."""

import pytest

from arena import errors
from arena.cli.exit_codes import ExitCode, Interrupted, exit_code_for


def test_exit_code_numbers_are_stable():
    """Scripts and CI depend on them."""
    assert {code.name: code.value for code in ExitCode} == {
        "YES": 0,
        "NO": 1,
        "UNDECIDED": 2,
        "BOT_FAILED": 3,
        "USAGE": 64,
        "INTERNAL_ERROR": 70,
        "UNSTEADY": 75,
        "NOT_ISOLATED": 77,
        "INTERRUPTED": 130,
    }


@pytest.mark.parametrize(
    ("error", "code"),
    [
        pytest.param(errors.OptionError("games", 0, "1 or more"), ExitCode.USAGE, id="option"),
        pytest.param(errors.UnknownNameError("preset", "x"), ExitCode.USAGE, id="name"),
        pytest.param(errors.NotationError("x", "TOML"), ExitCode.USAGE, id="notation"),
        pytest.param(errors.NotInstalledError("a package is missing"), ExitCode.USAGE, id="not-installed"),
        pytest.param(errors.DeniedError("no token"), ExitCode.USAGE, id="denied"),
        pytest.param(errors.CapacityError("full"), ExitCode.UNSTEADY, id="full"),
        pytest.param(errors.BotStartError("it is gone"), ExitCode.BOT_FAILED, id="bot"),
        pytest.param(errors.StoreLockedError("held"), ExitCode.UNSTEADY, id="held"),
        pytest.param(errors.StoreVersionError("newer"), ExitCode.UNSTEADY, id="newer"),
        pytest.param(errors.PortBusyError("taken"), ExitCode.UNSTEADY, id="port"),
        pytest.param(errors.IsolationError(["bubblewrap is missing"]), ExitCode.NOT_ISOLATED, id="isolation"),
        pytest.param(errors.ArenaError("?"), ExitCode.INTERNAL_ERROR, id="unknown-kind"),
        pytest.param(Interrupted("stopped"), ExitCode.INTERRUPTED, id="interrupted"),
        pytest.param(KeyboardInterrupt(), ExitCode.INTERRUPTED, id="ctrl-c"),
        pytest.param(ValueError("?"), ExitCode.INTERNAL_ERROR, id="unexpected"),
    ],
)
def test_each_error_has_its_exit_code(error, code):
    assert exit_code_for(error) is code

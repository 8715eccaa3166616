"""Exit codes are part of the interface: their numbers, and which errors lead to which."""

import pytest

from arena import errors
from arena.cli.exits import Exit, Interrupted, exit_for


def test_the_numbers_never_change():
    """Scripts and CI read them."""
    assert {code.name: code.value for code in Exit} == {
        "YES": 0,
        "NO": 1,
        "UNDECIDED": 2,
        "BOT_FAILED": 3,
        "USAGE": 64,
        "OUR_FAULT": 70,
        "UNSTEADY": 75,
        "INTERRUPTED": 130,
    }


@pytest.mark.parametrize(
    ("error", "code"),
    [
        pytest.param(errors.OptionError("games", 0, "1 or more"), Exit.USAGE, id="option"),
        pytest.param(errors.UnknownNameError("preset", "x"), Exit.USAGE, id="name"),
        pytest.param(errors.NotationError("x", "TOML"), Exit.USAGE, id="notation"),
        pytest.param(errors.DeniedError("no token"), Exit.USAGE, id="denied"),
        pytest.param(errors.CapacityError("full"), Exit.UNSTEADY, id="full"),
        pytest.param(errors.BotStartError("it is gone"), Exit.BOT_FAILED, id="bot"),
        pytest.param(errors.StoreHeldError("held"), Exit.UNSTEADY, id="held"),
        pytest.param(errors.StoreVersionError("newer"), Exit.UNSTEADY, id="newer"),
        pytest.param(errors.PortBusyError("taken"), Exit.UNSTEADY, id="port"),
        pytest.param(errors.ArenaError("?"), Exit.OUR_FAULT, id="unknown-kind"),
        pytest.param(Interrupted("stopped"), Exit.INTERRUPTED, id="interrupted"),
        pytest.param(KeyboardInterrupt(), Exit.INTERRUPTED, id="ctrl-c"),
        pytest.param(ValueError("?"), Exit.OUR_FAULT, id="unexpected"),
    ],
)
def test_each_error_has_its_code(error, code):
    assert exit_for(error) is code

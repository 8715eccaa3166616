"""A bot that plays a network which `reinforce` has saved.

python -m arena.envs.learned_bot FILE
"""

import sys
from argparse import ArgumentParser
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from arena.envs.policy_bot import build_bot_class
from arena.envs.reinforce import Network
from cheatarena import run
from cheatarena.player import Player


def load_bot_class(file: Path) -> type[Player]:
    """Return the class of a bot that plays a saved network. Raises OSError, or ValueError if the file has none."""
    try:
        with np.load(file) as saved:
            return build_bot_class(Network([saved["arr_0"], saved["arr_1"]]).choose, str(saved["game"]))
    except (TypeError, KeyError, ValueError, EOFError, BadZipFile) as error:
        raise ValueError(f"{file} is no network that arena.envs.reinforce has saved") from error


def main() -> None:
    reader = ArgumentParser(prog="python -m arena.envs.learned_bot")
    reader.add_argument("file", metavar="FILE", type=Path)
    file = reader.parse_args().file
    try:
        bot_class = load_bot_class(file)
    except OSError as error:
        sys.exit(f"{file} cannot be read: {error.strerror}")
    except ValueError as error:
        sys.exit(str(error))
    run(bot_class)


if __name__ == "__main__":
    main()

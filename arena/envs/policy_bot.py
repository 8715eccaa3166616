"""A policy as a bot: what learned in an environment plays in matches, by what a bot is told over the wire.

fact, question ──▶ arrays of one seat ──▶ policy ──▶ action ──▶ … ──▶ answer
"""

import logging
from collections.abc import Callable
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from arena.envs.learner_tables import Opponent
from arena.envs.vector_tables import Flags, read_actions
from arena.errors import IllegalActionError, OptionError
from arena.games.arrays import GameArrays, SeenArrays
from arena.games.catalogue import PACKS, arrays_of
from cheatarena.game import QuestionKind
from cheatarena.player import Player
from cheatarena.terms import Offer, Terms

_logger: Final = logging.getLogger("cheatarena.bot")


class PolicyPlayer(Player):
    """The part that policies of all games share. `build_bot_class` adds the methods for the questions of a game."""

    _encoding: ClassVar[str]
    _arrays: ClassVar[GameArrays]

    _seen: SeenArrays
    _generator: np.random.Generator

    @classmethod
    def accepts(cls, offer: Offer) -> bool:
        """Decline a ruleset that the arrays cannot hold, and log why."""
        try:
            cls._check(offer.terms)
        except OptionError as error:
            _logger.warning("match %d: the seat is declined: %s", offer.match, error)
            return False
        return True

    @classmethod
    def _check(cls, terms: Terms) -> None:
        """Raise OptionError if the arrays cannot hold a match."""
        ruleset = cls._arrays.load_seen_arrays().read_ruleset(terms.ruleset)
        cls._arrays.check(ruleset, len(terms.entrants), cls._encoding)

    def match_started(self, table: Any) -> None:
        self._check(table.terms)  # practice offers no seats
        self._generator = np.random.default_rng(table.random.getrandbits(64))

    def game_started(self, table: Any) -> None:
        self._seen = self._arrays.load_seen_arrays()(table, self._encoding)

    def saw(self, table: Any, event: Any) -> None:  # noqa: ARG002  the arrays follow events alone
        self._seen.saw(event)

    def _decide(self, table: Any) -> Any:
        """Return the policy's answer to the table's question, which takes several actions in `steps`."""
        seen = self._seen
        state, arrays = seen.ask(table), seen.arrays
        answer = None
        while answer is None:
            answer = arrays.choose(self._choose(arrays.observe(state, table.seat), arrays.mask()))
        return seen.answer(answer)

    def _choose(self, observation: bytes, mask: bytes) -> int:
        """Return the policy's action. Raises IllegalActionError for one that the mask forbids."""
        observations = np.frombuffer(observation, np.int8)[None].copy()  # a policy may write into its batch
        masks = np.frombuffer(mask, np.bool_)[None].copy()
        action = int(read_actions(self._ask_policy(observations, masks), 1)[0])
        if not 0 <= action < len(mask) or not mask[action]:
            raise IllegalActionError(f"the policy has chosen action {action}, which its mask forbids")
        return action

    def _ask_policy(self, observations: NDArray[np.int8], masks: Flags) -> Any:
        raise NotImplementedError


def build_bot_class(policy: Opponent, game: str = "", encoding: str = "") -> type[Player]:
    """Return the class of a bot that plays as a policy does, with any ruleset of a game that the arrays hold.

    A policy is what an opponent in a pool is: it gets a batch of one. Without a game or an encoding, the first one is
    taken. Raises UnknownNameError for an unknown game, and OptionError for an unknown encoding.
    """
    arrays = arrays_of(game or next(iter(PACKS)))
    encoding = arrays.read_encoding(encoding)
    base = arrays.load_seen_arrays().bot_class
    attributes: dict[str, Any] = {kind.method: _answer_method(kind) for kind in base.game.kinds.values()}
    attributes["_ask_policy"] = lambda self, observations, masks: policy(observations, masks, self._generator)
    return type("PolicyBot", (PolicyPlayer, base), {"_encoding": encoding, "_arrays": arrays, **attributes})


def _answer_method(kind: QuestionKind) -> Callable[..., Any]:
    """Return the method of a bot that answers a kind of question."""

    def answer(self: PolicyPlayer, table: Any, *_: Any) -> Any:
        if table.question.kind.method != kind.method:
            return kind.default_answer  # in Cheat, a turn that allows a call asks for the call first
        return self._decide(table)

    return answer

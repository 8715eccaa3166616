"""cautious: a bot of CHEATER that draws, keeps its letters and the cards that can hide them, and never attacks."""

from cheatarena import run
from cheatarena.cheater import (
    HIDE,
    WILD,
    ActOptions,
    Allow,
    CheaterBot,
    Discard,
    DiscardOptions,
    Draw,
    Move,
    Reaction,
    ReactionOptions,
    Table,
)


class Cautious(CheaterBot):
    def act(self, table: Table, options: ActOptions) -> Move:
        return options.draw_two() or Draw()

    def discard(self, table: Table, options: DiscardOptions) -> Discard:
        """Discard attack cards first, then spare letters, then cards that can hide. This bot never attacks."""
        spare = table.hand.spare(table.hand.nearest)
        attacking = [card for card in spare if not card.is_letter and card not in (HIDE, WILD)]
        others = [card for card in spare if card not in attacking]
        return Discard(tuple([*attacking, *others][: options.count]))

    def reaction(self, table: Table, options: ReactionOptions) -> Reaction:
        return options.hide() or Allow()


if __name__ == "__main__":
    run(Cautious)

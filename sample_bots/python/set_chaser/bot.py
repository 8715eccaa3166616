"""set_chaser: a bot of CHEATER that collects its nearest word, and takes missing letters wherever it finds them."""

from cheatarena import run
from cheatarena.cheater import (
    ActOptions,
    Allow,
    Attack,
    CheaterBot,
    Discard,
    DiscardOptions,
    Draw,
    Move,
    Pick,
    PickOptions,
    Reaction,
    ReactionOptions,
    Table,
)


class SetChaser(CheaterBot):
    def act(self, table: Table, options: ActOptions) -> Move:
        missing = table.hand.missing(self.target_color(table))
        if table.top in missing and (top := options.take_top()):
            return top
        chances = {seat: self.score_target(table, seat, missing) for seat in options.targets}
        target = max(chances, key=lambda seat: chances[seat])
        return options.attack(Attack.TAKE, target) or options.attack(Attack.DEMAND, target) or Draw()

    def target_color(self, table: Table) -> int:
        """Return the colour of the nearest word, but prefer words that need no card from the discard pile."""
        return max(table.hand.colors, key=lambda color: (table.is_possible(color), -table.hand.distance(color)))

    def score_target(self, table: Table, seat: int, missing: tuple[int, ...]) -> float:
        """Return 2 if a seat surely has a missing card; otherwise a score that grows with the seat's unknown cards."""
        known = table.known_cards(seat)
        if any(card in known for card in missing):
            return 2
        unknown = table.hand_sizes[seat] - len(known)
        return unknown * sum(table.unseen(card) for card in set(missing)) / 100

    def discard(self, table: Table, options: DiscardOptions) -> Discard:
        return options.least_useful(self.target_color(table))

    def reaction(self, table: Table, options: ReactionOptions) -> Reaction:
        return options.hide() or Allow()

    def pick(self, table: Table, options: PickOptions) -> Pick:
        return options.best(self.target_color(table))


if __name__ == "__main__":
    run(SetChaser)

"""The steps cover the guide's checklist: each of its points names the steps that test it."""

import re
from pathlib import Path

from arena.author.check.steps import STEPS

GUIDE = Path(__file__).resolve().parents[3] / "proto" / "README.md"

COVERED = {
    "Send one Hello first.": {"two-seats"},
    "Use the same `instance` after a reconnect.": {"lost-question"},
    "Take the token from the environment, never from the command line.": {"two-seats"},
    "Hold all seats on one stream, with one state for each `(match, entrant)`.": {"many-matches"},
    "Read each frame to its end, then answer in one frame.": {"joined-frames"},
    "Check `sequence`.": {"unnumbered"},
    "A message with sequence 0 belongs to no seat.": {"unnumbered"},
    "In any other message, `sequence` is one more than in the previous message to that seat, unless the message has a "
    "snapshot.": {"missing-message", "lost-acceptance"},
    "If a message is missing, reconnect.": {"missing-message"},
    "Answer every offer immediately.": {"two-seats", "lost-before-offer"},
    "Answer every sealed window with a call or a decline.": {"standard"},
    "Answer every turn within the options.": {"standard", "folk", "rank-lock", "ascending", "turn-calls", "cut"},
    "Answer each prompt once.": {"standard"},
    "Answer it again only after a refusal (with a new action id) or after a reconnect.": {"refused", "lost-answer"},
    "Process `prompts` before `withdrawn`.": {"closed-at-once"},
    "Forget prompts that are closed, by `withdrawn` or by `GameEnded`.": {"closed-at-once", "late", "live"},
    "Keep track of your hand from facts or a snapshot, never from the decisions that you sent.": {"refused", "late"},
    "The facts are `CheatHand`, `CheatLaid` and `CheatTaken`; section 13 names those of CHEATER.": {"cheater"},
    "Read both forms of `CheatCards`.": {"big-hands"},
    "Ignore unknown facts and notices.": {"unknown"},
    "Treat unknown reasons like any other refusal.": {"refused"},
    "If a stream is lost, open a new one within the reconnect allowance, with growing pauses between attempts.": {
        "lost-question",
        "shutdown",
    },
    "Do not reconnect after `SESSION_REPLACED`, or if your token was refused.": {"replaced", "wrong-token"},
    "Watch for [a line that is dead one way](#a-line-that-is-dead-one-way).": {"dead-line"},
    "Compute deadlines on the server's clock.": {"clock"},
    "Send `Ready` in breaks, and answer pings with `Pong`, also while you think.": {"breaks", "lost-in-break", "pings"},
    "When you are [asked to stop](#when-your-bot-is-asked-to-stop), say `Goodbye`.": {"stop"},
    "After Ctrl-C in a pool, finish your matches first.": {"finish"},
}
"""The sentences of the checklist, and the steps that fail for a bot that does not keep to them."""


def checklist() -> list[str]:
    """Return the sentences of the guide's checklist."""
    section = GUIDE.read_text(encoding="utf-8").partition("## 17. Checklist")[2].partition("\n## ")[0]
    points = re.findall(r"- \[ \] (.+?)(?=\n- \[ \]|\n\n)", section, re.DOTALL)
    return [sentence for point in points for sentence in re.split(r"(?<=\.)\s+", " ".join(point.split()))]


def test_every_sentence_of_the_checklist_is_covered():
    assert set(checklist()) == COVERED.keys()


def test_every_step_that_is_named_exists():
    assert set().union(*COVERED.values()) <= {step.name for step in STEPS}


def test_the_names_of_the_steps_are_unique():
    names = [step.name for step in STEPS]
    assert sorted(set(names)) == sorted(names)

"""Messages that are almost right: refused with documented reasons, without an error in the log."""

import os
from random import Random

import pytest

from tests.faults.fuzz import fuzz
from tests.faults.mutation import mutate

MESSAGES = int(os.environ.get("FUZZED_MESSAGES", "4000"))
"""More of them are sent by `make fuzz`."""


@pytest.mark.slow
async def test_fuzzed_messages_get_documented_reasons_only(tmp_path):
    """Bots play on afterwards as if nothing had happened."""
    outcome = await fuzz(tmp_path, MESSAGES, seconds=60)

    assert outcome.findings.is_enough
    assert len(outcome.findings.sent) == 10  # every method, and a seat in a match
    assert outcome.findings.undocumented == []
    assert outcome.errors == []
    assert outcome.is_sound


def test_mutations_change_most_messages_and_repeat_with_their_seed():
    raw = bytes(range(40))

    mutated = [mutate(raw, Random(seed)) for seed in range(200)]

    assert sum(each != raw for each in mutated) > 100
    assert mutated == [mutate(raw, Random(seed)) for seed in range(200)]

"""A league at many nodes, of which some are lost and replaced: each game is played once, and none is left out."""

from tools.studies.cluster_simulated import measure


async def test_each_block_has_one_result_although_nodes_are_lost():
    played = await measure(node_count=4, games=64, losses=0.1)

    numbers = [result.block.number for result in played.results]
    missing = set(range(1, max(numbers) + 1)).difference(numbers)
    assert played.lost > 0
    assert len(numbers) == len(set(numbers))
    assert len(missing) <= 4 * 8, "only what is still played at the nodes"

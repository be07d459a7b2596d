"""Random numbers in blocks, the same whatever the machine."""

from collections.abc import Iterator

import numpy as np

from bayescmp.checks import check_count

ELEMENTS_AT_A_TIME = 2**19
"""Numbers in memory at once: part of the random stream's layout, so that results do not depend on the machine."""


def streams(random_seed: int, n_draws: int, width: int) -> Iterator[tuple[np.random.Generator, int]]:
    """A generator for each block of draws, and the block's size."""
    size = int(np.clip(ELEMENTS_AT_A_TIME // width, 16, 4096))
    for block in range(-(-check_count("n_draws", n_draws) // size)):
        rng = np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence((random_seed, block))))
        yield rng, min(size, n_draws - block * size)

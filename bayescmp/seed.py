"""Seeds: the one that was given, or a new one to record."""

import numpy as np


def checked_seed(random_seed: int | None) -> int:
    """The seed as given, or a new one to record."""
    if random_seed is None:
        return int(np.random.SeedSequence().entropy % 2**32)  # type: ignore[operator]
    if isinstance(random_seed, bool) or not isinstance(random_seed, (int, np.integer)) or random_seed < 0:
        raise ValueError(f"`random_seed` must be a whole number of 0 or more, got {random_seed!r}.")
    return int(random_seed)

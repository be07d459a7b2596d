"""What every benchmark needs: the median time of some work."""

from collections.abc import Callable
from statistics import median
from time import perf_counter


def seconds(work: Callable[[], object], times: int = 5) -> float:
    laps = []
    for _ in range(times):
        start = perf_counter()
        work()
        laps.append(perf_counter() - start)
    return median(laps)

"""The calibration study: simulated studies whose truth is known. Writes docs/calibration.md and docs/statements.md.

Run as `python benchmarks/calibration` (about twenty minutes on one core), with --statements for the part about what
the tool says, with --only models, items or plans for one section (some minutes), or with --quick for the same tables
from few studies, printed only. Exits with 1 where a rate that theory knows is more than four standard errors off.
"""

import argparse
import sys
import warnings
from pathlib import Path
from time import perf_counter

import counts
import effects
import items
import joint
import many_datasets
import one_dataset
import plans
import rankings
import real_cv
import statements
from book import Book

from bayescmp.numerics.threads import one_blas_thread

DOCS = Path(__file__).parents[2] / "docs"
SEED = 2026
SECTIONS = {
    "models": ((many_datasets, rankings, joint), "## Many models"),
    "items": ((items,), "## Items of one test set"),
    "plans": ((plans,), "## Plans"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few studies; print the tables and write nothing")
    parser.add_argument("--statements", action="store_true", help="only what the tool says, and how often it is true")
    parser.add_argument("--only", choices=SECTIONS, help="only this part, into its section of the page")
    options = parser.parse_args()
    book = Book(SEED, options.quick)
    every = (one_dataset, counts, items, many_datasets, rankings, joint, effects, real_cv, plans)
    tests = () if options.statements else every
    parts = SECTIONS[options.only][0] if options.only else (*tests, statements)
    start = perf_counter()
    with one_blas_thread(), warnings.catch_warnings():
        # 5 x 2-fold differences of small test sets may happen to be equal
        warnings.simplefilter("ignore", category=UserWarning)
        for part in parts:
            part.run(book)
    if not book.quick and statements in parts:
        statements.write(book, DOCS)
    if not book.quick and not options.statements:
        import page

        page.write_section(book, DOCS, SECTIONS[options.only][1]) if options.only else page.write(book, DOCS)
    print(f"\n{book.checks} rates and distributions compared with theory, {len(book.failures)} too far off")
    print("\n".join(book.failures))
    print(f"{perf_counter() - start:.0f} s", file=sys.stderr)
    return 1 if book.failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""How much data, and when to stop: the decisions that a planned study will come to, before it is made."""

from typing import TYPE_CHECKING

from bayescmp.lazy import import_lazily

if TYPE_CHECKING:
    from bayescmp.planning.designs import Design, SmallestN, assurance, design
    from bayescmp.planning.looks import Looks, looks
    from bayescmp.planning.next_step import Plan, plan

import_lazily(
    __name__,
    {
        "designs": "Design SmallestN assurance design",
        "looks": "Looks looks",
        "next_step": "Plan plan",
    },
)

__all__ = ["Design", "Looks", "Plan", "SmallestN", "assurance", "design", "looks", "plan"]

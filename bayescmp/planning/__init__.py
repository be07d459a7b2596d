"""How much data, and when to stop: the decisions that a planned study will come to, before it is made."""

from bayescmp.planning.designs import Design, SmallestN, assurance, design
from bayescmp.planning.next_step import Plan, plan

__all__ = ["Design", "Plan", "SmallestN", "assurance", "design", "plan"]

"""How much data, and when to stop: the decisions that a planned study will come to, before it is made."""

from bayescmp.planning.designs import Design, SmallestN, assurance, design
from bayescmp.planning.looks import Looks, looks
from bayescmp.planning.next_step import Plan, plan

__all__ = ["Design", "Looks", "Plan", "SmallestN", "assurance", "design", "looks", "plan"]

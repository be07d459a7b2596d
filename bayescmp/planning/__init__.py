"""How much data, and when to stop: the decisions that a planned study will come to, before it is made."""

from bayescmp.planning.designs import Design, SmallestN, assurance, design

__all__ = ["Design", "SmallestN", "assurance", "design"]

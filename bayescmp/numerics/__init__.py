"""What both schools compute with and no user sees: moments, ranks, Student, Dirichlet, exact distributions."""

"""Italian refinement rules."""

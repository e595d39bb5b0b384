"""Training: one plain loop for every task, its settings, checkpoints and resume."""

"""Masked repeats: a builder as small as one can be, to show what docs/adding-a-builder.md asks."""

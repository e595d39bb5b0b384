"""The first passes of WEC over a dump: which pages are events, and what leads to them."""

MEMORY = 1000
"""Megabytes that the joins may take."""

"""Runs a list of stages over the units of an input, with resume, on one machine or many."""

"""Measure the share of a test set that a text gives away: queries, index of sentences, copies."""

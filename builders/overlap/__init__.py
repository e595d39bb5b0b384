"""Measures how much of a test set a text gives away: queries, an index of sentences, copies."""

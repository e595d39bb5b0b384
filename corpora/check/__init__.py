"""Finds what is wrong in a corpus, by file, line and code, and fixes what has one right answer."""

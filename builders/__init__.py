"""Corpus builders: one package a corpus, on one reader of dumps and one runner."""

"""Tests of builders/nlp."""

"""Coreference models."""

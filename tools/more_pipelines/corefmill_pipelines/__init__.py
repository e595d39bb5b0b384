"""Pipelines of corefmill, a folder each, which it finds where this is installed."""

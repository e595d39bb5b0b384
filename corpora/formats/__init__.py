"""Formats of the field, one module each, with a reader and a writer of records."""

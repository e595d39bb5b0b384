"""Reads the XML of a Wikipedia dump, compressed or not, page by page."""

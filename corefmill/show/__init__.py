"""Show a corpus to people: its records in a terminal, or as a page for a browser."""

"""Shows a corpus to people: its records in a terminal, all of it as a page for a browser."""

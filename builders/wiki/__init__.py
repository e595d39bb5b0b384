"""Read Wikipedia: dumps, wikitext, and the subject of a page."""

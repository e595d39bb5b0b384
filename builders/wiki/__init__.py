"""Wikipedia in: dumps, wikitext, and what a page is about."""

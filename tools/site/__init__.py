"""What the site has besides docs/: mkdocs calls `hooks`, which adds pages made of the code."""

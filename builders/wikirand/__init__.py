"""The control corpus of masked random words (Kocijan et al. 2019, section 6.1, RandomWiki)."""

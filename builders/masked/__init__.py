"""What every corpus of masked words shares: its splits, its files, its card and manifest."""

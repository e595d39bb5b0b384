"""From placeholders to Italian: the translation, and each mention put back."""

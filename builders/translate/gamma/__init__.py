"""From placeholders to the target: the translation, and each mention put back."""

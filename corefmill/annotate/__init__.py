"""Annotation: what people and models say of a corpus's items, and what that is worth."""

"""What event and document models share: a vector for a span, and the score of two of them."""

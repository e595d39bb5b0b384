"""What is trained on a GPU when one is at hand."""

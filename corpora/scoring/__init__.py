"""Score of coreference, names and answers: pure metrics, and what pairs a key with a response."""

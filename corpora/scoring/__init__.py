"""Score of coreference, names and answers: pure metrics, sources and reports."""

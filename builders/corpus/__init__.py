"""The parts of a finished corpus: splits, samples, rejects, data card and manifest."""

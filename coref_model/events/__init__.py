"""Event mentions clustered across documents: embeddings, pairs, clusters, scores."""

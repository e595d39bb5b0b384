"""Cluster event mentions across documents: embeddings, pairs, links, clusters."""

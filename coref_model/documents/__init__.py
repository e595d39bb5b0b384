"""Coreference within a document: coarse-to-fine ranking of antecedents."""

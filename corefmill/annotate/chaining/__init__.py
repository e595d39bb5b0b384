"""Chains and spans of documents, corrected by raters one act at a time."""

"""Continued pretraining: an encoder and its masked-LM head learn from plain text."""

"""Masked names (WikiCREM, Kocijan et al. 2019) and their control, WikiRand."""

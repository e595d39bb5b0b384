"""Tests of tools/gpu."""

"""Refinement rules, one package a language."""

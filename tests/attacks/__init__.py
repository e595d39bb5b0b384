"""Hostile input and situations for every command."""

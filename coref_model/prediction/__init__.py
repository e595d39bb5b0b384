"""Predict records with a trained model."""

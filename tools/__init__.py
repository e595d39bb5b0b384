"""What makes the things that ship: pipelines and the sample encyclopedia. Not installed."""

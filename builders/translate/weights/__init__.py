"""A weight for each translated utterance: how likely a reader takes it for right."""

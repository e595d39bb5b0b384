"""From dataset gamma to delta: the rules of the target language, and the records made of it."""

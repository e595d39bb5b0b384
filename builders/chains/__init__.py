"""Silver coreference: chains of a text's persons wherever nothing about them is in doubt."""

"""KnowRef: hard pronoun problems from raw text, labelled by people."""

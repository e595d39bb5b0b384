"""The steps on the English side: utterances, their simplification and the mentions' classes."""

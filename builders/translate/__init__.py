"""A coreference corpus becomes one in another language: translation by placeholders, then rules."""

"""An English coreference corpus becomes an Italian one: translation by placeholders, then rules."""

"""How much of a test set a text already gives away: queries, an index of sentences, copies."""

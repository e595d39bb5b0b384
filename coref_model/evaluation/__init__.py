"""Score models on the corpora of the field: rows of one table, each with its protocol."""

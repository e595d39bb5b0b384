"""The method of marks: utterances are translated with their mentions marked, and come back so."""

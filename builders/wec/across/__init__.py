"""Several Wikipedias in one corpus: which of their events are one, and their dumps read in turn."""

"""People, and models beside them, judge the records of a corpus."""

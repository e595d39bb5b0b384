"""Web services asked question by question: deadlines, retries, keys, kept answers."""

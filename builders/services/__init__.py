"""Web services asked question by question: deadlines, retries, pace, keys, kept answers."""

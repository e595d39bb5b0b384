"""Web services that are asked question by question: deadlines, retries, pace, keys, kept answers."""

"""Ask web services question by question: deadlines, retries, keys, cached answers."""

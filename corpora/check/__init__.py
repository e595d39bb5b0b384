"""What is wrong in a corpus: each finding with file, line, code and severity, and its mending."""

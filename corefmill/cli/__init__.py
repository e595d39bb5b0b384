"""The command line: it parses, calls the rooms below, and shows what they return."""

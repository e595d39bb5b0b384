"""Files: errors, reading, writing, ownership and locks, remote files, and the terminal."""

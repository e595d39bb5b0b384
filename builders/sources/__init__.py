"""What a builder may read: a dump, text files or comments, each as a stream of articles."""

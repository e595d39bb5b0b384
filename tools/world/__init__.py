"""A fictional encyclopedia of any size, with the truth about every link to an event in it."""

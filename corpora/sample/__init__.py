"""The sample encyclopedias that ship, and the generator of a larger one with known truth."""

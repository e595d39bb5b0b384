"""The largest seed that all random generators in use take."""

LARGEST = 2**63 - 1

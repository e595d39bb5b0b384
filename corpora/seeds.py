"""What a seed may be: any number that each of the generators drawn from takes."""

LARGEST = 2**63 - 1

"""Attacks: hostile inputs and situations, each a command line that must end as it is documented."""

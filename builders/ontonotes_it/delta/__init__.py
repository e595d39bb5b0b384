"""From dataset gamma to delta: the Italian rules, and the records that come of them."""

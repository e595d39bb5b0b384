"""The pages on which raters judge: from a server on this machine."""

"""The named filters of event mentions, and the view of a mention that they judge."""

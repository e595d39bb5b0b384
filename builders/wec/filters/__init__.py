"""The named filters of event mentions, and their view of a mention."""

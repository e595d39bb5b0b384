"""What an infobox says of an event: its class, its date, its place and who took part."""

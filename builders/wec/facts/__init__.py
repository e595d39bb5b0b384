"""Read an event's facts from its infobox: its class, date, place and participants."""

"""The league file: its schema, its terms, the chosen format, and the hash of each bot's files."""

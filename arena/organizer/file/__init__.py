"""The league file: its schema, the terms of its tables, its format, and the hash of each bot's files."""

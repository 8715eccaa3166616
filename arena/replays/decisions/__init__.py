"""Every decision of a match as a row of a table."""

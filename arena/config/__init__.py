"""Settings of a server: declared once as plain values, and read from flags, environment and file."""

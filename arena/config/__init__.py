"""Server settings: declared once as plain values and read from flags, the environment and a TOML file."""

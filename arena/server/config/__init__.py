"""Server settings: declared once as plain values; read from the command line, the environment and a TOML file."""

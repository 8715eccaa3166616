"""Server settings, declared once; read from the command line, the environment and a TOML file."""

"""Sample bots, one folder per language: opponents to practise against and starting points to copy."""

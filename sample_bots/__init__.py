"""Sample bots, one folder a language: opponents to practise against and starting points to copy."""

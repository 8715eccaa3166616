"""Cheat as messages (cheat.proto), and back."""

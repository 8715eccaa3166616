"""CHEATER as messages (cheater.proto), and back."""

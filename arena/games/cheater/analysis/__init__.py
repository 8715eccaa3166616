"""What recorded games of CHEATER say about bots."""

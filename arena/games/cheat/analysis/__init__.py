"""What recorded games of Cheat say about bots."""

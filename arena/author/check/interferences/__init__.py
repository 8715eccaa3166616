"""What the steps of a check do to the frames of a bot and its server."""

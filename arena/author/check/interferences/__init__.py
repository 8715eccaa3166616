"""The ways in which the steps of a check change the frames of a bot and its server."""

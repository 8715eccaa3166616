"""For authors of bots: check a bot, practise with it, give it trouble, and put it into a recorded seat."""

"""`arena practice`: plays a bot against sample bots, quietly or under trouble, and shows what that costs it."""

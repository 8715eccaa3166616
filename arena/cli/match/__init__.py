"""`arena match`: the order, where it is played, its progress, its result."""

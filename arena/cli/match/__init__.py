"""`arena match`: builds the order, opens the server, and shows progress and result."""

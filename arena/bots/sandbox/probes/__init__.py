"""The isolation check: programs that try to leave real boxes, and what is said about them."""

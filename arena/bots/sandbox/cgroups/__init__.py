"""Control groups: where boxes get theirs, what one box may use, and what all boxes of a host may use together."""

"""What was played: found, told, drawn, counted, proved, and searched for lessons."""

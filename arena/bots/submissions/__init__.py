"""What a submission is: its states, values and limits, and what takes it in. Nothing here knows database or network."""

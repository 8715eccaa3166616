"""A course or a ladder from the organizer's desk: who is enrolled, what was handed in, what counts, and grades."""

"""A course or a ladder from the organizer's desk: who is enrolled, what was submitted, what counts, and grades."""

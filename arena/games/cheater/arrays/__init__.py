"""CHEATER as arrays, for learning environments. `layout` says what each value means."""

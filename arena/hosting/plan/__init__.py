"""How long a league takes and how sure its table will be, estimated from a trial."""

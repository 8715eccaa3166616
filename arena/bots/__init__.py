"""The programs of others: how they are packed, submitted, started, boxed and ended."""

"""The programs of others: how they are packed, handed in, started, boxed and ended."""

"""Alembic's environment: migrates over the connection and in the transaction that the store opened.

Stores in PostgreSQL began with schema 0013. Later migrations run there too: `fit_to_postgres` says what their columns
need.
"""

from alembic import context

from arena.server.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite can only change a table by copying it
)
with context.begin_transaction():
    context.run_migrations()

"""What alembic runs to migrate a store: over the connection that the store opened, in the transaction that it began."""

from alembic import context

from arena.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite changes a table by copying it
)
with context.begin_transaction():
    context.run_migrations()

"""The processes of a machine: what makes up a server, its runner and nodes, and what runs submitted bots."""

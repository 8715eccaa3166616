"""The messages and stubs of the contract: generated from proto/cheatarena/v1, never edited."""

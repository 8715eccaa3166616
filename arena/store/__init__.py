"""What lasts: journals of inputs, results, and who may come in.

    match ──▶ Journal port     ──▶ journal_file   one append-only file a node and start
          ──▶ ResultStore port ──▶ results        matches and finished games
    rpc   ──▶                      tokens         names, scopes, hashes of secrets
                  one folder: arena.db, arena.lock, journals/, bots/

It implements ports that inner rooms declare. It knows no rules, no clock of a match and no network.
"""

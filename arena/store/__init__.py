"""Persistent storage: journals of inputs, results, leagues, deals, and access tokens.

    match ──▶ Journal port     ──▶ journal_file   one append-only file per node and start
          ──▶ ResultStore port ──▶ result_store   matches and finished games
    rpc   ──▶                      token_store    names, scopes, hashes of secrets
                  one folder: arena.db, arena.lock, journals/, bots/

It implements ports that inner packages declare. It knows no rules, no match clock and no network.
"""

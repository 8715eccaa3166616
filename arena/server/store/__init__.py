"""Persistent storage: results, leagues, deals, access tokens, and the journals of inputs.

    match  ──▶ Journal port     ──▶ journal_file   one append-only file per node and start
           ──▶ ResultStore port ──▶ result_store   matches and finished games; match_summaries reads lists of them
           ──▶ DealStore port   ──▶ deal_store     commitments of deals, as a chain
    league ──▶ LeagueStore port ──▶ league_store   ledgers and blocks
    rpc    ──▶                      token_store    names, scopes, hashes of secrets
           ──▶                      submission_store, upload_store   packages that owners hand in
    all    ──▶                      database, tables, account_values   transactions, the schema, values of owners

All of this lies in one folder; `data_folder` lists its files. The package implements ports that inner packages declare.
It knows no match clock and no network.
"""

"""A league as people read it: one page with pictures, tables and a document for machines, a site to publish.

    LeagueView ──▶ report_page ──▶ page, templates      one file of HTML that loads nothing and runs no script
         │             ▲
         │   scale ─▶ intervals, heat, panels, scatter   what the pictures show, as places and shades
         ├──▶ csv_tables, document                       the same facts for machines
         └──▶ site ◀── replay_page ◀── arena.replays     the report, games told move by move, the verifier

`view` is what is told; it is filled from outside. This room works out no result, and knows no ledger and no store.
"""

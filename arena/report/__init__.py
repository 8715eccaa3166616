"""A league as people read it: one page with pictures and tables, files for machines, a site to publish.

    LeagueView ──▶ report_page ──▶ page, templates       one file of HTML that loads nothing and runs no script
     │                 ▲
     │   scale ─▶ intervals, heat, panels, scatter       what the pictures show, as places and shades
     ├──▶ csv_tables, report_json ──▶ report_files       the same facts for machines; page and files in a folder
     └──▶ site ◀── replay_page ◀── arena.replays         the report, games told move by move, what proves them

`view` and `play_view` gather what is shown: the own types of `arena.league` and `arena.analytics`, filled in by
`arena.hosting`. This room works out no result and knows no ledger; only `replay_page` reads a data folder.
"""

"""A league as people read it: one page with pictures and tables, files for machines, a site to publish.

    LeagueView ──▶ report_page ──▶ page, templates       one file of HTML that loads nothing and runs no script
     │                 ▲
     │   scale ─▶ intervals, heat, panels, scatter       what the pictures show, as places and shades
     ├──▶ csv_tables, document ──▶ report_files          the same facts for machines; page and files in a folder
     └──▶ site ◀── story ◀── arena.replays               the report, games told move by move, what proves them

`view` and `play_view` are what is told; they are filled from outside. This room works out no result, and knows no
ledger; only `story` reads a data folder.
"""

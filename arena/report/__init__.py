"""The report of a league: one page with charts and tables for people, files for machines, and a site to publish.

    LeagueView ──▶ report_page ──▶ page, templates       one file of HTML that loads nothing and runs no script
     │                 ▲
     │   scale ─▶ interval_chart, heat_table, panels, scatter     the charts as coordinates and shades
     ├──▶ csv_tables, report_json ──▶ report_files       the same facts for machines; page and files in a folder
     └──▶ site ◀── replay_page ◀── arena.replays         the report, games narrated move by move, and their proof

`view` and `play_view` define the values that a report shows. Some of these values have types of `arena.league` and
`arena.analytics`. `arena.hosting` fills the values in. This package computes no results and reads no ledger. Only
`replay_page` reads a data folder.
"""

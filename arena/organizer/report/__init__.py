"""Pages. A league's report for people, files for machines, and a site to publish; and one game with a player.

    LeagueView ──▶ report_page ──▶ page, templates       one file of HTML that loads nothing and runs no script
     │                 ▲
     │   charts, rating_charts                          the charts as coordinates and shades
     ├──▶ csv_tables, report_json                        the same facts for machines
     └──▶ site ◀── published_match ◀── arena.replays     the report, games narrated move by move, and their proof
                       ▼
    game_page ◀── player_steps ◀── arena.replays        one game as one page, whose only script is its player

`view` and `play_view` define the values that a report shows. Some of these values have types of
`arena.competition.league` and `arena.replays.analytics`. `arena.organizer` fills the values in. This package computes
no results and reads no ledger. Only `published_match` and `game_page` read a data folder.
"""

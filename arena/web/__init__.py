"""The web pages of a data folder: pools, bots, matches, replays, leagues and feeds, for people and for machines.

    request ─▶ guards ─▶ endpoint ─▶ pages ─▶ Page ─▶ templates   HTML
                            │          │        └───▶ plain data  JSON, at the same path with .json
                            │          └── sources: store, library, league views, workshop
                            └── ETag, caching, error pages

`guards` bound what a client may cost. `pages` has one function for each page; `page_list` names them all, and
`open_api` describes them. `workshop` computes replays and reports in a thread, one at a time, and keeps them.

`session` tells owners who have logged in; `pages/owner` has the pages that they alone see.

The pages run in a process of their own, beside a server or without one. They only read, except that owners begin and
end sessions, and submit and change submissions. They know no rules: what a game looks like comes from its pack.
Nothing here may show what a spectator of a running match may not know, except to the owner of a bot what this bot knew.
"""

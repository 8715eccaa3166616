"""What a report or a site shows of a league: standings, analytics, incidents and the published proof."""

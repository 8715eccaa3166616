"""Replays a recorded match with a bot in one entrant's seat, and compares the bot's answers with the recorded ones.

    rerun_case    finds the match, the seat and the questions
    records ─┬─▶ recorded_prompts   what one entrant was asked, and the outcome of each question
             └─▶ rerun_seat         the same match again, with the bot in that entrant's seat; its table for the node
    answer_judge              judges the bot's answers; a repeated decision gets the same result again
    rerun_feed                the seat as the bot sees it
    rerun_report              shows the bot's answers beside the recorded ones, for people and programs

Only the recorded inputs change the match. The bot's answers are judged, recorded and acknowledged, but have no effect.
"""

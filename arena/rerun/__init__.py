"""Reruns a played match with a bot in one entrant's seat, to compare its answers now with the recorded ones.

    rerun_case    finds the match, the seat and the questions
    records ─▶ merge_moments ─┬─▶ recorded_prompts   what one entrant was asked, and the outcome of each question
                              └─▶ rerun_seat         the same match again, with the bot in that entrant's seat
    answer_judge              judges the bot's answers, and repeats the result of a repeated decision
    rerun_table, rerun_feed   the seat as the node and the bot see it
    rerun_report              compares both answers, for people and for machines

Only the recorded inputs move the match. The bot's answers are judged, noted and acknowledged, but have no effect on it.
"""

package bot;

import com.google.protobuf.ByteString;
import org.cheatarena.v1.Decision;
import org.cheatarena.v1.Event;
import org.cheatarena.v1.NoAnswer;
import org.cheatarena.v1.NoAnswerCause;
import org.cheatarena.v1.Prompt;
import org.cheatarena.v1.Ruleset;
import org.cheatarena.v1.SeatSnapshot;

/** What one seat knows of one game, and how it plays. */
interface Game {
    void learn(Event event);

    void restore(SeatSnapshot snapshot);

    /**
     * Sets the action that answers a prompt. The same prompt in the same situation always gets the same answer.
     *
     * @throws IllegalArgumentException if this bot does not know such a prompt
     */
    void answer(Prompt prompt, Decision.Builder decision);

    /** Returns the strategy for a game. {@code entrants} are by seat, one byte each, and {@code own} is this bot's. */
    static Game begin(Ruleset ruleset, ByteString entrants, int own) {
        var seat = 0;
        while (entrants.byteAt(seat) != own) {
            seat++;
        }
        return ruleset.hasCheat() ? new Cheat(ruleset.getCheat(), entrants.size()) : new Cheater(seat, entrants.size());
    }

    /** Sets a game's answer to a prompt. If there is none, says so, so that nobody waits. */
    static void decide(Game game, Prompt prompt, boolean isRefused, Decision.Builder decision) {
        if (isRefused) { // the next answer would be the same
            decision.setNoAnswer(noAnswer(NoAnswerCause.NO_ANSWER_CAUSE_GAVE_UP, "the answer was refused"));
            return;
        }
        try {
            game.answer(prompt, decision);
        } catch (RuntimeException error) {
            error.printStackTrace();
            decision.setNoAnswer(noAnswer(NoAnswerCause.NO_ANSWER_CAUSE_CRASHED, error.toString()));
        }
    }

    private static NoAnswer noAnswer(NoAnswerCause cause, String text) {
        var ascii = text.replaceAll("[^ -~]", "?");
        return NoAnswer.newBuilder()
                .setCause(cause)
                .setText(ascii.substring(0, Math.min(ascii.length(), 200)))
                .build();
    }
}

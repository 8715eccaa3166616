package bot;

import org.cheatarena.v1.Decision;
import org.cheatarena.v1.Event;
import org.cheatarena.v1.Prompt;
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
}

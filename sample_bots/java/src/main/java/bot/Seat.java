package bot;

import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.cheatarena.v1.CheatActionKind;
import org.cheatarena.v1.Decision;
import org.cheatarena.v1.DecisionAnswer;
import org.cheatarena.v1.DecisionStatus;
import org.cheatarena.v1.ErrorReason;
import org.cheatarena.v1.Event;
import org.cheatarena.v1.GameStarted;
import org.cheatarena.v1.NoAnswer;
import org.cheatarena.v1.NoAnswerCause;
import org.cheatarena.v1.Prompt;
import org.cheatarena.v1.Ruleset;
import org.cheatarena.v1.SeatMessage;

/** One seat: its messages in order, its open prompts, and its answers. */
final class Seat {
    /** Match and entrant: together they name a seat. */
    record Key(int match, int entrant) {}

    private static final class OpenPrompt {
        Prompt prompt;
        /** The id of the next answer, or of the one that was sent. */
        int actionId;
        /** Whether an answer was sent on this stream. */
        boolean isSent;
        /** Why the last answer broke a rule; null if it did not. */
        ErrorReason broken;

        long notBeforeUs;

        OpenPrompt(Prompt prompt) {
            this.prompt = prompt;
            actionId = prompt.getId() * 16;
        }
    }

    private final Key key;
    private final TreeMap<Integer, OpenPrompt> open = new TreeMap<>();
    private Ruleset ruleset = Ruleset.getDefaultInstance();
    private Game game;
    private long sequence;
    private boolean isConfirmed = true;
    private boolean isOver;
    private boolean isBreak;

    Seat(Key key) {
        this.key = key;
    }

    long sequence() {
        return sequence;
    }

    boolean isOver() {
        return isOver;
    }

    /** Returns once in each break that the server waits for Ready. */
    boolean takeBreak() {
        var was = isBreak;
        isBreak = false;
        return was;
    }

    /** Notes that the server still knows the seat. */
    void confirm() {
        isConfirmed = true;
    }

    /**
     * Begins a new stream: every open prompt is answered again, with its old action id. Returns whether the last stream
     * has shown that the server still knows the seat.
     */
    boolean resume() {
        open.values().forEach(each -> each.isSent = false);
        var was = isConfirmed;
        isConfirmed = false;
        return was;
    }

    /** Takes in a message. Returns false if messages before it are missing. */
    boolean hear(SeatMessage message, long nowUs) {
        if (!message.hasSnapshot() && message.getSequence() != sequence + 1) {
            return false;
        }
        sequence = message.getSequence();
        isConfirmed = true;
        if (message.hasSnapshot()) {
            var snapshot = message.getSnapshot();
            open.clear();
            snapshot.getEventsList().forEach(this::learn);
            if (game != null) {
                game.restore(snapshot);
            }
            snapshot.getPromptsList().stream()
                    .filter(prompt -> !snapshot.getAnsweredList().contains(prompt.getId()))
                    .forEach(this::ask);
            for (var answer : snapshot.getAnswersList()) {
                var asked = open.get(answer.getPromptId());
                if (asked != null && answer.getStatus() == DecisionStatus.DECISION_STATUS_REFUSED) {
                    asked.actionId = Math.max(asked.actionId, answer.getActionId() + 1);
                }
            }
        }
        message.getEventsList().forEach(this::learn);
        message.getAnswersList().forEach(answer -> judge(answer, nowUs));
        message.getPromptsList().forEach(this::ask);
        message.getWithdrawnList().forEach(open::remove);
        return true;
    }

    private void learn(Event event) {
        switch (event.getFactCase()) {
            case MATCH_STARTED -> ruleset = event.getMatchStarted().getTerms().getRuleset();
            case GAME_STARTED -> game = begin(event.getGameStarted());
            case GAME_ENDED -> {
                game = null;
                open.clear();
            }
            case INTERMISSION_STARTED -> isBreak = true;
            case MATCH_ENDED -> isOver = true;
            case FAULT ->
                System.err.printf(
                        "%s: strike %s %s%n",
                        key, event.getFault().getKind(), event.getFault().getReason());
            default -> {
                if (game != null) {
                    game.learn(event);
                }
            }
        }
    }

    private Game begin(GameStarted started) {
        isBreak = false;
        var entrants = started.getEntrants();
        var own = 0;
        while (own < entrants.size() - 1 && entrants.byteAt(own) != key.entrant) {
            own++;
        }
        return switch (ruleset.getGameCase()) {
            case CHEAT -> new Cheat(ruleset.getCheat(), entrants.size());
            case CHEATER -> new Cheater(own, entrants.size());
            default -> null;
        };
    }

    private void ask(Prompt prompt) {
        open.computeIfAbsent(prompt.getId(), id -> new OpenPrompt(prompt)).prompt = prompt;
    }

    /** Reads what became of a decision. */
    private void judge(DecisionAnswer answer, long nowUs) {
        var asked = open.get(answer.getPromptId());
        if (asked == null) {
            return;
        }
        if (answer.getStatus() != DecisionStatus.DECISION_STATUS_REFUSED) {
            open.remove(answer.getPromptId());
            return;
        }
        if (answer.getActionId() != asked.actionId) {
            return; // an old answer, repeated
        }
        asked.isSent = false;
        asked.actionId++;
        switch (answer.getReason()) {
            case ERROR_REASON_LATE, ERROR_REASON_ALREADY_ANSWERED, ERROR_REASON_UNKNOWN_PROMPT ->
                open.remove(answer.getPromptId());
            case ERROR_REASON_ACTION_ID_CONFLICT -> {}
            case ERROR_REASON_TOO_EARLY -> asked.notBeforeUs = nowUs + 5_000;
            default -> {
                System.err.printf("%s: prompt %d: %s%n", key, answer.getPromptId(), answer.getReason());
                asked.broken = answer.getReason();
            }
        }
    }

    /** Passes on the answers that are due. Returns when to ask again, if an answer has to wait. */
    OptionalLong answer(long nowUs, boolean takesNoAnswer, Consumer<Decision> out) {
        var wakeUs = Long.MAX_VALUE;
        for (var asked : List.copyOf(open.values())) {
            if (asked.isSent) {
                continue;
            }
            var decision = decide(asked);
            if (decision.hasNoAnswer() && !takesNoAnswer) {
                continue; // silence: the server makes the automatic move at the deadline
            }
            var isCall = decision.getCheat().getKind() == CheatActionKind.CHEAT_ACTION_KIND_CALL;
            var dueUs = Math.max(isCall ? asked.prompt.getEarliestUs() : 0, asked.notBeforeUs);
            if (dueUs > nowUs) {
                wakeUs = Math.min(wakeUs, dueUs);
                continue;
            }
            asked.isSent = true;
            out.accept(decision);
        }
        return wakeUs == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(wakeUs);
    }

    private Decision decide(OpenPrompt asked) {
        var decision = Decision.newBuilder()
                .setMatch(key.match)
                .setEntrant(key.entrant)
                .setPromptId(asked.prompt.getId())
                .setActionId(asked.actionId);
        var giveUp = decision.getNoAnswerBuilder();
        if (asked.broken != null) {
            giveUp.setCause(NoAnswerCause.NO_ANSWER_CAUSE_ILLEGAL).setReason(asked.broken);
        } else if (game == null) {
            giveUp.setCause(NoAnswerCause.NO_ANSWER_CAUSE_EMPTY).setText("no game runs");
        } else {
            try {
                game.answer(asked.prompt, decision);
            } catch (RuntimeException error) { // whatever goes wrong, the table does not wait
                var text = error.toString().replaceAll("[^ -~]", "?");
                decision.setNoAnswer(NoAnswer.newBuilder()
                        .setCause(NoAnswerCause.NO_ANSWER_CAUSE_CRASHED)
                        .setText(text.substring(0, Math.min(text.length(), 200))));
                error.printStackTrace();
            }
        }
        return decision.build();
    }
}

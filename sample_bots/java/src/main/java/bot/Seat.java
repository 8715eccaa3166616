package bot;

import java.util.HashMap;
import java.util.Map;
import org.cheatarena.v1.Decision;
import org.cheatarena.v1.DecisionAnswer;
import org.cheatarena.v1.Event;
import org.cheatarena.v1.PlayRequest;
import org.cheatarena.v1.Position;
import org.cheatarena.v1.Prompt;
import org.cheatarena.v1.Ruleset;
import org.cheatarena.v1.SeatMessage;
import org.cheatarena.v1.SeatSnapshot;

/** This bot's part in one match. All instants are in microseconds, on the server's clock. */
final class Seat {
    /** Match and entrant: together they name a seat. */
    record Key(int match, int entrant) {}

    /** An open prompt. */
    private static final class Question {
        Prompt prompt;
        /** Of the next answer, or of the one that was sent. */
        int actionId;
        /** Whether the answer was sent on this stream. */
        boolean isSent;
        /** When it may be sent. */
        long earliestUs;
        /** Whether an answer broke a rule. */
        boolean isRefused;
    }

    /** The instant of a decision that is about to be sent. */
    private static final long IS_NOW = Long.MIN_VALUE;

    private final Key key;
    private final Map<Integer, Question> questions = new HashMap<>();
    /** When the decisions were sent that have no answer yet, by prompt; also after it has closed. */
    private final Map<Integer, Long> sentUs = new HashMap<>();

    private Ruleset ruleset;
    private Game game;
    /** Of the last message. */
    private long sequence;

    private boolean isOver;
    private boolean isBreak;
    /** Whether Ready was sent on this stream. */
    private boolean isReady;

    Seat(Key key) {
        this.key = key;
    }

    boolean isOver() {
        return isOver;
    }

    /** Begins a new stream. What was sent on the last one may be lost, so it is sent again, with the same action ids. */
    void resume(Position.Builder position) {
        isReady = false;
        sentUs.clear();
        questions.values().forEach(question -> question.isSent = false);
        position.setMatch(key.match).setEntrant(key.entrant).setSequence(sequence);
    }

    /**
     * Processes a message.
     *
     * @throws IllegalStateException if a message before it is missing
     */
    void hear(SeatMessage message, long nowUs) {
        if (message.hasSnapshot()) {
            restore(message.getSnapshot(), nowUs);
        } else if (message.getSequence() != sequence + 1) {
            throw new IllegalStateException("a message to %s is missing".formatted(key));
        }
        sequence = message.getSequence();
        message.getEventsList().forEach(this::learn);
        message.getAnswersList().forEach(answer -> settle(answer, nowUs));
        message.getPromptsList().forEach(this::ask);
        message.getWithdrawnList().forEach(questions::remove);
    }

    /** Notes when the answers that were added to the last reply are sent. */
    void stamp(long nowUs) {
        sentUs.replaceAll((id, sent) -> sent == IS_NOW ? nowUs : sent);
    }

    /** Returns when the oldest decision was sent that has no answer yet. */
    long oldestUs() {
        return sentUs.values().stream().mapToLong(sent -> sent).min().orElse(Watch.NEVER);
    }

    private void restore(SeatSnapshot snapshot, long nowUs) {
        questions.clear();
        snapshot.getEventsList().forEach(this::learn);
        if (snapshot.hasCheat() || snapshot.hasCheater()) {
            game.restore(snapshot);
        }
        snapshot.getPromptsList().forEach(this::ask);
        snapshot.getAnswersList().forEach(answer -> settle(answer, nowUs));
        snapshot.getAnsweredList().forEach(questions::remove);
    }

    private void learn(Event event) {
        switch (event.getFactCase()) {
            case MATCH_STARTED -> ruleset = event.getMatchStarted().getTerms().getRuleset();
            case GAME_STARTED -> {
                isBreak = false;
                game = Game.begin(ruleset, event.getGameStarted().getEntrants(), key.entrant);
            }
            case GAME_ENDED -> questions.clear();
            case INTERMISSION_STARTED -> {
                isBreak = true;
                isReady = false;
            }
            case MATCH_ENDED -> isOver = true;
            case FAULT ->
                System.err.printf("%s: %s%n", key, event.getFault().toString().replace('\n', ' '));
            default -> {
                if (game != null) {
                    game.learn(event);
                }
            }
        }
    }

    /** Notes a prompt. One that comes again has other times; an answer that was sent stays valid. */
    private void ask(Prompt prompt) {
        var question = questions.computeIfAbsent(prompt.getId(), id -> new Question());
        question.prompt = prompt;
        question.actionId = Math.max(question.actionId, prompt.getId() * 16);
        question.earliestUs = prompt.getEarliestUs();
    }

    /** Processes the result of a decision. After some refusals, another answer is welcome. */
    private void settle(DecisionAnswer answer, long nowUs) {
        sentUs.remove(answer.getPromptId());
        var question = questions.get(answer.getPromptId());
        if (question == null || answer.getActionId() < question.actionId) {
            return;
        }
        question.actionId = answer.getActionId() + 1;
        question.isSent = false;
        switch (answer.getReason()) {
            case ERROR_REASON_UNSPECIFIED, // the decision counts, or is held
                    ERROR_REASON_LATE,
                    ERROR_REASON_UNKNOWN_PROMPT,
                    ERROR_REASON_ALREADY_ANSWERED -> questions.remove(answer.getPromptId());
            // the server has lost time: wait a little longer each time
            case ERROR_REASON_TOO_EARLY -> question.earliestUs = nowUs + 5_000L * (question.actionId % 16);
            case ERROR_REASON_ACTION_ID_CONFLICT -> {}
            default -> question.isRefused = true;
        }
    }

    /** Adds to a reply what is due now. Returns the instant at which more is due. */
    long answer(long nowUs, boolean takesNoAnswer, PlayRequest.Builder reply) {
        var next = Long.MAX_VALUE;
        for (var question : questions.values()) {
            if (!question.isSent && question.earliestUs > nowUs) {
                next = Math.min(next, question.earliestUs);
            } else if (!question.isSent) {
                question.isSent = true;
                var decision = Decision.newBuilder().setMatch(key.match).setEntrant(key.entrant);
                decision.setPromptId(question.prompt.getId()).setActionId(question.actionId);
                Game.decide(game, question.prompt, question.isRefused, decision);
                if (takesNoAnswer || !decision.hasNoAnswer()) { // an old server moves by itself at the deadline
                    reply.addDecisions(decision);
                    sentUs.put(question.prompt.getId(), IS_NOW);
                }
            }
        }
        if (isBreak && !isReady) {
            isReady = true;
            reply.addNoticesBuilder().getReadyBuilder().setMatch(key.match).setEntrant(key.entrant);
        }
        return next;
    }
}

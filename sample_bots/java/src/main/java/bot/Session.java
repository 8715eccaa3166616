package bot;

import java.util.HashMap;
import java.util.Map;
import org.cheatarena.v1.ChallengePolicy;
import org.cheatarena.v1.PlayRequest;
import org.cheatarena.v1.PlayResponse;
import org.cheatarena.v1.Welcome;

/** All seats of this process. It reads frames and answers them; {@link Line} carries them. */
final class Session {
    private static final int PROTOCOL_VERSION = 1;
    /** Seats at the same time; the answers of all fit into one frame. */
    private static final int CAPACITY = 1000;

    private final Settings settings;
    private final Map<Seat.Key, Seat> seats = new HashMap<>();
    /** The seats of accepted offers whose matches have not begun, by offer. */
    private final Map<Integer, Seat.Key> accepted = new HashMap<>();
    /** Of the last stream. Its node names the server's process, which is another one after a restart. */
    private Welcome welcome = Welcome.getDefaultInstance();

    private Watch watch = new Watch();
    /** Whether the bot takes no new seats, and ends with its last match. */
    private boolean isFinishing;
    /** Whether the server has named all seats on this stream. */
    private boolean isCaughtUp;

    Session(Settings settings) {
        this.settings = settings;
    }

    /**
     * Begins a stream. A seat with a position gets the messages that it has missed, and any other seat gets a snapshot.
     * So most bots need no positions.
     */
    void greet(PlayRequest.Builder request) {
        var hello = request.addNoticesBuilder().getHelloBuilder();
        hello.setProtocolVersion(PROTOCOL_VERSION)
                .setInstance(settings.instance().name())
                .setIsInstanceDerived(settings.instance().isDerived())
                .setNode(welcome.getNode());
        hello.addGamesBuilder().setGame("cheat");
        hello.addGamesBuilder().setGame("cheater");
        hello.setVersion(settings.version());
        if (isFinishing) {
            hello.setCapacity(Math.max(1, seats.size() + accepted.size()))
                    .setChallenges(ChallengePolicy.CHALLENGE_POLICY_NOBODY);
        } else {
            hello.setCapacity(CAPACITY).setChallenges(settings.challenges()).addAllPools(settings.pools());
        }
        if (!settings.isExact()) {
            seats.clear();
        }
        watch = new Watch();
        isCaughtUp = false;
        seats.values().forEach(seat -> seat.resume(hello.addPositionsBuilder()));
    }

    /**
     * Reads a whole frame, and then adds the answers to all of it to a reply. Returns when more answers are due.
     *
     * @throws RuntimeException if the stream has to end
     */
    long read(PlayResponse frame, PlayRequest.Builder reply) {
        for (var message : frame.getMessagesList()) {
            if (message.getSequence() > 0) { // 0 refuses a decision for a seat that is no longer ours
                var key = new Seat.Key(message.getMatch(), message.getEntrant());
                accepted.values().remove(key);
                seats.computeIfAbsent(key, Seat::new).hear(message, frame.getNowUs());
            }
        }
        var oldestUs = seats.values().stream().mapToLong(Seat::oldestUs).min().orElse(Watch.NEVER);
        if (!watch.hear(frame.getNowUs(), oldestUs)) {
            throw new IllegalStateException("nothing of what this bot sends arrives");
        }
        for (var notice : frame.getNoticesList()) {
            switch (notice.getNoticeCase()) {
                case WELCOME -> begin(notice.getWelcome());
                case OFFERED -> {
                    var offered = notice.getOffered();
                    var answer = reply.addNoticesBuilder().getOfferAnswerBuilder();
                    answer.setOfferId(offered.getOfferId()).setAccept(!isFinishing);
                    if (!isFinishing) {
                        accepted.put(offered.getOfferId(), new Seat.Key(offered.getMatch(), offered.getEntrant()));
                    }
                }
                case OFFER_CLOSED -> accepted.remove(notice.getOfferClosed().getOfferId());
                case POOL_NOTICE -> System.err.println(Pools.describe(notice.getPoolNotice()));
                case RESUMED -> isCaughtUp = true;
                default -> {}
            }
        }
        return answer(frame.getNowUs(), reply);
    }

    /** Adds to a reply all that is due now. Returns the instant at which more is due. */
    long answer(long nowUs, PlayRequest.Builder reply) {
        var next = Long.MAX_VALUE;
        for (var seat : seats.values()) {
            next = Math.min(next, seat.answer(nowUs, welcome.getTakesNoAnswer(), reply));
        }
        seats.values().removeIf(Seat::isOver);
        var sentUs = watch.now();
        seats.values().forEach(seat -> seat.stamp(sentUs));
        return next;
    }

    /**
     * Takes no new seats, from the next hello on. Returns how many matches are left, or 0 if the bot is in no pool or was
     * told before.
     */
    int finish() {
        if (isFinishing || settings.pools().isEmpty()) {
            return 0;
        }
        var left = seats.size() + accepted.size();
        isFinishing = left > 0;
        return left;
    }

    /** Whether a session that finishes has no seat left. */
    boolean isDone() {
        return isFinishing && isCaughtUp && seats.isEmpty() && accepted.isEmpty();
    }

    private void begin(Welcome next) {
        if (next.getProtocolVersion() != PROTOCOL_VERSION) {
            throw Ending.otherVersion(next.getProtocolVersion(), PROTOCOL_VERSION);
        }
        if (!next.getNode().equals(welcome.getNode())) {
            seats.clear();
            accepted.clear();
        }
        welcome = next;
        if (settings.instance().settle(next.getInstance())) {
            System.err.println("another program of this bot runs here, so this one is its instance "
                    + settings.instance().name());
        }
    }
}

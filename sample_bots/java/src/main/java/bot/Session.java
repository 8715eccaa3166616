package bot;

import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.cheatarena.v1.BotNotice;
import org.cheatarena.v1.Decision;
import org.cheatarena.v1.GameSupport;
import org.cheatarena.v1.Goodbye;
import org.cheatarena.v1.Hello;
import org.cheatarena.v1.OfferAnswer;
import org.cheatarena.v1.PlayRequest;
import org.cheatarena.v1.PlayResponse;
import org.cheatarena.v1.PlayServiceGrpc;
import org.cheatarena.v1.Pong;
import org.cheatarena.v1.Position;
import org.cheatarena.v1.Ready;
import org.cheatarena.v1.ServerNotice;
import org.cheatarena.v1.Welcome;

/** The session with the server: one stream for all seats, opened again whenever it is lost. */
final class Session {
    private static final int PROTOCOL_VERSION = 1;
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 5_000;
    /** How long the server may take to answer a goodbye. */
    private static final Duration FAREWELL_TIME = Duration.ofSeconds(2);
    /** So many connections in a row that end without a word mean that no arena listens there. */
    private static final int MOST_MUTE = 5;
    /** Decisions of one frame: so many of the largest size fit into a frame of 1 MiB. */
    private static final int FRAME_DECISIONS = 250;

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Settings settings;
    /** The one thread that reads frames, decides and sends: everything below belongs to it. */
    private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor(work -> {
        var thread = new Thread(work, "session");
        thread.setDaemon(true);
        return thread;
    });

    private final Map<Seat.Key, Seat> seats = new HashMap<>();
    private volatile String node = "";
    private boolean takesNoAnswer;
    /** The smallest difference between this clock and the server's, both in microseconds. */
    private long clockOffsetUs = Long.MAX_VALUE;

    private Stream stream;

    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    Session(Settings settings) {
        this.settings = settings;
    }

    /** Plays until {@link #stop} is called, or until no further stream can help. */
    Ending play() throws InterruptedException {
        try {
            var pauseMs = FIRST_PAUSE_MS;
            var lastWelcome = System.nanoTime();
            var muteCount = 0;
            while (true) {
                var next = new Stream();
                var ending = next.run().at(settings.address());
                if (isStopped() || ending.isFinal()) {
                    return ending;
                }
                muteCount = ending.isMute() ? muteCount + 1 : 0;
                if (node.isEmpty() && muteCount == MOST_MUTE) {
                    return Ending.noArena().at(settings.address());
                }
                if (next.isWelcome) {
                    pauseMs = FIRST_PAUSE_MS;
                    lastWelcome = System.nanoTime();
                } else if (System.nanoTime() - lastWelcome > settings.patience().toNanos()) {
                    return Ending.serverGone("no server for "
                            + settings.patience().toSeconds() + " seconds, so this bot gives up; " + ending.text());
                }
                // a random pause, so that bots do not all come back at the same moment
                var randomMs = pauseMs / 2 + ThreadLocalRandom.current().nextLong(pauseMs / 2);
                if (stopped.await(randomMs, TimeUnit.MILLISECONDS)) {
                    return ending;
                }
                pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
            }
        } finally {
            ended.countDown();
        }
    }

    /** Says goodbye, which leaves all seats, and waits for the farewell. */
    void stop() {
        stopped.countDown();
        loop.execute(() -> {
            if (stream != null) {
                stream.send(
                        List.of(),
                        List.of(notice().setGoodbye(Goodbye.getDefaultInstance())
                                .build()));
            }
        });
        try {
            ended.await(FAREWELL_TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isStopped() {
        return stopped.getCount() == 0;
    }

    private static BotNotice.Builder notice() {
        return BotNotice.newBuilder();
    }

    private long serverUs() {
        return System.nanoTime() / 1000 - clockOffsetUs;
    }

    /** One stream, from Hello to its end. */
    private final class Stream implements StreamObserver<PlayResponse> {
        private final CompletableFuture<Ending> ending = new CompletableFuture<>();
        private Ending farewell;
        private StreamObserver<PlayRequest> requests;
        volatile boolean isWelcome;

        Ending run() throws InterruptedException {
            ManagedChannel channel = Grpc.newChannelBuilder(settings.address(), settings.credentials())
                    .executor(loop)
                    .keepAliveTime(20, TimeUnit.SECONDS)
                    .keepAliveTimeout(10, TimeUnit.SECONDS)
                    .build();
            var metadata = new Metadata();
            metadata.put(AUTHORIZATION, "Bearer " + settings.token());
            loop.execute(() -> {
                requests = PlayServiceGrpc.newStub(channel)
                        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
                        .play(this);
                stream = this;
                send(List.of(), List.of(notice().setHello(hello()).build()));
            });
            var end = ending.join();
            channel.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
            return end;
        }

        @Override
        public void onNext(PlayResponse frame) {
            var end = read(frame);
            if (end != null) {
                end(end);
                requests.onError(new IllegalStateException(end.text()));
            }
        }

        @Override
        public void onError(Throwable error) {
            end(farewell == null ? Ending.ofError(error) : farewell);
        }

        @Override
        public void onCompleted() {
            end(farewell == null ? Ending.lost("the server ended the stream") : farewell);
        }

        private void end(Ending end) {
            stream = null;
            ending.complete(end);
        }

        /** Opens a session. With positions the server sends only what was missed, and otherwise snapshots. */
        private Hello hello() {
            // A seat that the server did not mention on the last stream may be over. If it is not, a snapshot comes.
            seats.values().removeIf(seat -> !settings.isExact() || !seat.resume());
            var hello = Hello.newBuilder()
                    .setProtocolVersion(PROTOCOL_VERSION)
                    .setInstance(settings.instance())
                    .setLabel("sample in Java")
                    .addGames(GameSupport.newBuilder().setGame("cheat"))
                    .addGames(GameSupport.newBuilder().setGame("cheater"))
                    .setCapacity(1000)
                    .setNode(node);
            seats.forEach((key, seat) -> hello.addPositions(Position.newBuilder()
                    .setMatch(key.match())
                    .setEntrant(key.entrant())
                    .setSequence(seat.sequence())));
            return hello.build();
        }

        /** Reads a whole frame, then answers all of it. Returns why the stream has to end, or null. */
        private Ending read(PlayResponse frame) {
            for (var notice : frame.getNoticesList()) {
                if (notice.hasWelcome() && notice.getWelcome().getProtocolVersion() != PROTOCOL_VERSION) {
                    return Ending.otherVersion(notice.getWelcome().getProtocolVersion());
                }
                if (notice.hasWelcome()) {
                    begin(notice.getWelcome());
                }
            }
            clockOffsetUs = Math.min(clockOffsetUs, System.nanoTime() / 1000 - frame.getNowUs());
            var touched = new LinkedHashSet<Seat.Key>();
            var notices = new ArrayList<BotNotice>();
            for (var message : frame.getMessagesList()) {
                if (message.getSequence() == 0) {
                    continue; // it refuses a decision for a seat that is not ours any more
                }
                var key = new Seat.Key(message.getMatch(), message.getEntrant());
                var seat = seats.computeIfAbsent(key, Seat::new);
                if (!seat.hear(message, serverUs())) {
                    seats.remove(key); // without a position, the next stream gives it a snapshot
                    return Ending.lost("a message to " + key + " is missing");
                }
                if (seat.takeBreak()) {
                    var ready = Ready.newBuilder().setMatch(key.match()).setEntrant(key.entrant());
                    notices.add(notice().setReady(ready).build());
                }
                touched.add(key);
            }
            frame.getNoticesList().forEach(notice -> hear(notice, touched, notices));
            send(answer(touched), notices);
            return null;
        }

        private void begin(Welcome welcome) {
            if (!welcome.getNode().equals(node)) {
                seats.clear(); // another run of the server, with another clock
                clockOffsetUs = Long.MAX_VALUE;
            }
            node = welcome.getNode();
            takesNoAnswer = welcome.getTakesNoAnswer();
            isWelcome = true;
        }

        private void hear(ServerNotice notice, Collection<Seat.Key> touched, List<BotNotice> notices) {
            switch (notice.getNoticeCase()) {
                case OFFERED ->
                    notices.add(notice().setOfferAnswer(OfferAnswer.newBuilder()
                                    .setOfferId(notice.getOffered().getOfferId())
                                    .setAccept(true))
                            .build());
                case ASSIGNED -> {
                    var key = new Seat.Key(
                            notice.getAssigned().getMatch(),
                            notice.getAssigned().getEntrant());
                    var seat = seats.get(key);
                    if (seat != null) {
                        seat.confirm();
                        touched.add(key); // nothing was missed, but an answer may have been lost
                    }
                }
                case PING ->
                    notices.add(notice().setPong(
                                    Pong.newBuilder().setNonce(notice.getPing().getNonce()))
                            .build());
                case FAREWELL -> farewell = Ending.ofFarewell(notice.getFarewell());
                default -> {}
            }
        }

        /** Answers the open prompts of these seats, and forgets the seats of matches that are over. */
        private List<Decision> answer(Iterable<Seat.Key> keys) {
            var decisions = new ArrayList<Decision>();
            for (var key : keys) {
                var seat = seats.get(key);
                if (seat == null) {
                    continue;
                }
                if (seat.isOver()) {
                    seats.remove(key);
                    continue;
                }
                seat.answer(serverUs(), takesNoAnswer, decisions::add)
                        .ifPresent(wakeUs ->
                                loop.schedule(() -> answerLater(key), wakeUs - serverUs() + 1, TimeUnit.MICROSECONDS));
            }
            return decisions;
        }

        private void answerLater(Seat.Key key) {
            if (stream == this) {
                send(answer(List.of(key)), List.of());
            }
        }

        private void send(List<Decision> decisions, List<BotNotice> notices) {
            if (stream != this) {
                return; // the stream has ended
            }
            for (var from = 0; from == 0 || from < decisions.size(); from += FRAME_DECISIONS) {
                var request = PlayRequest.newBuilder()
                        .addAllDecisions(decisions.subList(from, Math.min(from + FRAME_DECISIONS, decisions.size())));
                if (from == 0) {
                    request.addAllNotices(notices);
                }
                if (request.getDecisionsCount() + request.getNoticesCount() > 0) {
                    requests.onNext(request.build());
                }
            }
        }
    }
}

package bot;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.cheatarena.v1.Goodbye;
import org.cheatarena.v1.PlayRequest;
import org.cheatarena.v1.PlayResponse;
import org.cheatarena.v1.PlayServiceGrpc;

/** Carries the frames of a session, on one stream after another. */
final class Line {
    /** Seconds that the server may take for its farewell. */
    private static final long FAREWELL_TIME = 2;
    /** Seconds that the server may take for its first frame. */
    private static final long WELCOME_TIME = 10;
    /** Seconds after which a silent stream is lost, because the server sends a ping every 10 s. */
    private static final long SILENCE_TIME = 25;

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Settings settings;
    private final Session session;
    private final Search search;
    /** The one thread that handles frames and decides: the session and the stream belong to it. */
    private final ScheduledExecutorService loop = newThread("session");
    /** Takes frames from gRPC while the bot thinks. */
    private final ScheduledExecutorService reader = newThread("reader");
    /** Is called when a bot that finishes has no seat left. */
    private final Runnable isDone;
    /** The stream that is open; null if there is none. */
    private Stream stream;

    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    Line(Settings settings, Runnable isDone) {
        this.settings = settings;
        this.isDone = isDone;
        session = new Session(settings);
        search = new Search(settings);
    }

    /** Opens streams until {@link #stop} is called, or until no further stream can help. */
    Ending run() throws InterruptedException {
        try {
            while (true) {
                var ending = search.judge(new Stream().run());
                if (!isStopped()
                        && ending.exit() == Ending.REPLACED
                        && settings.instance().giveWay()) {
                    System.err.println("another program of this bot took over its seats: this one plays on as instance "
                            + settings.instance().name());
                    continue;
                }
                var isLast = isStopped() || ending.isFinal();
                if (isLast || stopped.await(search.nextPause(), TimeUnit.MILLISECONDS)) {
                    return ending;
                }
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
                var request = PlayRequest.newBuilder();
                request.addNoticesBuilder().setGoodbye(Goodbye.getDefaultInstance());
                stream.send(request);
            }
        });
        try {
            ended.await(FAREWELL_TIME, TimeUnit.SECONDS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    /** Begins a stream that takes no new seats. Returns false if there is no match to finish. */
    boolean finish() {
        return CompletableFuture.supplyAsync(this::finishInLoop, loop).join();
    }

    private boolean finishInLoop() {
        var left = session.finish();
        if (left > 0) {
            System.err.printf(
                    "no new seats: this bot ends after its matches, of which %d are left; Ctrl-C again ends it now%n",
                    left);
            if (stream != null) {
                stream.end(Ending.lost("this bot begins another stream"));
            }
        }
        return left > 0;
    }

    boolean isStopped() {
        return stopped.getCount() == 0;
    }

    private static ScheduledExecutorService newThread(String name) {
        return Executors.newSingleThreadScheduledExecutor(work -> {
            var thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** One stream, from its hello to its end. */
    private final class Stream implements StreamObserver<PlayResponse> {
        private final CompletableFuture<Ending> ending = new CompletableFuture<>();
        private StreamObserver<PlayRequest> requests;
        /** What happens if the server stays silent. */
        private Future<?> silence;
        /** The answers that have to wait. */
        private Future<?> later = CompletableFuture.completedFuture(null);

        Ending run() throws InterruptedException {
            var channel = Grpc.newChannelBuilder(settings.address(), settings.credentials())
                    .executor(reader)
                    .keepAliveTime(10, TimeUnit.SECONDS)
                    .keepAliveTimeout(5, TimeUnit.SECONDS)
                    .build();
            var metadata = new Metadata();
            metadata.put(AUTHORIZATION, "Bearer " + settings.token());
            var stub = PlayServiceGrpc.newStub(channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
            loop.execute(() -> {
                awaitFrame(WELCOME_TIME);
                requests = stub.play(this);
                stream = this;
                var request = PlayRequest.newBuilder();
                session.greet(request);
                send(request);
            });
            var end = ending.join();
            channel.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
            return end;
        }

        /** Ends the stream if no frame comes within a time in seconds. */
        private void awaitFrame(long time) {
            silence = loop.schedule(() -> end(Ending.lost("the server is silent")), time, TimeUnit.SECONDS);
        }

        /** Answers pings at once, although the bot may think, and leaves the rest to the loop. */
        @Override
        public void onNext(PlayResponse frame) {
            for (var notice : frame.getNoticesList()) {
                if (notice.hasPing()) {
                    var pong = PlayRequest.newBuilder();
                    pong.addNoticesBuilder()
                            .getPongBuilder()
                            .setNonce(notice.getPing().getNonce());
                    send(pong);
                }
            }
            loop.execute(() -> read(frame));
        }

        private void read(PlayResponse frame) {
            if (stream != this) {
                return; // this stream has been given up
            }
            silence.cancel(false);
            awaitFrame(SILENCE_TIME);
            search.end();
            var reply = PlayRequest.newBuilder();
            try {
                var next = session.read(frame, reply);
                send(reply);
                answerLater(frame.getNowUs(), next);
            } catch (RuntimeException error) {
                requests.onError(error);
                end(Ending.ofError(error));
            }
            if (session.isDone()) {
                isDone.run();
            }
        }

        @Override
        public void onError(Throwable error) {
            loop.execute(() -> end(Ending.ofError(error)));
        }

        @Override
        public void onCompleted() {
            loop.execute(() -> end(Ending.lost("the server ended the stream")));
        }

        /** Sends the answers that have to wait, when they are due. */
        private void answerLater(long nowUs, long dueUs) {
            later.cancel(false);
            if (dueUs == Long.MAX_VALUE) {
                return;
            }
            Runnable answer = () -> {
                var reply = PlayRequest.newBuilder();
                var next = session.answer(dueUs, reply);
                send(reply);
                answerLater(dueUs, next);
            };
            later = loop.schedule(answer, dueUs - nowUs, TimeUnit.MICROSECONDS);
        }

        private void end(Ending end) {
            silence.cancel(false);
            later.cancel(false);
            if (stream == this) {
                stream = null;
            }
            ending.complete(end);
        }

        /** Sends a frame; also the reader does. */
        private synchronized void send(PlayRequest.Builder request) {
            if (request.getDecisionsCount() + request.getNoticesCount() > 0) {
                requests.onNext(request.build());
            }
        }
    }
}

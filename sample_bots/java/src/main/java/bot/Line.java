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

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Settings settings;
    private final Session session;
    private final Search search;
    /** The one thread that reads frames, decides and sends: the session and the stream belong to it. */
    private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor(work -> {
        var thread = new Thread(work, "session");
        thread.setDaemon(true);
        return thread;
    });
    /** The stream that is open; null if there is none. */
    private Stream stream;

    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    Line(Settings settings) {
        this.settings = settings;
        session = new Session(settings);
        search = new Search(settings);
    }

    /** Opens streams until {@link #stop} is called, or until no further stream can help. */
    Ending run() throws InterruptedException {
        try {
            while (true) {
                var ending = search.judge(new Stream().run());
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

    boolean isStopped() {
        return stopped.getCount() == 0;
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
                    .executor(loop)
                    .keepAliveTime(10, TimeUnit.SECONDS)
                    .keepAliveTimeout(5, TimeUnit.SECONDS)
                    .build();
            var metadata = new Metadata();
            metadata.put(AUTHORIZATION, "Bearer " + settings.token());
            var stub = PlayServiceGrpc.newStub(channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
            loop.execute(() -> {
                var noAnswer = Ending.lost("the server does not answer");
                silence = loop.schedule(() -> end(noAnswer), WELCOME_TIME, TimeUnit.SECONDS);
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

        @Override
        public void onNext(PlayResponse frame) {
            if (stream != this) {
                return; // this stream has been given up
            }
            silence.cancel(false);
            search.end();
            var reply = PlayRequest.newBuilder();
            try {
                var next = session.read(frame, reply);
                send(reply);
                answerLater(frame.getNowUs(), next);
            } catch (RuntimeException error) {
                requests.onError(error);
                onError(error);
            }
        }

        @Override
        public void onError(Throwable error) {
            end(Ending.ofError(error));
        }

        @Override
        public void onCompleted() {
            end(Ending.lost("the server ended the stream"));
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

        private void send(PlayRequest.Builder request) {
            if (request.getDecisionsCount() + request.getNoticesCount() > 0) {
                requests.onNext(request.build());
            }
        }
    }
}

package dev.prpf.par.serve.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.par.serve.http.ApiException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PerceiverThreadTest {
    private static final Executor EACH_ON_ITS_OWN = work -> new Thread(work).start();

    private final AtomicLong clock = new AtomicLong();
    private final PerceiverThread thread = new PerceiverThread(3, Duration.ofSeconds(30), clock::get);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<String> done = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        goOn.countDown();
        assertThat(thread.close()).isTrue();
    }

    /** Blocks the thread until the test releases it. */
    private CompletableFuture<Boolean> occupied() throws InterruptedException {
        CountDownLatch busy = new CountDownLatch(1);
        CompletableFuture<Boolean> first = CompletableFuture.supplyAsync(
                () -> thread.run(Client.SERVER, () -> {
                    busy.countDown();
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return done.add("first");
                }),
                EACH_ON_ITS_OWN);
        busy.await();
        return first;
    }

    private CompletableFuture<Boolean> waits(Client client, String name) throws InterruptedException {
        int before = thread.waiting();
        CompletableFuture<Boolean> asked =
                CompletableFuture.supplyAsync(() -> thread.run(client, () -> done.add(name)), EACH_ON_ITS_OWN);
        while (thread.waiting() == before) {
            Thread.sleep(2);
        }
        return asked;
    }

    @Test
    void callersTakeTurns() throws Exception {
        CompletableFuture<Boolean> first = occupied();
        List<CompletableFuture<Boolean>> all = List.of(
                first,
                waits(new Client("a", () -> {}), "a1"),
                waits(new Client("a", () -> {}), "a2"),
                waits(new Client("b", () -> {}), "b1"));
        assertThatThrownBy(() -> thread.run(new Client("b", () -> {}), () -> done.add("no")))
                .hasMessage("3 samples wait for the perceiver, there is no room for more; try again later")
                .extracting(e -> ((ApiException) e).status())
                .isEqualTo(429);
        goOn.countDown();
        all.forEach(CompletableFuture::join);
        assertThat(done).containsExactly("first", "a1", "b1", "a2");
    }

    @Test
    void theKeyThatWaitsForMostYieldsToAnother() throws Exception {
        CompletableFuture<Boolean> first = occupied();
        CompletableFuture<Boolean> a1 = waits(new Client("a", () -> {}), "a1");
        CompletableFuture<Boolean> a2 = waits(new Client("a", () -> {}), "a2");
        CompletableFuture<Boolean> a3 = waits(new Client("a", () -> {}), "a3");
        CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(
                () -> thread.run(new Client("b", () -> {}), () -> done.add("b1")), EACH_ON_ITS_OWN);
        assertThatThrownBy(a3::join)
                .hasRootCauseMessage("3 samples wait for the perceiver, there is no room for more; try again later");
        goOn.countDown();
        CompletableFuture.allOf(first, a1, a2, other).join();
        assertThat(done).containsExactly("first", "a1", "b1", "a2");
    }

    @Test
    void whatNobodyWaitsForIsLeftOut() throws Exception {
        CompletableFuture<Boolean> first = occupied();
        AtomicBoolean here = new AtomicBoolean(true);
        CompletableFuture<Boolean> gone = waits(
                new Client("a", () -> {
                    if (!here.get()) {
                        throw new IllegalStateException("hung up");
                    }
                }),
                "gone");
        CompletableFuture<Boolean> other = waits(new Client("b", () -> {}), "other");
        here.set(false);
        assertThatThrownBy(gone::join).hasRootCauseMessage("hung up");
        assertThat(thread.waiting()).as("its room is free before its turn").isOne();
        goOn.countDown();
        first.join();
        other.join();
        assertThat(done).containsExactly("first", "other");
    }

    @Test
    void whatWaitedTooLongIsLeftOut() throws Exception {
        CompletableFuture<Boolean> first = occupied();
        CompletableFuture<Boolean> late = waits(new Client("a", () -> {}), "late");
        clock.set(Duration.ofSeconds(30).toNanos());
        assertThatThrownBy(late::join)
                .cause()
                .hasMessageContaining("did not come within the request's time")
                .extracting(e -> ((ApiException) e).status())
                .isEqualTo(504);
        CompletableFuture<Boolean> other = waits(new Client("b", () -> {}), "other");
        goOn.countDown();
        first.join();
        other.join();
        assertThat(done).containsExactly("first", "other");
    }

    /** A client that disconnects during its turn loses no step of its session. */
    @Test
    void whatHasBegunGoesOnToItsEnd() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CompletableFuture<Boolean> begun = CompletableFuture.supplyAsync(
                () -> thread.run(
                        new Client("a", () -> {
                            asked.countDown();
                            throw new IllegalStateException("hung up");
                        }),
                        () -> {
                            try {
                                goOn.await();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            return done.add("begun");
                        }),
                EACH_ON_ITS_OWN);
        asked.await();
        goOn.countDown();
        assertThat(begun.join()).isTrue();
    }

    @Test
    void anErrorIsToldAsOneAndTheThreadGoesOn() {
        assertThatThrownBy(() -> thread.run(Client.SERVER, () -> {
                    throw new OutOfMemoryError("too much");
                }))
                .hasCauseInstanceOf(OutOfMemoryError.class);
        assertThat(thread.run(Client.SERVER, () -> 3)).isEqualTo(3);
        assertThat(thread.close()).isTrue();
        assertThatThrownBy(() -> thread.run(Client.SERVER, () -> 3))
                .hasMessage("the perceiver has stopped")
                .extracting(e -> ((ApiException) e).status())
                .isEqualTo(503);
    }
}

package dev.prpf.par.serve.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.par.serve.http.ApiException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class VisionQueueTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger looked = new AtomicInteger();

    private static void here() {}

    private static void gone() {
        throw new IllegalStateException("the client left");
    }

    private VisionQueue queue(int room, Duration patience) {
        return new VisionQueue(room, patience, refused::incrementAndGet);
    }

    private int look(VisionQueue queue, Runnable waiting) {
        return queue.turn("a", waiting, looked::incrementAndGet);
    }

    /** Asks for a turn while another request has it. */
    private void whileBusy(VisionQueue queue, Runnable asked) {
        assertThat(queue.turn("b", VisionQueueTest::here, () -> {
                    asked.run();
                    return "done";
                }))
                .isEqualTo("done");
    }

    @Test
    void nobodyLooksForAClientThatLeft() {
        VisionQueue queue = queue(1, LONG);
        assertThatThrownBy(() -> look(queue, VisionQueueTest::gone)).hasMessage("the client left");
        whileBusy(queue, () -> {
            assertThatThrownBy(() -> look(queue, VisionQueueTest::gone)).hasMessage("the client left");
            assertThat(queue.waiting()).as("its place is free").isZero();
        });
        assertThat(looked).hasValue(0);
        assertThat(look(queue, VisionQueueTest::here))
                .as("the turn was passed on")
                .isEqualTo(1);
    }

    @Test
    void whatFindsNoRoomOrWaitsTooLongIsRefused() {
        VisionQueue full = queue(0, LONG);
        whileBusy(full, () -> assertRefused(full, 429));
        assertThat(refused).hasValue(1);
        VisionQueue hasty = queue(1, Duration.ZERO);
        whileBusy(hasty, () -> assertRefused(hasty, 504));
        assertThat(hasty.waiting()).isZero();
        assertThat(looked).hasValue(0);
        assertThat(look(hasty, VisionQueueTest::here)).isEqualTo(1);
    }

    private void assertRefused(VisionQueue queue, int status) {
        assertThatThrownBy(() -> look(queue, VisionQueueTest::here))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.status()).isEqualTo(status));
    }

    @Test
    void theOneThatWaitsFollows() {
        VisionQueue queue = queue(1, LONG);
        CompletableFuture<Integer> other = new CompletableFuture<>();
        whileBusy(queue, () -> {
            Thread waiting = new Thread(() -> other.complete(look(queue, VisionQueueTest::here)));
            waiting.setDaemon(true);
            waiting.start();
            while (queue.waiting() == 0) {
                Thread.onSpinWait();
            }
            assertThat(looked).hasValue(0);
        });
        assertThat(other.join()).isEqualTo(1);
    }
}

package dev.prpf.par.serve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FairGateTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private final AtomicInteger looked = new AtomicInteger();
    private final List<String> order = new CopyOnWriteArrayList<>();

    private static void here() {}

    private static void gone() {
        throw new IllegalStateException("the client left");
    }

    private static final FairGate.Refusals REFUSALS = new FairGate.Refusals(
            () -> ApiException.timeout("too late"),
            waiting -> ApiException.overloaded(Duration.ofSeconds(2), waiting + " requests wait"));

    private static FairGate gate(int room, Duration patience) {
        return new FairGate(FairGate.Limits.single(room, patience), REFUSALS);
    }

    private int look(FairGate gate, Runnable waiting) {
        return gate.turn("a", waiting, looked::incrementAndGet);
    }

    /** Asks for a turn while another request has it. */
    private static void whileBusy(FairGate gate, Runnable asked) {
        assertThat(gate.turn("b", FairGateTest::here, () -> {
                    asked.run();
                    return "done";
                }))
                .isEqualTo("done");
    }

    private CompletableFuture<Boolean> waits(FairGate gate, String key, String name) {
        int before = gate.waiting();
        CompletableFuture<Boolean> asked = asks(gate, key, name);
        while (gate.waiting() == before) {
            Thread.onSpinWait();
        }
        return asked;
    }

    private CompletableFuture<Boolean> asks(FairGate gate, String key, String name) {
        CompletableFuture<Boolean> asked = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                asked.complete(gate.turn(key, FairGateTest::here, () -> order.add(name)));
            } catch (RuntimeException e) {
                asked.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return asked;
    }

    @Test
    void nobodyWorksForAClientThatLeft() {
        FairGate gate = gate(1, LONG);
        assertThatThrownBy(() -> look(gate, FairGateTest::gone)).hasMessage("the client left");
        whileBusy(gate, () -> {
            assertThatThrownBy(() -> look(gate, FairGateTest::gone)).hasMessage("the client left");
            assertThat(gate.waiting()).as("its place is free").isZero();
        });
        assertThat(looked).hasValue(0);
        assertThat(look(gate, FairGateTest::here)).as("the turn was passed on").isEqualTo(1);
    }

    @Test
    void requestsWithoutRoomOrPatienceAreRefused() {
        FairGate full = gate(0, LONG);
        whileBusy(full, () -> assertThatThrownBy(() -> look(full, FairGateTest::here))
                .hasMessage("0 requests wait"));
        FairGate hasty = gate(1, Duration.ZERO);
        whileBusy(hasty, () -> assertThatThrownBy(() -> look(hasty, FairGateTest::here))
                .hasMessage("too late"));
        assertThat(hasty.waiting()).isZero();
        assertThat(looked).hasValue(0);
        assertThat(look(hasty, FairGateTest::here)).isEqualTo(1);
    }

    @Test
    void keysTakeTurnsAndTheGreedyOneYieldsItsNewest() {
        FairGate gate = gate(3, LONG);
        CompletableFuture<?>[] asked = new CompletableFuture<?>[4];
        whileBusy(gate, () -> {
            for (int i = 0; i < 3; i++) {
                asked[i] = waits(gate, "greedy", "greedy " + i);
            }
            asked[3] = asks(gate, "other", "other");
            assertThatThrownBy(asked[2]::join).hasRootCauseMessage("3 requests wait");
            assertThat(order).isEmpty();
        });
        CompletableFuture.allOf(asked[0], asked[1], asked[3]).join();
        assertThat(order).containsExactly("greedy 0", "other", "greedy 1");
    }

    @Test
    void aKeyLeavesATurnToOthers() throws Exception {
        FairGate gate = new FairGate(new FairGate.Limits(new KeyShare(2, true), Integer.MAX_VALUE, LONG), REFUSALS);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Integer> first =
                CompletableFuture.supplyAsync(() -> gate.turn("a", FairGateTest::here, () -> {
                    looked.incrementAndGet();
                    awaitQuietly(goOn);
                    return 1;
                }));
        while (looked.get() == 0) {
            Thread.onSpinWait();
        }
        CompletableFuture<Boolean> second = waits(gate, "a", "second of a");
        assertThat(second).as("one turn is free, but not for this key").isNotDone();
        assertThat(gate.turn("b", FairGateTest::here, () -> order.add("b"))).isTrue();
        goOn.countDown();
        assertThat(first.get()).isEqualTo(1);
        assertThat(second.get()).isTrue();
        assertThat(order).containsExactly("b", "second of a");
    }

    @Test
    void oneThatLeavesMayFreeTurnsForTwo() throws Exception {
        FairGate gate = new FairGate(new FairGate.Limits(new KeyShare(8, true), Integer.MAX_VALUE, LONG), REFUSALS);
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        for (String key : List.of("a", "a", "a", "b", "b")) {
            works(gate, key, end);
        }
        works(gate, "b", leave);
        CompletableFuture<Boolean> ofA = holdsLater(gate, "a", end);
        CompletableFuture<Boolean> ofB = waits(gate, "b", "b");
        leave.countDown();
        assertThat(ofB.get(20, TimeUnit.SECONDS))
                .as("its key has one turn less")
                .isTrue();
        assertThat(ofA).as("still works").isNotDone();
        end.countDown();
        assertThat(ofA.get(20, TimeUnit.SECONDS)).isTrue();
    }

    private void works(FairGate gate, String key, CountDownLatch end) {
        int before = looked.get();
        assertThat(hold(gate, key, end)).as("works until its end").isNotDone();
        while (looked.get() == before) {
            Thread.onSpinWait();
        }
    }

    private CompletableFuture<Boolean> holdsLater(FairGate gate, String key, CountDownLatch end) {
        CompletableFuture<Boolean> held = hold(gate, key, end);
        while (gate.waiting() == 0) {
            Thread.onSpinWait();
        }
        return held;
    }

    private CompletableFuture<Boolean> hold(FairGate gate, String key, CountDownLatch end) {
        CompletableFuture<Boolean> held = new CompletableFuture<>();
        Thread thread = new Thread(() -> held.complete(gate.turn(key, FairGateTest::here, () -> {
            looked.incrementAndGet();
            awaitQuietly(end);
            return true;
        })));
        thread.setDaemon(true);
        thread.start();
        return held;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

package dev.prpf.mpp.network.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleTest {
    private static final int RUNS = 5;

    /** Makes a chain long enough for several threads. */
    private static void work(long micros) {
        LockSupport.parkNanos(micros * 1000);
    }

    /** Every part finds its dependencies done, and runs once per run. */
    @ParameterizedTest
    @CsvSource({"1,2", "2,2", "3,3", "4,5", "5,16"})
    void noStepRunsBeforeWhatItReads(long seed, int threads) {
        SplittableRandom random = new SplittableRandom(seed);
        Set<Integer> done = ConcurrentHashMap.newKeySet();
        List<String> early = new ArrayList<>();
        AtomicInteger count = new AtomicInteger();
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            List<Integer> reads = new ArrayList<>();
            for (int k = random.nextInt(4); k > 0 && i > 0; k--) {
                reads.add(random.nextInt(i));
            }
            int step = i;
            List<Runnable> parts = new ArrayList<>();
            AtomicInteger left = new AtomicInteger();
            int n = random.nextInt(1, 4);
            for (int part = 0; part < n; part++) {
                parts.add(() -> {
                    if (!done.containsAll(reads)) {
                        synchronized (early) {
                            early.add(step + " of " + reads);
                        }
                    }
                    work(20);
                    count.incrementAndGet();
                    if (left.incrementAndGet() == n) {
                        left.set(0);
                        done.add(step);
                    }
                });
            }
            steps.add(new Step(parts, List.copyOf(reads), List.of(step))); // small boxed integers represent memory
        }
        Schedule schedule = new Schedule(steps, threads);
        int parts = steps.stream().mapToInt(step -> step.parts().size()).sum();
        for (int run = 0; run < RUNS; run++) {
            schedule.run();
            assertThat(early).isEmpty();
            assertThat(done).hasSize(40);
            assertThat(count.getAndSet(0)).isEqualTo(parts);
            done.clear();
        }
    }

    /** Writers of one piece of memory keep their order, and a later write waits for those that read the earlier one. */
    @Test
    void writesKeepTheirOrderAndWaitForReaders() {
        Object memory = new Object();
        List<String> order = new ArrayList<>();
        List<Step> steps = new ArrayList<>(List.of(
                new Step(List.of(() -> add(order, "write")), List.of(), List.of(memory)),
                new Step(List.of(() -> add(order, "read")), List.of(memory), List.of(new Object())),
                new Step(List.of(() -> add(order, "overwrite")), List.of(), List.of(memory)),
                new Step(List.of(() -> add(order, "add")), List.of(), List.of(memory))));
        addUnrelated(steps);
        Schedule schedule = new Schedule(steps, 4);
        for (int run = 0; run < RUNS; run++) {
            order.clear();
            schedule.run();
            assertThat(order).containsExactly("write", "read", "overwrite", "add");
        }
    }

    /** A short chain runs only on the calling thread. */
    private static void addUnrelated(List<Step> steps) {
        for (int i = 0; i < 16; i++) {
            steps.add(new Step(List.of(() -> work(10)), List.of(), List.of(new Object())));
        }
    }

    private static void add(List<String> order, String name) {
        work(100);
        synchronized (order) {
            order.add(name);
        }
    }

    @Test
    void independentChainsRunInParallel() {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        List<Step> steps = new ArrayList<>();
        for (int chain = 0; chain < 2; chain++) {
            Object memory = new Object();
            for (int i = 0; i < 8; i++) {
                steps.add(new Step(
                        List.of(() -> {
                            work(500);
                            threads.add(Thread.currentThread().getName());
                        }),
                        List.of(memory),
                        List.of(memory)));
            }
        }
        Schedule schedule = new Schedule(steps, 2);
        for (int run = 0; run < RUNS; run++) {
            schedule.run();
        }
        assertThat(threads).hasSize(2).contains(Thread.currentThread().getName());
    }

    @Test
    void failedStepEndsTheRunAndTheNextRunWorks() {
        AtomicInteger runs = new AtomicInteger();
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int step = i;
            steps.add(new Step(
                    List.of(() -> {
                        work(100);
                        if (step == 3 && runs.get() == 6) {
                            throw new IllegalArgumentException("no such row");
                        }
                    }),
                    List.of(),
                    List.of(new Object())));
        }
        Schedule schedule = new Schedule(steps, 3);
        while (runs.get() < 6) {
            schedule.run();
            runs.incrementAndGet();
        }
        assertThatThrownBy(schedule::run)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a step of the network failed: java.lang.IllegalArgumentException: no such row");
        runs.incrementAndGet();
        schedule.run();
    }
}

package dev.prpf.mpp.network.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps on several threads. A part is ready when all that it depends on is done; a free thread takes, of the ready parts, the one
 * with the longest chain of work behind it. The first runs measure each part on one thread. Each part changes memory of its own, so the
 * values do not depend on which thread runs it.
 */
final class Schedule {
    private static final int MEASURED_RUNS = 4;
    /** Less work than this is done sooner than a second thread wakes up. */
    private static final long WORTH_A_THREAD_NANOS = 200_000;

    private final int threads;
    private final Runnable[] work; // in an order in which one thread can do it
    private final int[][] after; // the parts that wait for a part
    private final int[] dependencies; // how many parts a part waits for
    private final long[] nanos; // fastest measured time of each
    private final AtomicIntegerArray missing; // dependencies that are not done yet, -1 once the part is taken
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private int[] order; // by priority
    private int runs;

    /** @param steps in an order in which they can run one after the other */
    Schedule(List<Step> steps, int threads) {
        this.threads = threads;
        List<Runnable> parts = new ArrayList<>();
        List<Collection<Integer>> needed = new ArrayList<>();
        Dependencies found = new Dependencies();
        for (Step step : steps) {
            int first = parts.size();
            Collection<Integer> needs = found.of(step, first);
            for (Runnable part : step.parts()) {
                parts.add(part);
                needed.add(needs);
            }
        }
        work = parts.toArray(Runnable[]::new);
        dependencies = needed.stream().mapToInt(Collection::size).toArray();
        after = successors(needed);
        nanos = new long[work.length];
        Arrays.fill(nanos, Long.MAX_VALUE);
        missing = new AtomicIntegerArray(work.length);
        order = IntStream.range(0, work.length).toArray();
    }

    /** Which parts read and wrote each piece of memory last. */
    private static final class Dependencies {
        private final Map<Object, List<Integer>> writers = new IdentityHashMap<>();
        private final Map<Object, List<Integer>> readers = new IdentityHashMap<>();

        /** The earlier parts that must be done before any part of a step, whose parts are numbered from {@code first} on. */
        Collection<Integer> of(Step step, int first) {
            Collection<Integer> needed = new TreeSet<>();
            for (Object read : step.reads()) {
                needed.addAll(writers.getOrDefault(read, List.of()));
            }
            for (Object written : step.writes()) {
                needed.addAll(writers.getOrDefault(written, List.of()));
                needed.addAll(readers.getOrDefault(written, List.of()));
            }
            List<Integer> own =
                    IntStream.range(first, first + step.parts().size()).boxed().toList();
            step.reads().forEach(read -> readers.computeIfAbsent(read, memory -> new ArrayList<>())
                    .addAll(own));
            for (Object written : step.writes()) {
                writers.put(written, own);
                readers.put(written, new ArrayList<>());
            }
            return needed;
        }
    }

    private static int[][] successors(List<Collection<Integer>> needed) {
        List<List<Integer>> successors = new ArrayList<>();
        needed.forEach(part -> successors.add(new ArrayList<>()));
        for (int part = 0; part < needed.size(); part++) {
            for (int before : needed.get(part)) {
                successors.get(before).add(part);
            }
        }
        return successors.stream()
                .map(parts -> parts.stream().mapToInt(Integer::intValue).toArray())
                .toArray(int[][]::new);
    }

    void run() {
        if (runs < MEASURED_RUNS) {
            measure();
            runs++;
            if (runs == MEASURED_RUNS) {
                order = byLongestChain();
            }
        } else if (threads == 1 || Arrays.stream(nanos).sum() < WORTH_A_THREAD_NANOS) {
            for (Runnable part : work) {
                part.run();
            }
        } else {
            runOnThreads();
        }
    }

    private void measure() {
        for (int part = 0; part < work.length; part++) {
            long start = System.nanoTime();
            work[part].run();
            nanos[part] = Math.min(nanos[part], System.nanoTime() - start);
        }
    }

    /** Parts by the time from their start to the end of the longest chain that needs them, longest first. */
    private int[] byLongestChain() {
        long[] chains = nanos.clone();
        for (int part = work.length - 1; part >= 0; part--) {
            for (int next : after[part]) {
                chains[part] = Math.max(chains[part], nanos[part] + chains[next]);
            }
        }
        return IntStream.range(0, work.length)
                .boxed()
                .sorted(Comparator.comparingLong((Integer part) -> chains[part])
                        .reversed()
                        .thenComparing(Comparator.naturalOrder()))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private void runOnThreads() {
        for (int part = 0; part < work.length; part++) {
            missing.set(part, dependencies[part]);
        }
        WorkerPool.run(threads, this::takePart);
        Throwable thrown = failure.getAndSet(null);
        if (thrown != null) {
            throw new IllegalStateException("a step of the network failed: " + thrown, thrown);
        }
    }

    /** Runs parts as they become ready, until all are taken or one has failed. */
    private void takePart() {
        int waited = 0;
        for (int first = 0; first < order.length && failure.get() == null; ) {
            int part = ready(first);
            if (part >= 0) {
                run(part);
                waited = 0;
            } else {
                WorkerPool.pause(waited++);
            }
            while (first < order.length && missing.get(order[first]) < 0) {
                first++;
            }
        }
    }

    /** Takes the ready part of the highest priority; -1 if there is none. */
    private int ready(int first) {
        for (int i = first; i < order.length; i++) {
            if (missing.get(order[i]) == 0 && missing.compareAndSet(order[i], 0, -1)) {
                return order[i];
            }
        }
        return -1;
    }

    private void run(int part) {
        try {
            work[part].run();
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            return;
        }
        for (int next : after[part]) {
            missing.decrementAndGet(next);
        }
    }
}

package dev.prpf.mpp.network.host;

import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps on several threads: a part is ready when all that it depends on is done, and a free thread takes the first ready part in the
 * order of the steps. Each part changes memory of its own, so the values do not depend on which thread runs it.
 */
final class Schedule {
    /** Fewer parts are a chain that one thread does sooner than two. */
    private static final int WORTH_A_THREAD = 16;

    private final int threads;
    private final Runnable[] work; // in an order in which one thread can do it
    private final int[][] after; // the parts that wait for a part
    private final int[] dependencies; // how many parts a part waits for
    private final AtomicIntegerArray missing; // dependencies that are not done yet, -1 once the part is taken
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /** @param steps in an order in which they can run one after the other */
    Schedule(List<Step> steps, int threads) {
        List<Runnable> parts = new ArrayList<>();
        List<Collection<Integer>> needed = new ArrayList<>();
        Dependencies found = new Dependencies();
        for (Step step : steps) {
            Collection<Integer> needs = found.of(step, parts.size());
            for (Runnable part : step.parts()) {
                parts.add(part);
                needed.add(needs);
            }
        }
        this.threads = parts.size() < WORTH_A_THREAD ? 1 : threads;
        work = parts.toArray(Runnable[]::new);
        dependencies = needed.stream().mapToInt(Collection::size).toArray();
        after = successors(needed);
        missing = new AtomicIntegerArray(work.length);
    }

    /** Which parts read and wrote each piece of memory last. */
    private static final class Dependencies {
        private final IdentityHashMap<Object, List<Integer>> writers = new IdentityHashMap<>();
        private final IdentityHashMap<Object, List<Integer>> readers = new IdentityHashMap<>();

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
        if (threads == 1) {
            for (Runnable part : work) {
                part.run();
            }
            return;
        }
        for (int part = 0; part < work.length; part++) {
            missing.set(part, dependencies[part]);
        }
        WorkerPool.run(threads, this::takeParts);
        Throwable thrown = failure.getAndSet(null);
        if (thrown != null) {
            throw new IllegalStateException("a step of the network failed: " + thrown, thrown);
        }
    }

    /** Runs parts as they become ready, until all are taken or one has failed. */
    private void takeParts() {
        int first = 0; // all before are taken
        int waited = 0;
        while (first < work.length && failure.get() == null) {
            int part = ready(first);
            if (part >= 0) {
                run(part);
                waited = 0;
            } else {
                WorkerPool.pause(waited++);
            }
            while (first < work.length && missing.get(first) < 0) {
                first++;
            }
        }
    }

    /** Takes the first ready part; -1 if there is none. */
    private int ready(int first) {
        for (int part = first; part < work.length; part++) {
            if (missing.get(part) == 0 && missing.compareAndSet(part, 0, -1)) {
                return part;
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

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
 * Runs steps on several threads. A part is ready when its dependencies are done; a free thread takes the first ready part in step order. Each
 * part writes memory of its own, so the values do not depend on the thread.
 */
final class Schedule {
    /** Least number of parts for several threads; fewer parts are a chain that one thread runs faster. */
    private static final int WORTH_A_THREAD = 16;

    private final int threads;
    private final Runnable[] work; // in a valid sequential order
    private final int[][] after; // the parts that depend on a part
    private final int[] dependencies; // number of dependencies of a part
    private final AtomicIntegerArray missing; // open dependencies; -1 once the part is taken
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /** @param steps in a valid sequential order */
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

    /** Tracks the last readers and writers of each piece of memory. */
    private static final class Dependencies {
        private final IdentityHashMap<Object, List<Integer>> writers = new IdentityHashMap<>();
        private final IdentityHashMap<Object, List<Integer>> readers = new IdentityHashMap<>();

        /** Returns the earlier parts that a step depends on; its own parts are numbered from {@code first}. */
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
        int first = 0; // all earlier parts are taken
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

    /** Takes the first ready part; -1 if no part is ready. */
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

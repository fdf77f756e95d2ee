package dev.prpf.par.serve.http;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets a few requests at a time do work on their own threads. API keys take turns, and one key never has all of several turns. Without room
 * to wait, the key with most waiting requests yields its newest request. Thread-safe.
 */
public final class FairGate {
    private static final long LOOK_MS = 200;

    private final Limits limits;
    private final Refusals refusals;
    private final KeyQuota turns;
    private final FairQueue<Turn> queue = new FairQueue<>();

    /**
     * Limits of the gate.
     *
     * @param turns requests that work at a time
     * @param room requests that may wait
     * @param patience the longest wait of a request
     */
    public record Limits(KeyShare turns, int room, Duration patience) {
        /** Makes a gate for one request at a time. */
        public static Limits single(int room, Duration patience) {
            return new Limits(new KeyShare(1, false), room, patience);
        }
    }

    /** Makes a gate for work of the processor: one request per core works at a time, any number waits. */
    public static FairGate computing(ServerMetrics metrics, Duration patience, Refusals refusals) {
        int cores = Runtime.getRuntime().availableProcessors();
        return new FairGate(new Limits(metrics.share(cores), Integer.MAX_VALUE, patience), refusals);
    }

    /** Adds a deadline from now on to the function called while a request waits; it covers all turns of the request. */
    public static Runnable within(Duration patience, Runnable waiting, Supplier<ApiException> late) {
        long end = System.nanoTime() + patience.toNanos();
        return () -> {
            waiting.run();
            if (System.nanoTime() - end >= 0) {
                throw late.get();
            }
        };
    }

    /**
     * Makes the errors of requests that get no turn.
     *
     * @param late for a turn that did not come within the patience
     * @param full for a queue with a number of requests and no room
     */
    public record Refusals(Supplier<ApiException> late, IntFunction<ApiException> full) {
        /** Makes one error for both. */
        public Refusals(Supplier<ApiException> late) {
            this(late, waiting -> late.get());
        }
    }

    private record Turn(String caller, CompletableFuture<Boolean> granted) {}

    public FairGate(Limits limits, Refusals refusals) {
        this.limits = limits;
        this.refusals = refusals;
        turns = new KeyQuota(limits.turns());
    }

    /**
     * Waits for a turn, then works on the calling thread.
     *
     * @param waiting runs repeatedly during the wait and once before the work; throws if the client disconnected
     * @throws ApiException a refusal; 503 if the server stops; rethrows from work and waiting
     */
    public <T> T turn(String caller, Runnable waiting, Supplier<T> work) {
        Turn turn = enter(caller);
        try {
            await(turn, waiting);
            waiting.run();
            return work.get();
        } finally {
            leave(turn);
        }
    }

    private synchronized Turn enter(String caller) {
        Turn turn = new Turn(caller, new CompletableFuture<>());
        if (turns.acquire(caller, 1)) {
            turn.granted().complete(true);
            queue.countTurn(caller);
            return turn;
        }
        List<Turn> yielding = queue.makeRoom(caller, 1, limits.room() - queue.size());
        if (yielding == null) {
            throw refusals.full.apply(queue.size());
        }
        for (Turn other : yielding) {
            other.granted().completeExceptionally(refusals.full.apply(limits.room()));
        }
        queue.add(caller, turn);
        return turn;
    }

    private void await(Turn turn, Runnable waiting) {
        long deadline = System.nanoTime() + limits.patience().toNanos();
        while (true) {
            try {
                turn.granted().get(Math.min(LOOK_MS, 1 + limits.patience().toMillis()), TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                waiting.run();
                if (System.nanoTime() - deadline >= 0) {
                    throw refusals.late.get();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw ApiException.unavailable(null, "the server stopped");
            } catch (ExecutionException e) {
                throw e.getCause() instanceof ApiException refusal ? refusal : new CompletionException(e.getCause());
            }
        }
    }

    private synchronized void leave(Turn turn) {
        if (turn.granted().isDone() && !turn.granted().isCompletedExceptionally()) {
            turns.release(turn.caller(), 1);
        } else {
            queue.removeIf(turn::equals, new ArrayList<>());
        }
        Turn next = queue.poll(caller -> turns.acquire(caller, 1));
        while (next != null) {
            next.granted().complete(true);
            next = queue.poll(caller -> turns.acquire(caller, 1));
        }
    }

    public synchronized int waiting() {
        return queue.size();
    }

    /** A queue in which API keys take turns: the key with the oldest last turn gets its oldest element. Not thread-safe. */
    public static final class FairQueue<T> {
        private final Map<String, Deque<T>> waiting = new LinkedHashMap<>();
        private final Map<String, Long> turns = new HashMap<>();
        private long turn;
        private int size;

        public void add(String caller, T job) {
            waiting.computeIfAbsent(caller, unseen -> new ArrayDeque<>()).add(job);
            size++;
        }

        /** Counts a turn of a key, also one without waiting. */
        void countTurn(String caller) {
            turns.put(caller, ++turn);
        }

        /** Returns the next element, or null; its key goes to the end of the turns. */
        public @Nullable T poll() {
            return poll(caller -> true);
        }

        /**
         * Returns the next job of the first API key that may have a turn, or null. This key moves to the end of the turns.
         *
         * @param may called with the keys in turn, until the first true
         */
        public @Nullable T poll(Predicate<String> may) {
            String caller = waiting.keySet().stream()
                    .sorted(Comparator.comparing(name -> turns.getOrDefault(name, 0L)))
                    .filter(may)
                    .findFirst()
                    .orElse(null);
            if (caller == null) {
                return null;
            }
            countTurn(caller);
            Deque<T> jobs = Objects.requireNonNull(waiting.get(caller));
            T job = jobs.remove();
            size--;
            if (jobs.isEmpty()) {
                waiting.remove(caller);
            }
            return job;
        }

        /**
         * Makes room for a key's new elements. As long as the key with most waiting elements has more than this key would have, its newest element is
         * removed.
         *
         * @param more number of new elements
         * @param free number of free places
         * @return the removed elements; null, with nothing removed, if that would not suffice
         */
        public @Nullable List<T> makeRoom(String caller, int more, int free) {
            Map<String, Integer> counts = new HashMap<>();
            waiting.forEach((name, jobs) -> counts.put(name, jobs.size()));
            int own = counts.getOrDefault(caller, 0) + more;
            counts.remove(caller);
            List<String> greedy = new ArrayList<>();
            for (int i = free; i < more; i++) {
                String most = counts.isEmpty()
                        ? caller
                        : Collections.max(counts.entrySet(), Map.Entry.comparingByValue())
                                .getKey();
                if (counts.getOrDefault(most, 0) <= own) {
                    return null;
                }
                greedy.add(most);
                counts.merge(most, -1, Integer::sum);
            }
            List<T> given = greedy.stream()
                    .map(name -> Objects.requireNonNull(waiting.get(name)).removeLast())
                    .toList();
            waiting.values().removeIf(Deque::isEmpty);
            size -= given.size();
            return given;
        }

        /** Removes the elements that match a test. */
        public void removeIf(Predicate<T> test, Collection<T> removed) {
            for (Deque<T> jobs : waiting.values()) {
                jobs.removeIf(job -> {
                    boolean out = test.test(job);
                    if (out) {
                        removed.add(job);
                        size--;
                    }
                    return out;
                });
            }
            waiting.values().removeIf(Deque::isEmpty);
        }

        public int size() {
            return size;
        }
    }
}

package dev.prpf.par.serve.http;

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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A queue in which API keys take turns: the key with the oldest last turn gets its oldest element. Not thread-safe. */
public final class FairQueue<T> {
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

package dev.prpf.par.serve.generation;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Callers take turns: each turn gives the first that waits of one of them. Not for several threads at once. */
public final class FairQueue<T> {
    private final Map<String, Deque<T>> waiting = new LinkedHashMap<>();
    private int size;

    public void add(String caller, T job) {
        waiting.computeIfAbsent(caller, unseen -> new ArrayDeque<>()).add(job);
        size++;
    }

    /** The next, or null; its caller goes to the end of the turns. */
    public @Nullable T poll() {
        if (waiting.isEmpty()) {
            return null;
        }
        String caller = waiting.keySet().iterator().next();
        Deque<T> jobs = waiting.remove(caller);
        T job = jobs.remove();
        size--;
        if (!jobs.isEmpty()) {
            waiting.put(caller, jobs);
        }
        return job;
    }

    /** Takes those out that a test holds of. */
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

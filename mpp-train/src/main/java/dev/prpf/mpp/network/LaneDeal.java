package dev.prpf.mpp.network;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;

/**
 * Deals steps of known duration to two lanes by list scheduling: whenever a lane is free it takes, of the steps whose inputs are done
 * soonest, the one with the longest chain of work behind it. The order within a lane is fixed, so a lane only ever waits for a position
 * in the other.
 */
final class LaneDeal {
    private final List<PlanStep> steps;
    private final long[] nanos;
    private final List<List<Integer>> before = new ArrayList<>();
    private final List<List<Integer>> after = new ArrayList<>();
    private final long[] finish;
    private final int[] laneOf;
    private final int[] placeOf;
    private final List<List<PlanStep>> dealt = List.of(new ArrayList<>(), new ArrayList<>());
    private final List<List<Integer>> waits = List.of(new ArrayList<>(), new ArrayList<>());
    private final long[] free = new long[2];

    /**
     * @param steps in an order in which they can run one after the other
     * @param nanos how long each takes
     */
    LaneDeal(List<PlanStep> steps, long[] nanos) {
        this.steps = steps;
        this.nanos = nanos;
        finish = new long[nanos.length];
        laneOf = new int[nanos.length];
        placeOf = new int[nanos.length];
        connect();
        deal();
    }

    private void connect() {
        Map<String, Integer> makers = new HashMap<>();
        for (int i = 0; i < nanos.length; i++) {
            List<Integer> needed = steps.get(i).inputs().stream()
                    .map(makers::get)
                    .filter(Objects::nonNull)
                    .distinct()
                    .toList();
            before.add(needed);
            after.add(new ArrayList<>());
            for (int maker : needed) {
                after.get(maker).add(i);
            }
            for (String output : steps.get(i).outputs()) {
                makers.put(output, i);
            }
        }
    }

    /** Time from a step's start to the end of the longest chain that needs it. */
    private long[] chains() {
        long[] chains = new long[nanos.length];
        for (int i = nanos.length - 1; i >= 0; i--) {
            for (int next : after.get(i)) {
                chains[i] = Math.max(chains[i], chains[next]);
            }
            chains[i] += nanos[i];
        }
        return chains;
    }

    private void deal() {
        long[] chains = chains();
        NavigableSet<Integer> ready = new TreeSet<>(
                (a, b) -> chains[a] == chains[b] ? Integer.compare(a, b) : Long.compare(chains[b], chains[a]));
        int[] missing = new int[nanos.length];
        for (int i = 0; i < nanos.length; i++) {
            missing[i] = before.get(i).size();
            if (missing[i] == 0) {
                ready.add(i);
            }
        }
        while (!ready.isEmpty()) {
            int lane = free[0] <= free[1] ? 0 : 1;
            int step = soonest(ready, lane);
            ready.remove(step);
            put(step, lane);
            for (int next : after.get(step)) {
                missing[next]--;
                if (missing[next] == 0) {
                    ready.add(next);
                }
            }
        }
    }

    /** The first in order of those that can start soonest on the lane. */
    private int soonest(NavigableSet<Integer> ready, int lane) {
        int best = ready.first();
        for (int step : ready) {
            if (start(step, lane) < start(best, lane)) {
                best = step;
            }
        }
        return best;
    }

    private long start(int step, int lane) {
        long start = free[lane];
        for (int needed : before.get(step)) {
            start = Math.max(start, finish[needed]);
        }
        return start;
    }

    private void put(int step, int lane) {
        int wait = 0;
        for (int needed : before.get(step)) {
            if (laneOf[needed] != lane) {
                wait = Math.max(wait, placeOf[needed] + 1);
            }
        }
        finish[step] = start(step, lane) + nanos[step];
        free[lane] = finish[step];
        laneOf[step] = lane;
        placeOf[step] = dealt.get(lane).size();
        dealt.get(lane).add(steps.get(step));
        waits.get(lane).add(wait);
    }

    /** A lane's steps in order. */
    List<PlanStep> steps(int lane) {
        return dealt.get(lane);
    }

    /** For each of a lane's steps, how many steps of the other lane must be done before. */
    List<Integer> waits(int lane) {
        return waits.get(lane);
    }

    /** When the later lane is done, if every step takes as long as it was said to. */
    long makespan() {
        return Math.max(free[0], free[1]);
    }
}

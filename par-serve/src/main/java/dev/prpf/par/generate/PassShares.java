package dev.prpf.par.generate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Shares forward passes between tenants, so that one tenant's long prompts do not slow down the others. In a pass, the prompts and
 * constraints of all tenants together take at most as long as the decoding. After a pass with all rows come passes of the first rows, so
 * that busy tenants take at most a quarter of the time. Sequences without a tenant are not limited. Not thread-safe.
 */
final class PassShares {
    /** Nanoseconds of a pass for the constraints of the only tenant. They are limited because another tenant may arrive during the pass. */
    private static final double ALONE = 20e6;

    /** Minimum nanoseconds of a pass for all prompts and constraints. */
    private static final double LEAST = 1e6;

    /** Time of passes without busy tenants for each nanosecond of theirs. */
    private static final double OTHERS = 3;

    /** Largest assumed ratio of a partial pass's time to a whole one's, so that one slow partial pass does not disable them. */
    private static final double MOST_PARTIAL = 0.9;

    private final LongSupplier clock;

    /** Nanoseconds that each tenant may still use in the pass; negative for a debt. */
    private final Map<String, Double> left = new HashMap<>();

    private final Map<String, Integer> tokens = new HashMap<>();
    private boolean decodes;
    private int budget;

    /** Rows of the pass, and whether it excludes the rows of busy tenants. */
    private int first;

    private boolean partial;

    private final Set<String> busy = new HashSet<>();

    /** Nanoseconds of passes without busy tenants that are still due; negative if others used more. */
    private double owed;

    /** Nanoseconds of the last pass that only decoded, with all rows and without those of busy tenants. */
    private double decodingTime;

    private double partialTime;
    private double timeOfToken;
    private long began;

    /** @param clock in nanoseconds */
    PassShares(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * Begins a forward pass.
     *
     * @param most tokens of the pass, without the first one of each row
     * @return the rows in planning order: tenants take turns, each with its longest-held row first, then its oldest one
     */
    List<RunningSequence> begin(List<RunningSequence> rows, int most) {
        budget = most;
        List<RunningSequence> inTurn = new ArrayList<>(rows);
        inTurn.sort(Comparator.comparingInt(RunningSequence::held).reversed().thenComparingLong(RunningSequence::turn));
        Map<String, Integer> ranks = new HashMap<>();
        Map<RunningSequence, Integer> rank = new HashMap<>();
        inTurn.forEach(row -> rank.put(row, ranks.merge(row.sequence().tenant(), 1, Integer::sum)));
        inTurn.sort(Comparator.comparingInt(rank::get));
        chooseRows(rows, ranks);
        left.keySet().retainAll(ranks.keySet());
        tokens.clear();
        ranks.keySet().forEach(tenant -> tokens.put(tenant, 0));
        decodes = rows.stream().anyMatch(row -> !row.reads());
        Set<String> asking = rows.stream()
                .filter(row -> row.reads() || row.sequence().constraint() != null)
                .map(row -> row.sequence().tenant())
                .collect(Collectors.toSet());
        double share = ranks.size() == 1 ? ALONE : Math.max(LEAST, decoding()) / Math.max(1, asking.size());
        ranks.keySet().forEach(tenant -> left.merge(tenant, share, (old, more) -> Math.min(old, 0) + more));
        return inTurn;
    }

    /** Returns whether a tenant's number of sequences is so much larger than another's that its rows may be held. */
    static boolean isBusy(int sequences, int ofOther) {
        return sequences > 2 * ofOther;
    }

    /** Chooses all rows, or only those up to the last one of a tenant that is not busy. */
    private void chooseRows(List<RunningSequence> rows, Map<String, Integer> sequences) {
        int fewest =
                sequences.values().stream().mapToInt(Integer::intValue).min().orElse(0);
        busy.clear();
        sequences.forEach((tenant, count) -> {
            if (isBusy(count, fewest)) {
                busy.add(tenant);
            }
        });
        first = rows.size();
        while (first > 0 && busy.contains(rows.get(first - 1).sequence().tenant())) {
            first--;
        }
        partial = first < rows.size() && owed > 0;
        if (!partial) {
            first = rows.size();
        }
    }

    /** Does a slice of the constraint's work for a row's next token; returns whether the row may take part in the pass. */
    boolean prepare(RunningSequence row) {
        if (row.row() >= first) {
            return false;
        }
        String tenant = row.sequence().tenant();
        if (tenant.isEmpty() || row.sequence().constraint() == null) {
            return true;
        }
        if (left(tenant) <= 0) {
            return false;
        }
        long start = clock.getAsLong();
        boolean ready = row.sequence().prepare();
        double time = (double) clock.getAsLong() - start;
        left.merge(tenant, -time, Double::sum);
        owed -= partial ? time : 0;
        return ready;
    }

    /** Returns the tokens of a pass that a tenant may still use, without the first one of each row. */
    int room(String tenant) {
        if (tokens.size() == 1) {
            return budget;
        }
        int ofBatch = budget / tokens.size() - tokens.getOrDefault(tenant, 0);
        double ofTime = decodes ? Math.ceil(Math.max(0, left(tenant)) / Math.max(1, timeOfToken)) : ofBatch;
        return (int) Math.max(0, Math.min(ofBatch, ofTime));
    }

    private double left(String tenant) {
        return left.getOrDefault(tenant, 0.0);
    }

    /** Charges a tenant for the tokens of a row, without its first one. */
    void spend(String tenant, int more) {
        tokens.merge(tenant, more, Integer::sum);
        if (tokens.size() > 1 && decodes) {
            left.merge(tenant, -more * timeOfToken, Double::sum);
        }
    }

    /** Begins to measure the forward pass. */
    void planned() {
        began = clock.getAsLong();
    }

    /** Ends the measurement and updates the time of decoding and of each further token. */
    void end() {
        double time = (double) clock.getAsLong() - began;
        int more = tokens.values().stream().mapToInt(Integer::intValue).sum();
        if (more == 0 && partial) {
            partialTime = time;
        } else if (more == 0) {
            decodingTime = time;
        } else {
            double measured = Math.max(0, time - decoding()) / more;
            timeOfToken = timeOfToken == 0 ? measured : (timeOfToken + measured) / 2;
        }
        if (partial) {
            owed = Math.max(owed - time, -decodingTime);
            return;
        }
        partialTime = Math.min(partialTime, MOST_PARTIAL * decodingTime);
        int others = more
                - busy.stream()
                        .mapToInt(tenant -> tokens.getOrDefault(tenant, 0))
                        .sum();
        owed = Math.min(owed, 0) + OTHERS * Math.max(0, time - others * timeOfToken - partialTime);
    }

    private double decoding() {
        return partial ? partialTime : decodingTime;
    }
}

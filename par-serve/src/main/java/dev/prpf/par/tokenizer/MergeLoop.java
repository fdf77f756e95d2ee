package dev.prpf.par.tokenizer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Byte-pair merging over counted sequences of symbols: always the most frequent pair, ties to the smaller ids, with pair counts kept up to
 * date instead of counted again.
 */
final class MergeLoop {
    private static final Comparator<Candidate> BEST_FIRST =
            Comparator.comparingLong(Candidate::count).reversed().thenComparingLong(Candidate::pair);

    private final SymbolTable symbols;
    private final int maxCharacters;
    private final List<int[]> sequences;
    private final long[] counts;
    private final int[] seenInMerge;
    private final Map<Long, Long> pairCounts = new HashMap<>();
    private final Map<Long, IntList> occurrences = new HashMap<>();
    private final PriorityQueue<Candidate> queue = new PriorityQueue<>(BEST_FIRST);

    private record Candidate(long pair, long count) {}

    /** A growing list of ints. */
    private static final class IntList {
        private int[] values = new int[4];
        private int size;

        void add(int value) {
            if (size == values.length) {
                values = Arrays.copyOf(values, size * 2);
            }
            values[size++] = value;
        }
    }

    /**
     * @param symbols grows by one a merge
     * @param maxCharacters longest token that is not ASCII, in characters
     * @param sequences symbol ids; changed in place
     * @param counts how often each sequence occurs
     */
    MergeLoop(SymbolTable symbols, int maxCharacters, List<int[]> sequences, long[] counts) {
        this.symbols = symbols;
        this.maxCharacters = maxCharacters;
        this.sequences = sequences;
        this.counts = counts;
        this.seenInMerge = new int[sequences.size()];
    }

    /** Merges until the budget is spent or no pair occurs at least {@code minCount} times. */
    void run(int budget, long minCount) {
        Set<Long> touched = new HashSet<>();
        for (int i = 0; i < sequences.size(); i++) {
            count(i, 1, touched);
        }
        enqueue(touched, minCount);
        for (int merge = 1; merge <= budget; merge++) {
            Candidate best = pollCurrent(minCount);
            if (best == null) {
                return;
            }
            apply(best.pair(), merge, minCount);
        }
    }

    private @org.jspecify.annotations.Nullable Candidate pollCurrent(long minCount) {
        while (true) {
            Candidate candidate = queue.poll();
            if (candidate == null) {
                return null;
            }
            long current = pairCounts.getOrDefault(candidate.pair(), 0L);
            if (current == candidate.count()) {
                return candidate;
            }
            if (current >= minCount) {
                queue.add(new Candidate(candidate.pair(), current));
            }
        }
    }

    private void apply(long pair, int merge, long minCount) {
        int left = (int) (pair >>> 32);
        int right = (int) pair;
        int merged = symbols.merge(left, right);
        Set<Long> touched = new HashSet<>();
        IntList where = occurrences.remove(pair);
        for (int k = 0; where != null && k < where.size; k++) {
            int i = where.values[k];
            if (seenInMerge[i] == merge) {
                continue;
            }
            seenInMerge[i] = merge;
            count(i, -1, touched);
            sequences.set(i, replaced(sequences.get(i), left, right, merged));
            count(i, 1, touched);
        }
        enqueue(touched, minCount);
    }

    private static int[] replaced(int[] sequence, int left, int right, int merged) {
        int[] result = new int[sequence.length];
        int size = 0;
        for (int j = 0; j < sequence.length; j++) {
            if (j + 1 < sequence.length && sequence[j] == left && sequence[j + 1] == right) {
                result[size++] = merged;
                j++;
            } else {
                result[size++] = sequence[j];
            }
        }
        return Arrays.copyOf(result, size);
    }

    private void count(int i, int sign, Set<Long> touched) {
        int[] sequence = sequences.get(i);
        for (int j = 0; j + 1 < sequence.length; j++) {
            if (!symbols.mayMerge(sequence[j], sequence[j + 1], maxCharacters)) {
                continue;
            }
            long pair = ((long) sequence[j] << 32) | sequence[j + 1];
            pairCounts.merge(pair, sign * counts[i], Long::sum);
            if (sign > 0) {
                occurrences.computeIfAbsent(pair, p -> new IntList()).add(i);
                touched.add(pair);
            }
        }
    }

    private void enqueue(Set<Long> touched, long minCount) {
        for (Long pair : touched) {
            long count = pairCounts.getOrDefault(pair, 0L);
            if (count >= minCount) {
                queue.add(new Candidate(pair, count));
            }
        }
    }

    /** The sequences as merged. */
    List<int[]> sequences() {
        return new ArrayList<>(sequences);
    }

    /** The symbols of a byte-level BPE: 256 bytes, then one a merge. */
    static final class SymbolTable {
        private final List<String> tokens = new ArrayList<>();
        private final List<String> merges = new ArrayList<>();
        private final List<Integer> characters = new ArrayList<>();
        private final List<Boolean> ascii = new ArrayList<>();

        SymbolTable() {
            for (int b = 0; b < ByteAlphabet.SIZE; b++) {
                tokens.add(String.valueOf(ByteAlphabet.of(b)));
                // A continuation byte does not begin a character.
                characters.add((b & 0xC0) == 0x80 ? 0 : 1);
                ascii.add(b < 0x80);
            }
        }

        int merge(int left, int right) {
            tokens.add(tokens.get(left) + tokens.get(right));
            merges.add(tokens.get(left) + " " + tokens.get(right));
            characters.add(characters.get(left) + characters.get(right));
            ascii.add(ascii.get(left) && ascii.get(right));
            return tokens.size() - 1;
        }

        boolean mayMerge(int left, int right, int maxCharacters) {
            return (ascii.get(left) && ascii.get(right))
                    || characters.get(left) + characters.get(right) <= maxCharacters;
        }

        /** In byte-alphabet form, by id. */
        List<String> tokens() {
            return List.copyOf(tokens);
        }

        /** In order of rank, "left right". */
        List<String> merges() {
            return List.copyOf(merges);
        }
    }
}

package dev.prpf.par.tokenizer;

import dev.prpf.par.tokenizer.Tokenizer.ByteAlphabet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Byte-pair merging over counted sequences of symbols: the most frequent pair first, ties to the smaller ids, with incrementally updated pair
 * counts.
 */
final class MergeLoop {
    private static final Comparator<Candidate> BEST_FIRST =
            Comparator.comparingLong(Candidate::count).reversed().thenComparingLong(Candidate::pair);

    private final SymbolTable symbols;
    private final int maxCharacters;
    private final List<int[]> sequences;
    private final long[] counts;
    private final Map<Long, Long> pairCounts = new HashMap<>();
    private final Map<Long, Set<Integer>> occurrences = new HashMap<>();
    private final PriorityQueue<Candidate> queue = new PriorityQueue<>(BEST_FIRST);

    private record Candidate(long pair, long count) {}

    /**
     * @param symbols grows by one symbol per merge
     * @param maxCharacters maximum length of a non-ASCII token, in characters
     * @param sequences symbol ids; changed in place
     * @param counts number of occurrences of each sequence
     */
    MergeLoop(SymbolTable symbols, int maxCharacters, List<int[]> sequences, long[] counts) {
        this.symbols = symbols;
        this.maxCharacters = maxCharacters;
        this.sequences = sequences;
        this.counts = counts;
    }

    /** Merges until the budget is spent or no pair occurs at least {@code minCount} times. */
    void run(int budget, long minCount) {
        Set<Long> touched = new HashSet<>();
        for (int i = 0; i < sequences.size(); i++) {
            count(i, 1, touched);
        }
        enqueue(touched, minCount);
        for (int merge = 0; merge < budget; merge++) {
            Candidate best = pollCurrent(minCount);
            if (best == null) {
                return;
            }
            apply(best.pair(), minCount);
        }
    }

    private @Nullable Candidate pollCurrent(long minCount) {
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

    private void apply(long pair, long minCount) {
        int left = (int) (pair >>> 32);
        int right = (int) pair;
        int merged = symbols.merge(left, right);
        Set<Long> touched = new HashSet<>();
        for (int i : Objects.requireNonNullElse(occurrences.remove(pair), Set.<Integer>of())) {
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
                occurrences.computeIfAbsent(pair, p -> new HashSet<>()).add(i);
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

    List<int[]> sequences() {
        return new ArrayList<>(sequences);
    }

    /** The symbols of a byte-level BPE: 256 bytes, then one per merge. */
    static final class SymbolTable {
        private final List<Symbol> symbols = new ArrayList<>();
        private final List<String> merges = new ArrayList<>();

        private record Symbol(String token, int characters, boolean ascii) {}

        SymbolTable() {
            for (int b = 0; b < ByteAlphabet.SIZE; b++) {
                // A continuation byte does not begin a character.
                int characters = (b & 0xC0) == 0x80 ? 0 : 1;
                symbols.add(new Symbol(String.valueOf(ByteAlphabet.of(b)), characters, b < 0x80));
            }
        }

        int merge(int left, int right) {
            Symbol first = symbols.get(left);
            Symbol second = symbols.get(right);
            int characters = first.characters() + second.characters();
            symbols.add(new Symbol(first.token() + second.token(), characters, first.ascii() && second.ascii()));
            merges.add(first.token() + " " + second.token());
            return symbols.size() - 1;
        }

        boolean mayMerge(int left, int right, int maxCharacters) {
            Symbol first = symbols.get(left);
            Symbol second = symbols.get(right);
            return (first.ascii() && second.ascii()) || first.characters() + second.characters() <= maxCharacters;
        }

        /** Returns the tokens in byte-alphabet form, by id. */
        List<String> tokens() {
            return symbols.stream().map(Symbol::token).toList();
        }

        /** Returns the merges in order of rank, as "left right". */
        List<String> merges() {
            return List.copyOf(merges);
        }
    }
}

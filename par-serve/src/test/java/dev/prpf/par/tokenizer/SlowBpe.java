package dev.prpf.par.tokenizer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Byte-pair merging by its definition: all pairs are counted again before each merge. ASCII words only. */
final class SlowBpe {
    private SlowBpe() {}

    static List<String> merges(List<int[]> words, int budget) {
        List<List<Integer>> sequences = new ArrayList<>();
        words.forEach(word -> {
            List<Integer> sequence = new ArrayList<>();
            for (int symbol : word) {
                sequence.add(symbol);
            }
            sequences.add(sequence);
        });
        MergeLoop.SymbolTable symbols = new MergeLoop.SymbolTable();
        for (int merge = 0; merge < budget; merge++) {
            Map<Long, Integer> counts = new HashMap<>();
            for (List<Integer> sequence : sequences) {
                for (int j = 0; j + 1 < sequence.size(); j++) {
                    counts.merge(((long) sequence.get(j) << 32) | sequence.get(j + 1), 1, Integer::sum);
                }
            }
            long best = -1;
            for (Map.Entry<Long, Integer> e : counts.entrySet()) {
                int most = best < 0 ? 0 : counts.getOrDefault(best, 0);
                if (e.getValue() > most || (e.getValue() == most && e.getKey() < best)) {
                    best = e.getKey();
                }
            }
            if (best < 0) {
                break;
            }
            int left = (int) (best >>> 32);
            int right = (int) best;
            int merged = symbols.merge(left, right);
            for (List<Integer> sequence : sequences) {
                for (int j = 0; j + 1 < sequence.size(); j++) {
                    if (sequence.get(j) == left && sequence.get(j + 1) == right) {
                        sequence.set(j, merged);
                        sequence.remove(j + 1);
                    }
                }
            }
        }
        return symbols.merges();
    }
}

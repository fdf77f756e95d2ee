package dev.prpf.par.sets;

import dev.prpf.data.FunctionSpec;
import dev.prpf.data.calls.CallRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Holds records out so that no function and no request stands on both sides. */
final class CallSplit {
    private final List<CallRecord> records;
    private final int[] parents;

    private CallSplit(List<CallRecord> records) {
        this.records = records;
        parents = new int[records.size()];
    }

    /**
     * The ids of the records held out: whole groups, drawn by the seed until they are at least the share.
     *
     * @param share of the records
     */
    static Set<String> heldOut(List<CallRecord> records, double share, long seed) {
        List<List<CallRecord>> groups = new ArrayList<>(new CallSplit(records).groups());
        Collections.shuffle(groups, new Random(seed));
        Set<String> held = new HashSet<>();
        for (List<CallRecord> group : groups) {
            if (held.size() >= share * records.size()) {
                break;
            }
            group.forEach(record -> held.add(record.id()));
        }
        return held;
    }

    private List<List<CallRecord>> groups() {
        Map<String, Integer> first = new HashMap<>();
        for (int i = 0; i < records.size(); i++) {
            parents[i] = i;
            for (String mark : marks(records.get(i))) {
                Integer before = first.putIfAbsent(mark, i);
                if (before != null) {
                    parents[root(i)] = root(before);
                }
            }
        }
        Map<Integer, List<CallRecord>> groups = new LinkedHashMap<>();
        for (int i = 0; i < records.size(); i++) {
            groups.computeIfAbsent(root(i), unseen -> new ArrayList<>()).add(records.get(i));
        }
        return List.copyOf(groups.values());
    }

    private int root(int record) {
        int at = record;
        while (parents[at] != at) {
            at = parents[at];
        }
        return at;
    }

    /** What records that belong together have in common. */
    private static List<String> marks(CallRecord record) {
        List<String> marks = new ArrayList<>(
                record.functions().stream().map(FunctionSpec::name).toList());
        marks.add("\n" + String.join("\n", record.requests()).toLowerCase(Locale.ROOT));
        return marks;
    }
}

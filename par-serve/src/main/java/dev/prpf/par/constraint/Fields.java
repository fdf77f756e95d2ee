package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The inside of an object of JSON whose fields are known: in any order, each at most once, the required ones for certain. */
final class Fields {
    private final List<Field> fields;
    private final boolean mayBeEmpty;
    private final TokenTrie trie;
    private final List<Branch> values;
    private final int[] costs;
    private final Map<BitSet, Branch> further = new HashMap<>();

    /**
     * One field.
     *
     * @param name its key
     * @param required whether it must be given
     * @param value the ways its value begins
     */
    record Field(String name, boolean required, List<Option> value) {
        String key() {
            return ResponseText.json(TextNode.valueOf(name)) + ":";
        }
    }

    Fields(List<Field> fields, boolean mayBeEmpty, TokenTrie trie) {
        this.fields = fields;
        this.mayBeEmpty = mayBeEmpty;
        this.trie = trie;
        values = fields.stream().map(field -> Branch.of(field.value(), trie)).toList();
        costs = new int[fields.size()];
        for (int i = 0; i < costs.length; i++) {
            int key = Branch.literal("," + fields.get(i).key(), trie).cost();
            costs[i] = Cost.sum(key, values.get(i).cost());
        }
    }

    /** What may follow the opening brace. */
    Branch first() {
        return choice("", new BitSet());
    }

    /** What may follow a field, given those that stand already. */
    private Branch further(BitSet given) {
        return further.computeIfAbsent(given, g -> choice(",", g));
    }

    private Branch choice(String comma, BitSet given) {
        List<Option> options = new ArrayList<>();
        if (missing(given).isEmpty() && (mayBeEmpty || !given.isEmpty())) {
            options.add(Option.end("}"));
        }
        for (int i = given.nextClearBit(0); i < fields.size(); i = given.nextClearBit(i + 1)) {
            BitSet then = (BitSet) given.clone();
            then.set(i);
            Branch value = values.get(i);
            options.add(new Option(
                    comma + fields.get(i).key(),
                    Cost.sum(value.cost(), costOfRest(then)),
                    () -> List.of(value, further(then))));
        }
        return Branch.of(options, trie);
    }

    private BitSet missing(BitSet given) {
        BitSet missing = new BitSet();
        for (int i = 0; i < fields.size(); i++) {
            missing.set(i, fields.get(i).required() && !given.get(i));
        }
        return missing;
    }

    /** The required fields that are missing, and the closing brace: what {@link #further} costs, without building it. */
    private int costOfRest(BitSet given) {
        int cost = 1;
        for (int i : missing(given).stream().toArray()) {
            cost = Cost.sum(cost, costs[i]);
        }
        return cost;
    }
}

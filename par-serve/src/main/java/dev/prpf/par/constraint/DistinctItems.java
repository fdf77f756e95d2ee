package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.schema.JsonEquality;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * An array of distinct values from a list, with one state for every set of used values.
 *
 * @param values that elements may have, none equal to another
 */
record DistinctItems(List<JsonNode> values, int min, int max) {
    private static final int MOST_SETS = 1 << 10;

    DistinctItems {
        Map<Object, JsonNode> different = new LinkedHashMap<>();
        values.forEach(value -> different.putIfAbsent(JsonEquality.key(value), value));
        values = List.copyOf(different.values());
        max = Math.min(max, values.size());
        if (min <= max && sets(values.size(), max) > MOST_SETS) {
            throw new InvalidDataException("the schema has uniqueItems in an array of " + values.size()
                    + " values, which has more than " + MOST_SETS + " sets of them; give maxItems, or fewer values");
        }
    }

    /** Counts the sets of at most this many values, no further than beyond the limit. */
    private static long sets(int values, int max) {
        long sets = 1;
        long ofSize = 1;
        for (int size = 1; size <= max && sets <= MOST_SETS; size++) {
            ofSize = ofSize * (values - size + 1) / size;
            sets += ofSize;
        }
        return sets;
    }

    /**
     * Returns the array; of cost {@link Expression#NEVER} if there are fewer values than elements.
     *
     * @param gap the text after a comma
     * @param spend counts states
     */
    Expression of(TokenTrie trie, Expression gap, Function<JsonNode, String> json, IntConsumer spend) {
        if (min > max) {
            return Branch.of(List.of(), trie);
        }
        List<String> texts = values.stream().map(json).toList();
        return Branch.literal(
                "[", trie, new Sets(trie, gap, texts, spend, new HashMap<>()).element(BigInteger.ZERO, this));
    }

    private record Sets(
            TokenTrie trie, Expression gap, List<String> texts, IntConsumer spend, Map<BigInteger, Expression> known) {
        /** Returns the choice of an unused element; at the first element, the array may also end. */
        Expression element(BigInteger used, DistinctItems of) {
            List<Option> options = new ArrayList<>();
            if (used.signum() == 0 && of.min == 0) {
                options.add(Option.end("]"));
            }
            for (int i = 0; i < texts.size() && used.bitCount() < of.max; i++) {
                if (!used.testBit(i)) {
                    spend.accept(texts.get(i).length());
                    options.add(Option.of(texts.get(i), after(used.setBit(i), of)));
                }
            }
            return Branch.of(options, trie);
        }

        private Expression after(BigInteger used, DistinctItems of) {
            return Values.known(known, used, key -> {
                List<Option> options = new ArrayList<>();
                if (used.bitCount() >= of.min) {
                    options.add(Option.end("]"));
                }
                if (used.bitCount() < of.max) {
                    options.add(Option.of(",", gap, element(used, of)));
                }
                return Branch.of(options, trie);
            });
        }
    }
}

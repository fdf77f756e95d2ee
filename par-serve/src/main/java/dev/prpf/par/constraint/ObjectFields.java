package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.schema.WorkBudget;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a JSON object with known fields: in any order, each at most once, with all required ones. The possible sets of fields are too many
 * to store anything for each. So the cost of a {@link Place} is computed when it is reached.
 */
final class ObjectFields {
    private static final int COMMA = 1;

    private final boolean mayBeEmpty;
    private final BitSet required = new BitSet();
    private final byte[][] keys;
    private final int[][] spelling;
    private final Branch[] values;

    /** One field; {@code value} has the alternatives for its value. */
    record Field(String name, boolean required, List<Option> value) {
        byte[] key() {
            return ("," + ResponseGrammar.json(TextNode.valueOf(name)) + ":").getBytes(StandardCharsets.UTF_8);
        }
    }

    /** Fields with equal names are a bug. */
    ObjectFields(List<Field> fields, boolean mayBeEmpty, TokenTrie trie) {
        if (fields.stream().map(Field::name).distinct().count() < fields.size()) {
            throw new IllegalArgumentException("two fields of an object have one name: "
                    + fields.stream().map(Field::name).toList());
        }
        this.mayBeEmpty = mayBeEmpty;
        keys = fields.stream().map(Field::key).toArray(byte[][]::new);
        spelling = Arrays.stream(keys).map(trie::spelling).toArray(int[][]::new);
        values = fields.stream().map(field -> Branch.of(field.value(), trie)).toArray(Branch[]::new);
        for (int i = 0; i < keys.length; i++) {
            required.set(i, fields.get(i).required());
        }
    }

    Place first() {
        return new Place(this, new BitSet(), -1, COMMA);
    }

    /** Returns the tokens that complete a field, for the number of bytes of its key written so far. */
    private int costOf(int field, int offset) {
        return Expression.sum(spelling[field][offset], values[field].cost());
    }

    /**
     * A place within an object with known fields, between two of them or in a key.
     *
     * @param given fields written so far, without this key's; not to be changed
     * @param like the first missing field with the key's bytes so far as its prefix; -1 before a key
     * @param offset bytes written of a comma and a key
     */
    record Place(ObjectFields fields, BitSet given, int like, int offset) implements Expression {
        private boolean mayEnd() {
            boolean before = offset == 0 || (given.isEmpty() && offset == COMMA && fields.mayBeEmpty);
            return before && missing().isEmpty();
        }

        private BitSet missing() {
            BitSet missing = (BitSet) fields.required.clone();
            missing.andNot(given);
            return missing;
        }

        /** Returns the fields with the key's bytes so far as a prefix, in order. */
        private int[] open() {
            byte[][] keys = fields.keys;
            return IntStream.range(0, keys.length)
                    .filter(i -> !given.get(i))
                    .filter(i -> like < 0
                            || (keys[i].length > offset && Arrays.equals(keys[i], 0, offset, keys[like], 0, offset)))
                    .toArray();
        }

        @Override
        public @Nullable List<Expression> step(int b, WorkBudget budget) {
            if (b == '}' && mayEnd()) {
                return List.of();
            }
            for (int i : open()) {
                if ((fields.keys[i][offset] & 0xFF) == b) {
                    return offset + 1 == fields.keys[i].length
                            ? List.of(fields.values[i], new Place(fields, with(given, i), -1, 0))
                            : List.of(new Place(fields, given, offset < COMMA ? -1 : i, offset + 1));
                }
            }
            return null;
        }

        private static BitSet with(BitSet given, int field) {
            BitSet then = (BitSet) given.clone();
            then.set(field);
            return then;
        }

        @Override
        public int cost() {
            long missing =
                    1 + missing().stream().mapToLong(i -> fields.costOf(i, 0)).sum();
            long best = mayEnd() ? 1 : NEVER;
            for (int i : open()) {
                long others = fields.required.get(i) ? missing - fields.costOf(i, 0) : missing;
                best = Math.min(best, fields.costOf(i, offset) + others);
            }
            return (int) best;
        }

        @Override
        public int onlyByte() {
            return Expression.onlyByte(mayEnd(), Arrays.stream(open()).map(i -> fields.keys[i][offset] & 0xFF));
        }
    }
}

package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.par.response.ResponseGrammar;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The inside of an object of JSON whose fields are known: in any order, each at most once, the required ones for certain. The sets of
 * fields that may stand already are too many to keep anything for each: a {@link Place} is reckoned with when it is reached.
 */
final class Fields {
    private static final int COMMA = 1;

    private final boolean mayBeEmpty;
    private final BitSet required = new BitSet();
    private final byte[][] keys;
    private final int[][] spelling;
    private final Branch[] values;

    /**
     * One field.
     *
     * @param name its key
     * @param required whether it must be given
     * @param value the ways its value begins
     */
    record Field(String name, boolean required, List<Option> value) {
        byte[] key() {
            return ("," + ResponseGrammar.json(TextNode.valueOf(name)) + ":").getBytes(StandardCharsets.UTF_8);
        }
    }

    /** Fields with equal names are a bug. */
    Fields(List<Field> fields, boolean mayBeEmpty, TokenTrie trie) {
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

    /** What may follow the opening brace. */
    Place first() {
        return new Place(this, new BitSet(), -1, COMMA);
    }

    private boolean mayEnd(Place place) {
        boolean before = place.offset() == 0 || (place.given().isEmpty() && place.offset() == COMMA && mayBeEmpty);
        return before && missing(place.given()).isEmpty();
    }

    private BitSet missing(BitSet given) {
        BitSet missing = (BitSet) required.clone();
        missing.andNot(given);
        return missing;
    }

    /** The fields whose keys may be the one that is being written, in order. */
    private int[] open(Place place) {
        int offset = place.offset();
        int[] open = new int[keys.length];
        int count = 0;
        for (int i = place.given().nextClearBit(0);
                i < keys.length;
                i = place.given().nextClearBit(i + 1)) {
            boolean longer = keys[i].length > offset;
            if (place.like() < 0 || (longer && Arrays.equals(keys[i], 0, offset, keys[place.like()], 0, offset))) {
                open[count++] = i;
            }
        }
        return Arrays.copyOf(open, count);
    }

    @Nullable
    List<Expression> step(Place place, int b) {
        if (b == '}' && mayEnd(place)) {
            return List.of();
        }
        int offset = place.offset();
        for (int i : open(place)) {
            if ((keys[i][offset] & 0xFF) == b) {
                return offset + 1 == keys[i].length
                        ? List.of(values[i], new Place(this, with(place.given(), i), -1, 0))
                        : List.of(new Place(this, place.given(), offset < COMMA ? -1 : i, offset + 1));
            }
        }
        return null;
    }

    private static BitSet with(BitSet given, int field) {
        BitSet then = (BitSet) given.clone();
        then.set(field);
        return then;
    }

    int onlyByte(Place place) {
        int only = mayEnd(place) ? '}' : -1;
        for (int i : open(place)) {
            int b = keys[i][place.offset()] & 0xFF;
            if (only >= 0 && only != b) {
                return -1;
            }
            only = b;
        }
        return only;
    }

    int cost(Place place) {
        long missing = 1;
        for (int i : missing(place.given()).stream().toArray()) {
            missing += costOf(i, 0);
        }
        long best = mayEnd(place) ? 1 : Cost.NEVER;
        for (int i : open(place)) {
            long others = required.get(i) ? missing - costOf(i, 0) : missing;
            best = Math.min(best, costOf(i, place.offset()) + others);
        }
        return (int) best;
    }

    /** Of a field of which so many bytes stand. */
    private int costOf(int field, int offset) {
        return Cost.sum(spelling[field][offset], values[field].cost());
    }

    /**
     * Inside an object whose fields are known, between two of them or in a key.
     *
     * @param fields of the object
     * @param given those that stand already, this key's not among them; not to be changed
     * @param like a field whose key begins with what is written of this one, the first that is not given; -1 before a key
     * @param offset bytes written of a comma and a key
     */
    record Place(Fields fields, BitSet given, int like, int offset) implements Expression {
        @Override
        public @Nullable List<Expression> step(int b) {
            return fields.step(this, b);
        }

        @Override
        public @Nullable List<Expression> end() {
            return null;
        }

        @Override
        public int cost() {
            return fields.cost(this);
        }

        @Override
        public int onlyByte() {
            return fields.onlyByte(this);
        }
    }
}

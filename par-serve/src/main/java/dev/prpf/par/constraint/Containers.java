package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.schema.Schema;
import dev.prpf.par.schema.WorkBudget;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Builds the contents of JSON objects and arrays for a schema: objects with fields in a fixed order, arrays of bounded length. */
final class Containers {
    private Containers() {}

    private static List<Expression> joined(List<Expression> first, Expression... then) {
        return Stream.concat(first.stream(), Stream.of(then)).toList();
    }

    /** A field: its name as JSON, and its value. */
    record Field(String name, Expression value, boolean required) {
        byte[] key() {
            return (name + ":").getBytes(StandardCharsets.UTF_8);
        }

        static String json(String name) {
            return ResponseGrammar.json(TextNode.valueOf(name));
        }
    }

    /** Fields in their order, each at most once, with all required ones. */
    static final class Ordered {
        private final Field[] fields;
        private final byte[][] keys;
        private final int[][] spelling;
        private final int[] requiredFrom;
        private final List<Expression> gap;

        /** @param gap after a comma and a colon; costs nothing or is a text */
        Ordered(List<Field> fields, Expression gap, TokenTrie trie) {
            this.fields = fields.toArray(Field[]::new);
            this.gap = List.of(gap);
            keys = fields.stream().map(Field::key).toArray(byte[][]::new);
            spelling = Arrays.stream(keys).map(trie::spelling).toArray(int[][]::new);
            requiredFrom = new int[keys.length + 1];
            for (int i = keys.length - 1; i >= 0; i--) {
                int own = Expression.sum(1 + gap.cost(), costOf(i, 0));
                requiredFrom[i] =
                        Expression.sum(requiredFrom[i + 1], fields.get(i).required() ? own : 0);
            }
        }

        /** Returns the place after the opening brace. */
        Place first() {
            return new Place(this, 0, -1, 0);
        }

        private int costOf(int field, int offset) {
            int value =
                    Expression.sum(Expression.cost(gap), fields[field].value().cost());
            return Expression.sum(spelling[field][offset], value);
        }

        /** Returns the last field that may come next. */
        private int firstRequired(int from) {
            int next = from;
            while (next < fields.length - 1 && !fields[next].required()) {
                next++;
            }
            return next;
        }
    }

    /**
     * A place within such an object.
     *
     * @param of the object
     * @param from the first field that may still come
     * @param like the first possible field with the key's bytes so far as its prefix; -1 before a key
     * @param offset bytes written of a key; {@link #BETWEEN} after a value
     */
    record Place(Ordered of, int from, int like, int offset) implements Expression {
        static final int BETWEEN = -1;

        private static final int FIELDS_AN_OPERATION = 8;

        private boolean mayEnd() {
            return (offset == BETWEEN || (offset == 0 && from == 0)) && of.requiredFrom[from] == 0;
        }

        /** Returns the fields with the key's bytes so far as a prefix. */
        private IntStream open() {
            byte[][] keys = of.keys;
            return IntStream.rangeClosed(from, Math.min(of.firstRequired(from), keys.length - 1))
                    .filter(i -> like < 0
                            || (keys[i].length > offset && Arrays.equals(keys[i], 0, offset, keys[like], 0, offset)));
        }

        @Override
        public @Nullable List<Expression> step(int b, WorkBudget budget) {
            if (b == '}' && mayEnd()) {
                return List.of();
            } else if (offset == BETWEEN) {
                return b == ',' && from < of.keys.length ? joined(of.gap, new Place(of, from, -1, 0)) : null;
            }
            budget.spend(1 + (of.keys.length - from) / FIELDS_AN_OPERATION);
            int field = open().filter(i -> (of.keys[i][offset] & 0xFF) == b)
                    .findFirst()
                    .orElse(-1);
            if (field < 0) {
                return null;
            }
            return offset + 1 == of.keys[field].length
                    ? joined(of.gap, of.fields[field].value(), new Place(of, field + 1, -1, BETWEEN))
                    : List.of(new Place(of, from, field, offset + 1));
        }

        @Override
        public int cost() {
            if (mayEnd()) {
                return 1;
            } else if (offset == BETWEEN) {
                return Expression.sum(1, of.requiredFrom[from]);
            }
            return open().map(i -> Expression.sum(1 + of.requiredFrom[i + 1], of.costOf(i, offset)))
                    .min()
                    .orElse(NEVER);
        }

        @Override
        public int onlyByte() {
            if (offset == BETWEEN) {
                return mayEnd() ? (from == of.keys.length ? '}' : -1) : ',';
            }
            return Expression.onlyByte(mayEnd(), open().map(i -> of.keys[i][offset] & 0xFF));
        }
    }

    static final class Elements {
        private final List<Expression> prefix;
        private final Expression further;
        private final int min;
        private final int max;
        private final Expression gap;

        /**
         * @param max most elements, or {@link Schema#UNBOUNDED}
         * @param gap after a comma
         */
        Elements(List<Expression> prefix, Expression further, int min, int max, Expression gap) {
            this.prefix = prefix;
            this.further = further;
            this.min = min;
            this.max = max;
            this.gap = gap;
        }

        Index first() {
            return new Index(this, 0);
        }

        private Expression element(int index) {
            return index < prefix.size() ? prefix.get(index) : further;
        }

        private int cost(int from, int to) {
            long cost = 0;
            int comma = 1 + gap.cost();
            for (int i = from; i < Math.min(to, prefix.size()); i++) {
                cost += Expression.sum(comma, prefix.get(i).cost());
            }
            long others = Math.max(0L, to - Math.max(from, prefix.size()));
            return (int) Math.min(Expression.NEVER, cost + others * Expression.sum(comma, further.cost()));
        }
    }

    /**
     * A place within an array, after its opening bracket or an element.
     *
     * @param written number of elements so far; capped for an array without limit
     */
    record Index(Elements of, int written) implements Expression {
        private Index next() {
            int counted = Math.max(of.min, Math.max(1, of.prefix.size()));
            return of.max == Schema.UNBOUNDED && written >= counted ? this : new Index(of, written + 1);
        }

        @Override
        public @Nullable List<Expression> step(int b, WorkBudget budget) {
            if (b == ']' && written >= of.min) {
                return List.of();
            } else if (written == of.max) {
                return null;
            } else if (written > 0) {
                return b == ',' ? List.of(of.gap, of.element(written), next()) : null;
            }
            List<Expression> begun = of.element(0).step(b, budget);
            return begun == null ? null : joined(begun, next());
        }

        @Override
        public int cost() {
            if (written >= of.min) {
                return 1;
            }
            int elements = of.cost(written, of.min);
            boolean begins = written == 0 && elements < NEVER; // without a comma
            return Expression.sum(1, elements - (begins ? 1 + of.gap.cost() : 0));
        }

        @Override
        public int onlyByte() {
            if (written >= of.min) {
                return written == of.max ? ']' : -1;
            }
            return written > 0 ? ',' : of.element(0).onlyByte();
        }
    }
}

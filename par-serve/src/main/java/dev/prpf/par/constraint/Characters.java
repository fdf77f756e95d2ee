package dev.prpf.par.constraint;

import dev.prpf.par.schema.CodePoints;
import dev.prpf.par.schema.WorkBudget;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One character of a set: raw, in UTF-8 (Unicode, table 3-7), or as an escape where required. */
final class Characters implements Expression {
    private static final int CONTROLS = 0x20;
    private static final int BYTES = 256;

    private final CodePoints raw;
    private final Branch escapes;
    private final int cost;

    enum Writing {
        /** JSON with all its escapes. */
        JSON,
        /** JSON without a {@code <}, so that no tag can occur in it. */
        JSON_BETWEEN_TAGS,
        /** Raw text without a {@code <}. */
        BARE
    }

    Characters(CodePoints set, Writing writing, TokenTrie trie) {
        List<Branch.Option> options = new ArrayList<>();
        int[] kept = {};
        if (writing != Writing.BARE) {
            int[] escaped = escaped(writing);
            for (int point : escaped) {
                if (set.contains(point)) {
                    options.add(Branch.Option.end(escape(point)));
                }
            }
            kept = escaped;
        } else {
            kept = new int[] {'<'};
        }
        raw = set.without(kept);
        escapes = Branch.of(options, trie);
        cost = Math.min(escapes.cost(), costOfRaw(trie));
    }

    private static int[] escaped(Writing writing) {
        int[] points = new int[CONTROLS + (writing == Writing.JSON ? 2 : 3)];
        for (int c = 0; c < CONTROLS; c++) {
            points[c] = c;
        }
        points[CONTROLS] = '"';
        points[CONTROLS + 1] = '\\';
        if (writing == Writing.JSON_BETWEEN_TAGS) {
            points[CONTROLS + 2] = '<';
        }
        return points;
    }

    private static String escape(int point) {
        return switch (point) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\b' -> "\\b";
            case '\f' -> "\\f";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> String.format("\\u%04x", point);
        };
    }

    private int costOfRaw(TokenTrie trie) {
        int best = NEVER;
        for (int b = 0; b < BYTES; b++) {
            int node = trie.child(0, b);
            List<Expression> then = node >= 0 && trie.isToken(node) ? lead(b) : null;
            best = then == null ? best : Math.min(best, 1 + Expression.cost(then));
        }
        return best;
    }

    @Override
    public @Nullable List<Expression> step(int b, WorkBudget budget) {
        List<Expression> escaped = escapes.step(b, budget);
        return escaped != null ? escaped : lead(b);
    }

    private @Nullable List<Expression> lead(int b) {
        if (b < 0x80) {
            return raw.contains(b) ? List.of() : null;
        } else if (b < 0xC2 || b > 0xF4) {
            return null;
        } else if (b < 0xE0) {
            return new Partial(raw, b & 0x1F, 1, 0x80).ifAny();
        } else if (b < 0xF0) {
            return new Partial(raw, b & 0x0F, 2, 0x800).ifAny();
        }
        return new Partial(raw, b & 0x07, 3, 0x10000).ifAny();
    }

    @Override
    public int cost() {
        return cost;
    }

    /**
     * A place within a character of several bytes.
     *
     * @param raw possible characters
     * @param prefix known bits
     * @param missing number of bytes that follow
     * @param least smallest code point with as many bytes
     */
    record Partial(CodePoints raw, int prefix, int missing, int least) implements Expression {
        /** The states that accept any character, by missing bytes: shared by all prefixes after which every character is accepted. */
        private static final List<Partial> ANY = List.of(
                new Partial(CodePoints.ALL, 1, 1, 0),
                new Partial(CodePoints.ALL, 1, 2, 0),
                new Partial(CodePoints.ALL, 1, 3, 0));

        private @Nullable List<Expression> ifAny() {
            int from = prefix << (6 * missing);
            int to = from | ((1 << (6 * missing)) - 1);
            if (!raw.intersects(Math.max(from, least), to)) {
                return null;
            } else if (missing == 0) {
                return List.of();
            }
            return List.of(from >= least && raw.covers(from, to) ? ANY.get(missing - 1) : this);
        }

        @Override
        public @Nullable List<Expression> step(int b, WorkBudget budget) {
            return b < 0x80 || b > 0xBF
                    ? null
                    : new Partial(raw, (prefix << 6) | (b & 0x3F), missing - 1, least).ifAny();
        }

        @Override
        public int cost() {
            return missing;
        }
    }
}

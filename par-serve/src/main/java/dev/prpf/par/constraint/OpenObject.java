package dev.prpf.par.constraint;

import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.schema.WorkBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An object of JSON whose fields the pool does not name: keys without escapes, so that equal keys have equal bytes, and no key twice. What
 * may follow depends on how many keys stand already, not on which: {@link WrittenKeys} knows these.
 */
final class OpenObject {
    /** Fewer than there are letters, and than bytes that may end a character: so some byte always makes a key a new one. */
    static final int MAX_FIELDS = 16;

    private static final int KEY_LIMIT = 64;

    private OpenObject() {}

    /** @param value of each key */
    static Option of(TextMachine key, Expression value, boolean mayBeEmpty, TokenTrie trie) {
        return of(key, List.of(value), List.of(), mayBeEmpty, trie);
    }

    /**
     * The same.
     *
     * @param value of each key, with what stands before it
     * @param gap what stands behind a comma
     */
    static Option of(
            TextMachine key, List<Expression> value, List<Expression> gap, boolean mayBeEmpty, TokenTrie trie) {
        Branch colon = Branch.literal(":", trie);
        Branch further = Branch.literal("}", trie);
        for (int keys = MAX_FIELDS - 1; keys >= 0; keys--) {
            List<Option> options = new ArrayList<>();
            if (keys > 0 || mayBeEmpty) {
                options.add(Option.end("}"));
            }
            List<Expression> then = new ArrayList<>(List.of(colon));
            then.addAll(value);
            then.add(further);
            Text text = Text.key(key, KEY_LIMIT, keys, then);
            options.add(
                    keys == 0 || gap.isEmpty()
                            ? Option.of(keys > 0 ? ",\"" : "\"", text)
                            : spaced(gap, Branch.literal("\"", trie, text)));
            further = Branch.of(options, trie);
        }
        return Option.of("{", further, End.MARK);
    }

    private static Option spaced(List<Expression> gap, Branch key) {
        List<Expression> then = Stream.concat(gap.stream(), Stream.of(key)).toList();
        return new Option(",", Expression.cost(then), () -> then);
    }

    /**
     * Marks, below what an {@link OpenObject} still expects, where it ends; writes nothing. So a state knows how many such objects it stands in.
     */
    enum End implements Expression {
        MARK;

        @Override
        public @Nullable List<Expression> step(int b, WorkBudget budget) {
            return null;
        }

        @Override
        public List<Expression> end() {
            return List.of();
        }

        @Override
        public int cost() {
            return 0;
        }
    }
}

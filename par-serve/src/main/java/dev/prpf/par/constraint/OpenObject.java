package dev.prpf.par.constraint;

import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.constraint.ResponseConstraint.WrittenKeys;
import dev.prpf.par.schema.WorkBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object with fields that the pool does not name. Keys have no escapes, so that equal keys have equal bytes, and are unique. The state depends
 * on the number of keys so far; {@link WrittenKeys} knows the keys.
 */
final class OpenObject {
    /** Fewer than there are letters, and than bytes that may end a character: so some byte always makes a new key. */
    static final int MAX_FIELDS = 16;

    private static final int KEY_LIMIT = 64;

    private OpenObject() {}

    /** @param value of each key */
    static Option of(TextMachine key, Expression value, boolean mayBeEmpty, TokenTrie trie) {
        return of(key, List.of(value), List.of(), mayBeEmpty, trie);
    }

    /**
     * Returns an object with a gap after commas.
     *
     * @param value of each key, with the text before it
     * @param gap after a comma
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

    /** Marks the end of an {@link OpenObject} below its expressions; writes nothing. So a state knows the number of such objects around it. */
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

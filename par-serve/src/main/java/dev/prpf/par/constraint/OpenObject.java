package dev.prpf.par.constraint;

import dev.prpf.par.constraint.Branch.Option;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An object of JSON whose fields the pool does not name: keys without escapes, so that equal keys have equal bytes, and no key twice. What
 * may follow depends on how many keys stand already, not on which: {@link WrittenKeys} knows these.
 */
final class OpenObject {
    /** Fewer than there are letters, and than bytes that may end a character: so some byte always makes a key a new one. */
    static final int MAX_FIELDS = 16;

    private static final int KEY_LIMIT = 64;

    private final TextMachine key;
    private final Branch value;
    private final TokenTrie trie;
    private final Branch colon;

    OpenObject(TextMachine key, Branch value, TokenTrie trie) {
        this.key = key;
        this.value = value;
        this.trie = trie;
        colon = Branch.literal(":", trie);
    }

    Option option(boolean mayBeEmpty) {
        Branch further = Branch.of(List.of(Option.end("}")), trie);
        for (int keys = MAX_FIELDS - 1; keys > 0; keys--) {
            further = fields(",", keys, true, further);
        }
        return Option.of("{", fields("", 0, mayBeEmpty, further), End.MARK);
    }

    /** The choices where so many keys stand, given those after one more. */
    private Branch fields(String comma, int keys, boolean mayEnd, Branch further) {
        List<Option> options = new ArrayList<>();
        if (mayEnd) {
            options.add(Option.end("}"));
        }
        options.add(Option.of(comma + "\"", Text.key(key, KEY_LIMIT, keys, List.of(colon, value, further))));
        return Branch.of(options, trie);
    }

    /**
     * Marks, below what an {@link OpenObject} still expects, where it ends; writes nothing. So a state knows how many such objects it stands in.
     */
    enum End implements Expression {
        MARK;

        @Override
        public @Nullable List<Expression> step(int b) {
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

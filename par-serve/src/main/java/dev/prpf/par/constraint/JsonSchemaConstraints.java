package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import dev.prpf.par.chat.ToolCallReader.Thinking;
import dev.prpf.par.chat.ToolCallReader.Tool;
import dev.prpf.par.chat.ToolCallReader.ToolTags;
import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.constraint.ModelConstraints.ResponseConstraints;
import dev.prpf.par.constraint.States.State;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.schema.SchemaReader;
import dev.prpf.par.schema.WorkBudget;
import dev.prpf.par.tokenizer.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates the constraints that force a response to match a JSON Schema, a list of texts or function calls (docs/GENERATION.md). Compiling is
 * thread-safe; the constraints themselves are for one thread. Compiled constraints are cached.
 */
public final class JsonSchemaConstraints {
    private static final int MOST_KEPT = 64;

    /** Most characters of all cached schemas. */
    private static final int MOST_TEXT = 1 << 19;

    private final Vocabulary plain;
    private final Vocabulary tagged;
    private final Map<String, Compiled> kept = new LinkedHashMap<>(MOST_KEPT, 0.75f, true);
    private int keptText;

    private JsonSchemaConstraints(Vocabulary plain, Vocabulary tagged) {
        this.plain = plain;
        this.tagged = tagged;
    }

    /**
     * Creates the constraints of a model. A vocabulary is prepared at its first use.
     *
     * @param tokenizer of the model; the caller closes it
     * @param width number of the model's tokens, possibly more than the tokenizer has
     * @param endTokens ids that end a response; the first that the model has ends complete ones
     * @throws PrpfException 78 without an end token; 65 at the first constraint if the tokenizer is not byte-level BPE
     */
    public static JsonSchemaConstraints of(Tokenizer tokenizer, int width, List<Integer> endTokens) {
        Set<Integer> ends = ResponseConstraints.endTokens(endTokens, width);
        return new JsonSchemaConstraints(
                new Vocabulary(tokenizer, Set.of(), width, ends),
                new Vocabulary(tokenizer, Set.copyOf(ToolTags.CONTROL), width, ends));
    }

    /** Creates constraints for this model with empty caches of compiled schemas. */
    public JsonSchemaConstraints separate() {
        return new JsonSchemaConstraints(plain.separate(), tagged.separate());
    }

    /** A vocabulary with or without tags, with its trie and states. */
    private static final class Vocabulary {
        private final @Nullable Vocabulary origin;
        private final Tokenizer tokenizer;
        private final Set<String> tags;
        private final int width;
        private final Set<Integer> endTokens;
        private final States states = new States();
        private SchemaRules.@Nullable Parts parts;
        private @Nullable TokenSets sets;

        Vocabulary(Tokenizer tokenizer, Set<String> tags, int width, Set<Integer> endTokens) {
            this(null, tokenizer, tags, width, endTokens);
        }

        private Vocabulary(
                @Nullable Vocabulary origin, Tokenizer tokenizer, Set<String> tags, int width, Set<Integer> endTokens) {
            this.origin = origin;
            this.tokenizer = tokenizer;
            this.tags = tags;
            this.width = width;
            this.endTokens = endTokens;
        }

        Vocabulary separate() {
            return new Vocabulary(this, tokenizer, tags, width, endTokens);
        }

        synchronized SchemaRules.Parts parts() {
            if (origin != null) {
                return origin.parts();
            }
            if (parts == null) {
                TokenTrie trie = new TokenTrie(
                        tokenizer.writtenTokens(tags).stream()
                                .filter(token -> !endTokens.contains(token.id()))
                                .toList(),
                        width);
                parts = SchemaRules.Parts.of(trie, !tags.isEmpty());
            }
            return parts;
        }

        private synchronized TokenSets sets() {
            if (sets == null) {
                sets = new TokenSets(parts().trie(), states, endTokens);
            }
            return sets;
        }

        /** Starts a constrained response. Call on the thread of all constraints. */
        TokenConstraint begin(Expression root) {
            ResponseConstraint response = start(root);
            return root instanceof Text text && text.site().isOpen() ? new ResponseConstraint.Lazy(response) : response;
        }

        private ResponseConstraint start(Expression root) {
            TokenSets all = sets();
            all.charge(new WorkBudget("the first state of a schema", ResponseConstraint.OPERATIONS));
            Function<String, long[]> encoder = tags.isEmpty() ? tokenizer::encodePlain : tokenizer::encodeControl;
            State start = states.of(List.of(root), states.end());
            return new ResponseConstraint(start, all, new ForcedText(all.trie(), encoder), endTokens);
        }
    }

    /** A compiled constraint; {@link #get} starts it for one response, on the thread of all constraints. */
    public static final class Compiled implements Supplier<TokenConstraint> {
        private final Vocabulary vocabulary;
        private final Expression root;

        private Compiled(Vocabulary vocabulary, Expression root) {
            this.vocabulary = vocabulary;
            this.root = root;
        }

        /** Returns the tokens of the shortest response, with its end token. */
        public int shortest() {
            return Expression.sum(root.cost(), 1);
        }

        @Override
        public TokenConstraint get() {
            return vocabulary.begin(root);
        }

        ResponseConstraint walker() {
            return vocabulary.start(root);
        }
    }

    /**
     * Compiles responses that are a JSON value, after reasoning where the model has some.
     *
     * @throws PrpfException 65 for a schema outside of the subset, too large, or without a possible value
     */
    public Compiled json(Thinking thinking, JsonNode schema) {
        return known(key(thinking, "json", schema), () -> {
            Vocabulary vocabulary = vocabulary(thinking);
            SchemaRules rules =
                    new SchemaRules(vocabulary.parts(), SchemaReader.read(schema), new int[1], SchemaRules.budget());
            return compiled(vocabulary, thinking, rules.root());
        });
    }

    /**
     * Compiles responses that are one of some texts, after reasoning where the model has some.
     *
     * @throws PrpfException 65 for no text, a duplicate, or too many
     */
    public Compiled choice(Thinking thinking, List<String> texts) {
        return known(key(thinking, "choice", texts), () -> {
            int length = texts.stream().mapToInt(String::length).sum();
            boolean taken = !texts.isEmpty()
                    && texts.stream().distinct().count() == texts.size()
                    && texts.stream().noneMatch(String::isEmpty)
                    && length <= SchemaReader.LONGEST;
            if (!taken) {
                throw new InvalidDataException("a choice has " + texts.size() + " texts of " + length
                        + " characters; it must have at least one, each once, none empty, at most "
                        + SchemaReader.LONGEST + " characters");
            }
            Vocabulary vocabulary = vocabulary(thinking);
            List<Option> options = texts.stream().map(Option::end).toList();
            return compiled(
                    vocabulary, thinking, Branch.of(options, vocabulary.parts().trie()));
        });
    }

    /**
     * Compiles responses that only call functions, after reasoning where the model has some.
     *
     * @param tools that may be called
     * @param several whether to allow more than one call
     * @throws PrpfException 65 for a schema as {@link #json}, or an invalid name in the syntax
     */
    public Compiled calls(Thinking thinking, ToolSyntax syntax, List<Tool> tools, boolean several) {
        if (syntax == ToolSyntax.NONE || tools.isEmpty()) {
            throw new IllegalArgumentException("no syntax or no functions to call");
        }
        return known(key(thinking, "calls", syntax, several, tools), () -> {
            Branch calls = new ToolRules(tagged.parts()).calls(syntax, tools, several);
            return compiled(tagged, thinking, calls);
        });
    }

    /**
     * Compiles free responses with constrained calls: each call follows its function's schema from its first token. A function that is neither strict
     * nor within the subset takes any arguments of the syntax: in JSON any object.
     *
     * @param strict names of the functions with enforced schemas
     * @throws PrpfException 65 for a strict function as {@link #calls}, or an invalid name in the syntax
     */
    public Compiled calledFreely(Thinking thinking, ToolSyntax syntax, List<Tool> tools, List<String> strict) {
        if (syntax == ToolSyntax.NONE || tools.isEmpty()) {
            throw new IllegalArgumentException("no syntax or no functions to call");
        }
        return known(
                key(thinking, "freely", syntax, strict, tools),
                () -> new Compiled(tagged, new ToolRules(tagged.parts()).freely(thinking, syntax, tools, strict)));
    }

    /** Returns the parts as JSON: no text of one request can look like the lists of another. */
    private static String key(Object... parts) {
        return JsonRecords.write(parts);
    }

    private Vocabulary vocabulary(Thinking thinking) {
        return thinking == Thinking.NONE ? plain : tagged;
    }

    private static Compiled compiled(Vocabulary vocabulary, Thinking thinking, Expression answer) {
        if (answer.cost() >= Expression.NEVER) {
            throw new InvalidDataException("the schema has no value that can be written");
        }
        SchemaRules.Parts parts = vocabulary.parts();
        if (thinking == Thinking.NONE) {
            return new Compiled(vocabulary, answer);
        }
        Branch after = Branch.literal("\n\n", parts.trie(), answer);
        Text thought = Text.of(parts.texts().thought(), Integer.MAX_VALUE, List.of(List.of(after)));
        Branch thoughts = Branch.literal(ToolTags.THINK + "\n", parts.trie(), thought);
        return new Compiled(
                vocabulary, thinking == Thinking.BEGUN ? thought : Alternatives.of(List.of(thoughts, answer)));
    }

    /** Returns the cached constraint, or compiles it. Two concurrent calls may both compile it. */
    private Compiled known(String asked, Supplier<Compiled> compiler) {
        String key = asked.length() + " " + AtomicFiles.sha256(asked.getBytes(StandardCharsets.UTF_8));
        synchronized (kept) {
            Compiled known = kept.get(key);
            if (known != null) {
                return known;
            }
        }
        Compiled compiled = compiler.get();
        synchronized (kept) {
            if (kept.put(key, compiled) == null) {
                keptText += asked.length();
            }
            List<String> oldest = new ArrayList<>(kept.keySet());
            for (int i = 0; kept.size() > 1 && (kept.size() > MOST_KEPT || keptText > MOST_TEXT); i++) {
                kept.remove(oldest.get(i));
                keptText -= Integer.parseInt(
                        oldest.get(i).substring(0, oldest.get(i).indexOf(' ')));
            }
        }
        return compiled;
    }

    /** Returns the number of states made so far, for all constraints. */
    long statesMade() {
        return plain.states.made() + tagged.states.made();
    }

    int kept() {
        synchronized (kept) {
            return kept.size();
        }
    }
}

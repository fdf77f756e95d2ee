package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.chat.Thinking;
import dev.prpf.par.chat.Tool;
import dev.prpf.par.chat.ToolSyntax;
import dev.prpf.par.chat.ToolTags;
import dev.prpf.par.constraint.Branch.Option;
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
 * Makes constraints of JSON Schemas, of choices of texts and of calls, for one tokenizer (docs/GENERATION.md has the subset). Compiling is for
 * any number of threads; the constraints themselves are for one thread. What was compiled is kept for the next request that asks for the same.
 */
public final class JsonSchemaConstraints {
    private static final int MOST_KEPT = 64;

    /** Characters of all schemas that are kept. */
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
     * Of a model. What a vocabulary needs is made when it is first asked for.
     *
     * @param tokenizer of the model; stays the caller's
     * @param width tokens that the model tells apart, maybe more than the tokenizer has
     * @param endTokens ids that end a response; the first that the model has ends those that are complete
     * @throws PrpfException 78 without an end token; 65, as the first constraint is asked for, if the tokenizer is no byte-level BPE
     */
    public static JsonSchemaConstraints of(Tokenizer tokenizer, int width, List<Integer> endTokens) {
        Set<Integer> ends = ResponseConstraints.endTokens(endTokens, width);
        return new JsonSchemaConstraints(
                new Vocabulary(tokenizer, Set.of(), width, ends),
                new Vocabulary(tokenizer, Set.copyOf(ToolTags.CONTROL), width, ends));
    }

    /** Makes constraints for this model with empty caches of compiled schemas. */
    public JsonSchemaConstraints separate() {
        return new JsonSchemaConstraints(plain.separate(), tagged.separate());
    }

    /** A vocabulary with or without tags, with all that was found of it. */
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

        /** Makes a vocabulary of these tokens with its own states. */
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

        /** On the thread that all constraints are used by. */
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

    /** A constraint that was compiled; {@link #get} starts it for one response, on the thread that all constraints are used by. */
    public static final class Compiled implements Supplier<TokenConstraint> {
        private final Vocabulary vocabulary;
        private final Expression root;

        private Compiled(Vocabulary vocabulary, Expression root) {
            this.vocabulary = vocabulary;
            this.root = root;
        }

        /** Tokens of the shortest response, its end token included. */
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
     * Responses that are a JSON value, behind thoughts where the model has some.
     *
     * @throws PrpfException 65 for a schema outside of the subset, too large, or without a value that can be written
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
     * Responses that are one of some texts, behind thoughts where the model has some.
     *
     * @throws PrpfException 65 for no text, one that stands twice, or too many
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
     * Responses that call functions and say nothing else, behind thoughts where the model has some.
     *
     * @param tools that may be called
     * @param several whether more than one call may come
     * @throws PrpfException 65 for a schema as {@link #json}, or a name that the syntax cannot write
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
     * Responses that are free, but for their calls: these keep to their functions' schemas from where the model begins them. A function that need
     * not be strict and whose schema is outside of the subset takes what the syntax can write: in JSON any object.
     *
     * @param strict names of the functions whose schemas must be kept to
     * @throws PrpfException 65 for a strict function as {@link #calls}, or a name that the syntax cannot write
     */
    public Compiled calledFreely(Thinking thinking, ToolSyntax syntax, List<Tool> tools, List<String> strict) {
        if (syntax == ToolSyntax.NONE || tools.isEmpty()) {
            throw new IllegalArgumentException("no syntax or no functions to call");
        }
        return known(
                key(thinking, "freely", syntax, strict, tools),
                () -> new Compiled(
                        tagged,
                        new ToolRules(tagged.parts())
                                .freely(thinking, syntax, new ToolRules.Functions(tools, strict))));
    }

    /** As JSON: no text of one request can look like the lists of another. */
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

    /** Two that ask for the same at once may both compile it. */
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

    /** States that were made so far, for all constraints. */
    long statesMade() {
        return plain.states.made() + tagged.states.made();
    }

    /** Returns the number of cached constraints. */
    int kept() {
        synchronized (kept) {
            return kept.size();
        }
    }
}

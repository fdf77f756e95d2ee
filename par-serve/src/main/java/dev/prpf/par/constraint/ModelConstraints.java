package dev.prpf.par.constraint;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample.Modality;
import dev.prpf.par.constraint.States.State;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.schema.WorkBudget;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.tokenizer.Tokenizer.WrittenToken;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates the constraints of one model's responses, for the grammar of its prompts. Nothing is compiled before the first use; a vocabulary
 * is compiled once. Not thread-safe.
 */
public final class ModelConstraints {
    private final Tokenizer tokenizer;
    private final List<Integer> endTokens;
    private final Map<Vocabulary, ResponseConstraints> compiled = new HashMap<>();

    /** @param tags that may be control tokens: those of PRPF's forms, or of the single-stage ones */
    private record Vocabulary(int width, List<String> tags) {}

    /**
     * @param tokenizer of the model; the caller closes it
     * @param endTokens that end its responses
     */
    public ModelConstraints(Tokenizer tokenizer, List<Integer> endTokens) {
        this.tokenizer = tokenizer;
        this.endTokens = List.copyOf(endTokens);
    }

    /**
     * Returns the constraint of one response.
     *
     * @param vocabulary number of the decoder's tokens, possibly more than the tokenizer has
     * @param functions that the response may call
     * @throws PrpfException 65 if the tokenizer is not byte-level BPE, 78 without an end token
     */
    public TokenConstraint of(int vocabulary, ResponseForm form, List<FunctionSpec> functions) {
        return compiled(vocabulary, form).walker(form, functions);
    }

    /** Returns the tokens of the shortest response with its end: silence, in the longest of the forms that samples may need. */
    public int shortest(int vocabulary, ReasoningMode reasoning) {
        return Arrays.stream(Modality.values())
                .mapToInt(modality -> of(vocabulary, ResponseForm.of(reasoning, modality), List.of())
                        .shortest())
                .max()
                .orElseThrow();
    }

    private ResponseConstraints compiled(int width, ResponseForm form) {
        return compiled.computeIfAbsent(
                new Vocabulary(width, ResponseGrammar.tags(form)),
                vocabulary -> ResponseConstraints.of(
                        tokenizer, vocabulary.tags(), width, endTokens, ConstraintSettings.DEFAULT));
    }

    /**
     * Creates the constraints of responses for one tokenizer. A grammar is compiled for a form and a list of functions, and cached for the next sample
     * with the same. Not thread-safe.
     */
    static final class ResponseConstraints {
        private static final int MAX_GRAMMARS = 16;

        private final TokenTrie trie;
        private final TextMachines machines;
        private TextMachines.@Nullable SingleStage singleStage;
        private final ConstraintSettings settings;
        private final Set<Integer> endTokens;
        private final ForcedText forcedText;
        private final States states = new States();
        private final TokenSets sets;
        private final Map<Key, State> starts = new LinkedHashMap<>(MAX_GRAMMARS, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Key, State> eldest) {
                return size() > MAX_GRAMMARS;
            }
        };

        private record Key(ResponseForm form, List<FunctionSpec> functions) {}

        ResponseConstraints(
                List<WrittenToken> vocabulary,
                int width,
                List<Integer> endTokens,
                ConstraintSettings settings,
                Function<String, long[]> encoder) {
            this.endTokens = endTokens(endTokens, width);
            this.settings = settings;
            trie = new TokenTrie(
                    vocabulary.stream()
                            .filter(t -> !this.endTokens.contains(t.id()))
                            .toList(),
                    width);
            machines = TextMachines.of(trie);
            forcedText = new ForcedText(trie, encoder);
            sets = new TokenSets(trie, states, this.endTokens);
        }

        /** Returns the end tokens that the model has, in order; throws 78 without any. */
        static Set<Integer> endTokens(List<Integer> endTokens, int width) {
            Set<Integer> ends = new LinkedHashSet<>(
                    endTokens.stream().filter(id -> id < width).toList());
            if (ends.isEmpty()) {
                throw new InvalidConfigurationException(
                        "constrained decoding needs an end token; the model's generation_config.json"
                                + " and config.json name " + endTokens + " of " + width + " tokens");
            }
            return ends;
        }

        /**
         * Creates the constraints of a tokenizer and its model.
         *
         * @param tags written as control tokens if the tokenizer has them
         * @param width number of the model's tokens, possibly more than the tokenizer has
         * @param endTokens ids that end a response; the first that the model has ends complete ones
         * @throws PrpfException 65 if the tokenizer is not byte-level BPE, 78 without an end token
         */
        static ResponseConstraints of(
                Tokenizer tokenizer,
                List<String> tags,
                int width,
                List<Integer> endTokens,
                ConstraintSettings settings) {
            return new ResponseConstraints(
                    tokenizer.writtenTokens(Set.copyOf(tags)), width, endTokens, settings, tokenizer::encodeControl);
        }

        /** Returns the constraint of one response that may call these functions. */
        ResponseConstraint walker(ResponseForm form, List<FunctionSpec> functions) {
            State start = starts.computeIfAbsent(new Key(form, List.copyOf(functions)), key -> compile(key));
            return new ResponseConstraint(start, sets, forcedText, endTokens);
        }

        States states() {
            return states;
        }

        private State compile(Key key) {
            ResponseRules rules = new ResponseRules(trie, machines, settings, key.functions());
            Branch response = key.form().singleStage()
                    ? rules.singleStage(key.form(), singleStage())
                    : rules.response(key.form());
            sets.charge(new WorkBudget("the first state of a form", ResponseConstraint.OPERATIONS));
            return states.of(List.of(response), states.end());
        }

        private TextMachines.SingleStage singleStage() {
            if (singleStage == null) {
                singleStage = TextMachines.SingleStage.of(trie);
            }
            return singleStage;
        }
    }
}

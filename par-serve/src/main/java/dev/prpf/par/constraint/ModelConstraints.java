package dev.prpf.par.constraint;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample.Modality;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
}

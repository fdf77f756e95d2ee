package dev.prpf.par.constraint;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionSpec;
import dev.prpf.par.generate.TokenConstraint;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The constraints of a model's responses. Nothing is compiled before the first one is asked for; what a vocabulary needs is compiled once.
 * Not for several threads at once.
 */
public final class ModelConstraints {
    private final Tokenizer tokenizer;
    private final List<Integer> endTokens;
    private final Map<Integer, ResponseConstraints> compiled = new HashMap<>();

    /**
     * @param tokenizer of the model; stays the caller's
     * @param endTokens that end its responses
     */
    public ModelConstraints(Tokenizer tokenizer, List<Integer> endTokens) {
        this.tokenizer = tokenizer;
        this.endTokens = List.copyOf(endTokens);
    }

    /**
     * The constraint of one response.
     *
     * @param vocabulary tokens that the decoder tells apart, maybe more than the tokenizer has
     * @param functions that the response may call
     * @throws PrpfException as {@link ResponseConstraints#of(Tokenizer, int, List, ConstraintSettings)}
     */
    public TokenConstraint of(int vocabulary, ResponseForm form, List<FunctionSpec> functions) {
        return compiled(vocabulary).of(form, functions);
    }

    /** Tokens of the shortest response with its end: silence, in every form and of every pool. */
    public int shortest(int vocabulary) {
        return compiled(vocabulary).of(ResponseForm.ANY, List.of()).shortest();
    }

    private ResponseConstraints compiled(int vocabulary) {
        return compiled.computeIfAbsent(
                vocabulary, width -> ResponseConstraints.of(tokenizer, width, endTokens, ConstraintSettings.DEFAULT));
    }
}

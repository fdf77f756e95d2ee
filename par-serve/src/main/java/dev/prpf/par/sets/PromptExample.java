package dev.prpf.par.sets;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.vision.VisualPrompt;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prompt as tokens, with its valid answers. Training, rollouts, evaluation and answering all take prompts in this form.
 *
 * @param id of the sample
 * @param prompt its tokens and images
 * @param valid the valid call sequences, at least one; an empty one is silence
 * @param form required form of responses
 * @param functions functions in the prompt, for constrained responses; else empty
 */
public record PromptExample(
        String id,
        VisualPrompt prompt,
        List<List<FunctionCall>> valid,
        ResponseForm form,
        List<FunctionSpec> functions) {
    public PromptExample {
        valid = valid.stream().map(List::copyOf).toList();
        functions = List.copyOf(functions);
        if (id.isBlank()) {
            throw new IllegalArgumentException("id is blank");
        }
        if (prompt.ids().length == 0) {
            throw new IllegalArgumentException("prompt " + id + " has no tokens");
        }
        if (valid.isEmpty()) {
            throw new IllegalArgumentException(
                    "prompt " + id + " has no valid answer, so rewards are undefined; silence is one empty sequence");
        }
    }

    /** Returns the tokens of the prompt. */
    public long[] ids() {
        return prompt.ids();
    }

    /** Returns the number of tokens of the longest prompt, or 0. */
    public static int longest(List<PromptExample> prompts) {
        return prompts.stream().mapToInt(one -> one.ids().length).max().orElse(0);
    }

    /** Returns whether a valid answer acts. */
    public boolean intervention() {
        return valid.stream().anyMatch(calls -> !calls.isEmpty());
    }

    /** Returns this prompt with other valid answers. */
    public PromptExample withValid(List<List<FunctionCall>> valid) {
        return new PromptExample(id, prompt, valid, form, functions);
    }

    /** Returns the first called function that the pool lacks, or null; answers cannot be rewarded without it. */
    public @Nullable String unknownFunction(FunctionPool pool) {
        return valid.stream()
                .flatMap(List::stream)
                .map(FunctionCall::name)
                .filter(name -> !pool.contains(name))
                .findFirst()
                .orElse(null);
    }
}

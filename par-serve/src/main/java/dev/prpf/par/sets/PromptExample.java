package dev.prpf.par.sets;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.vision.VisualPrompt;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prompt as tokens, with what its responses are measured by. Training, rollouts, evaluation and answering all take prompts in this form.
 *
 * @param id of the sample
 * @param prompt its tokens and images
 * @param valid the valid call sequences, at least one; an empty one is silence
 * @param form that responses must have
 * @param functions that the prompt shows, for constrained responses; empty where responses are not constrained
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
                    "prompt " + id + " has no valid answer, so nothing can be rewarded; silence is one empty sequence");
        }
    }

    /** Returns the tokens of the prompt. */
    public long[] ids() {
        return prompt.ids();
    }

    /** Tokens of the longest prompt; 0 of none. */
    public static int longest(List<PromptExample> prompts) {
        return prompts.stream().mapToInt(one -> one.ids().length).max().orElse(0);
    }

    /** Whether some valid answer acts. */
    public boolean intervention() {
        return valid.stream().anyMatch(calls -> !calls.isEmpty());
    }

    /** The same prompt with other valid answers. */
    public PromptExample withValid(List<List<FunctionCall>> valid) {
        return new PromptExample(id, prompt, valid, form, functions);
    }

    /** The first function that a valid answer calls and the pool lacks, or null: without it answers cannot be rewarded. */
    public @Nullable String unknownFunction(FunctionPool pool) {
        return valid.stream()
                .flatMap(List::stream)
                .map(FunctionCall::name)
                .filter(name -> !pool.contains(name))
                .findFirst()
                .orElse(null);
    }
}

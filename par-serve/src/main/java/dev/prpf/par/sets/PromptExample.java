package dev.prpf.par.sets;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.vision.Picture;
import dev.prpf.par.vision.PromptPicture;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A prompt as tokens, with what its responses are measured by. Training, rollouts, evaluation and answering all take prompts in this form.
 *
 * @param id of the sample
 * @param ids the prompt's tokens, at least one
 * @param valid the valid call sequences, at least one; an empty one is silence
 * @param form that responses must have
 * @param functions that the prompt shows, for constrained responses; empty where responses are not constrained
 * @param pictures whose placeholders stand among the tokens, in order; none in a prompt of text
 */
public record PromptExample(
        String id,
        long[] ids,
        List<List<FunctionCall>> valid,
        ResponseForm form,
        List<FunctionSpec> functions,
        List<PromptPicture> pictures) {
    public PromptExample {
        pictures = List.copyOf(pictures);
        valid = valid.stream().map(List::copyOf).toList();
        functions = List.copyOf(functions);
        if (id.isBlank()) {
            throw new IllegalArgumentException("id is blank");
        }
        if (ids.length == 0) {
            throw new IllegalArgumentException("prompt " + id + " has no tokens");
        }
        if (valid.isEmpty()) {
            throw new IllegalArgumentException(
                    "prompt " + id + " has no valid answer, so nothing can be rewarded; silence is one empty sequence");
        }
    }

    /** Of text. */
    public PromptExample(
            String id, long[] ids, List<List<FunctionCall>> valid, ResponseForm form, List<FunctionSpec> functions) {
        this(id, ids, valid, form, functions, List.of());
    }

    /** What is seen of its pictures. */
    public List<Picture> seen() {
        return pictures.stream().map(PromptPicture::picture).toList();
    }

    /** Tokens of the longest prompt; 0 of none. */
    public static int longest(List<PromptExample> prompts) {
        return prompts.stream().mapToInt(prompt -> prompt.ids.length).max().orElse(0);
    }

    /** Whether some valid answer acts. */
    public boolean intervention() {
        return valid.stream().anyMatch(calls -> !calls.isEmpty());
    }

    /** The same prompt with other valid answers. */
    public PromptExample withValid(List<List<FunctionCall>> valid) {
        return new PromptExample(id, ids, valid, form, functions, pictures);
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

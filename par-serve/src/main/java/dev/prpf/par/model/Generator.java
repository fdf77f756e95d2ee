package dev.prpf.par.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Continues prompts, several at a time, with a key-value cache. */
public final class Generator {
    private final Decoder decoder;

    /** The decoder stays the caller's to close. */
    public Generator(Decoder decoder) {
        this.decoder = decoder;
    }

    /**
     * Continues each prompt. Prompts of like length share a batch; the order of the results is that of the prompts.
     *
     * @param prompts token ids, each at least one
     * @return one generation a prompt; {@code maxNew} is cut where the model's positions end
     * @throws dev.prpf.data.run.PrpfException 65 for a prompt that is empty, too long or holds a foreign id
     */
    public List<Generation> generate(List<long[]> prompts, GenerationSettings settings) {
        return generate(prompts, settings, Collections.nCopies(prompts.size(), null));
    }

    /**
     * The same, each prompt's continuation kept to what its constraint allows. A constraint decides which tokens may come; among these the
     * model and the sampling decide, and log-probabilities are the model's own over its whole vocabulary, as without constraints.
     *
     * @param constraints one a prompt, null for none; each is used up
     * @throws dev.prpf.data.run.PrpfException also 2 if the tokens that a prompt leaves are fewer than its constraint's shortest text
     */
    public List<Generation> generate(
            List<long[]> prompts, GenerationSettings settings, List<? extends @Nullable TokenConstraint> constraints) {
        for (int i = 0; i < prompts.size(); i++) {
            decoder.checkIds(prompts.get(i), "prompt " + i);
        }
        List<Integer> byLength =
                new ArrayList<>(IntStream.range(0, prompts.size()).boxed().toList());
        byLength.sort(Comparator.comparingInt(i -> prompts.get(i).length));
        Generation[] results = new Generation[prompts.size()];
        for (int from = 0; from < byLength.size(); from += settings.batchSize()) {
            List<Integer> rows = byLength.subList(from, Math.min(byLength.size(), from + settings.batchSize()));
            try (DecodingBatch batch = new DecodingBatch(decoder, settings, prompts, constraints, rows)) {
                batch.run(results);
            }
        }
        return Collections.unmodifiableList(Arrays.asList(results));
    }
}

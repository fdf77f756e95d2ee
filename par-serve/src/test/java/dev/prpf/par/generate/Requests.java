package dev.prpf.par.generate;

import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.generate.Generator.GenerationSettings;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.generate.SamplingParams.StoppingCriteria;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Requests for prompts of text. */
public final class Requests {
    private Requests() {}

    /** Makes one request; its constraint can be used once. */
    public static GenerationRequest of(
            long[] prompt, SamplingParams params, long seed, @Nullable TokenConstraint constraint) {
        return new GenerationRequest(Prompt.ofText(prompt), params, seed, constraint == null ? null : () -> constraint);
    }

    /** Settings of responses drawn from a distribution. */
    public static GenerationSettings sampled(
            int maxNewTokens, Sampling sampling, List<Integer> endTokens, int batchSize) {
        SamplingParams params = new SamplingParams(maxNewTokens, sampling, 1, StoppingCriteria.at(endTokens));
        return new GenerationSettings(params, batchSize);
    }

    /** Generates one response per prompt, with the seeds 0, 1, 2, …. */
    public static List<Generation> generate(CausalLm decoder, List<long[]> prompts, GenerationSettings settings) {
        return generate(decoder, prompts, settings, Collections.nCopies(prompts.size(), null));
    }

    /** Generates one response per prompt under its constraint, with the seeds 0, 1, 2, …. */
    public static List<Generation> generate(
            CausalLm decoder,
            List<long[]> prompts,
            GenerationSettings settings,
            List<? extends @Nullable TokenConstraint> constraints) {
        List<GenerationRequest> requests = IntStream.range(0, prompts.size())
                .mapToObj(i -> of(prompts.get(i), settings.params(), i, constraints.get(i)))
                .toList();
        return new Generator(decoder).generate(requests, settings.batchSize(), () -> false);
    }
}

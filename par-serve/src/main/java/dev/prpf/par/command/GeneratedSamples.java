package dev.prpf.par.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.prpf.par.generate.FinishReason;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.StoppingCriteria;
import dev.prpf.par.tokenizer.Tokenizer;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code par generate} prints: the first sample, and all if there are several.
 *
 * @param ids new tokens of the first sample
 * @param text of the first sample; null without a tokenizer
 * @param logprobs of its tokens under the model itself
 * @param samples all of them; null if there is one only
 */
record GeneratedSamples(
        long[] ids,
        @Nullable String text,
        float[] logprobs,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<Sample> samples) {
    /**
     * One of several samples.
     *
     * @param seed of its draws
     * @param ids new tokens
     * @param text without the stop text and what follows it; null without a tokenizer
     * @param logprobs under the model itself
     * @param samplingLogprobs in the distribution drawn from
     * @param finish why it ended
     */
    record Sample(
            long seed,
            long[] ids,
            @Nullable String text,
            float[] logprobs,
            float[] samplingLogprobs,
            FinishReason finish) {}

    static GeneratedSamples of(
            GenerationRequest request,
            List<Generation> generations,
            @Nullable Tokenizer tokenizer,
            StoppingCriteria stopping) {
        List<Sample> samples = IntStream.range(0, generations.size())
                .mapToObj(i -> sample(request.seeds().get(i), generations.get(i), tokenizer, stopping))
                .toList();
        Sample first = samples.get(0);
        return new GeneratedSamples(first.ids, first.text, first.logprobs, samples.size() > 1 ? samples : null);
    }

    private static Sample sample(
            long seed, Generation generation, @Nullable Tokenizer tokenizer, StoppingCriteria stopping) {
        String written = tokenizer == null ? null : tokenizer.decodeText(generation.ids());
        String text =
                written != null && generation.finish() == FinishReason.STOP_TEXT ? stopping.before(written) : written;
        return new Sample(
                seed,
                generation.ids(),
                text,
                generation.logProbabilities(),
                generation.samplingLogProbabilities(),
                generation.finish());
    }

    /** The texts of all samples, or their tokens where nothing says what they mean. */
    List<String> lines() {
        return samples == null
                ? List.of(line(text, ids))
                : samples.stream().map(sample -> line(sample.text, sample.ids)).toList();
    }

    private static String line(@Nullable String text, long[] ids) {
        return text == null ? java.util.Arrays.toString(ids) : text;
    }
}

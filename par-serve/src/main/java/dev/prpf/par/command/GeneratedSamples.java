package dev.prpf.par.command;

import dev.prpf.par.generate.FinishReason;
import dev.prpf.par.generate.Generation;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.GenerationSettings;
import dev.prpf.par.generate.StoppingCriteria;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What was written, on its way to standard output. */
final class GeneratedSamples {
    private final GenerationRequest request;
    private final List<Generation> samples;
    private final ModelText text;
    private final StoppingCriteria ending;

    GeneratedSamples(GenerationRequest request, List<Generation> samples, ModelText text, GenerationSettings settings) {
        this.request = request;
        this.samples = samples;
        this.text = text;
        ending = settings.ending();
    }

    /** Without the stop text and what its last token says after it; null without a tokenizer. */
    private @Nullable String text(Generation sample) {
        String written = text.decodeOrNull(sample.ids());
        return written == null || sample.finish() != FinishReason.STOP_TEXT ? written : ending.before(written);
    }

    /** The first sample, and all if there are several. */
    Map<String, @Nullable Object> json() {
        Generation first = samples.get(0);
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        result.put("ids", first.ids());
        result.put("text", text(first));
        result.put("logprobs", first.logProbabilities());
        if (samples.size() > 1) {
            result.put(
                    "samples",
                    IntStream.range(0, samples.size()).mapToObj(this::sample).toList());
        }
        return result;
    }

    private Map<String, @Nullable Object> sample(int i) {
        Generation sample = samples.get(i);
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        result.put("seed", request.seeds().get(i));
        result.put("ids", sample.ids());
        result.put("text", text(sample));
        result.put("logprobs", sample.logProbabilities());
        result.put("sampling_logprobs", sample.samplingLogProbabilities());
        result.put("finish", sample.finish().name().toLowerCase(Locale.ROOT));
        return result;
    }

    /** One a sample: its text, or its tokens where nothing says what they mean. */
    List<String> lines() {
        return samples.stream()
                .map(sample -> {
                    String written = text(sample);
                    return written == null ? Arrays.toString(sample.ids()) : written;
                })
                .toList();
    }
}

package dev.prpf.par.command;

import dev.prpf.base.command.OptionGroup;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.par.generate.SamplingParams;
import dev.prpf.par.generate.SamplingParams.Sampling;
import dev.prpf.par.huggingface.GenerationDefaults;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The sampling options: defaults are those of {@code generation_config.json}. */
@OptionGroup(OptionGroup.DECODING)
final class SamplingOptions {
    @Option(names = "--greedy", description = "Always the likeliest token, whatever generation_config.json says.")
    private boolean greedy;

    @Option(
            names = "--temperature",
            paramLabel = "T",
            description = "Sample, the logits divided by this; 0 for the likeliest token.")
    private @Nullable Double temperature;

    @Option(names = "--top-k", paramLabel = "K", description = "Sample from the K likeliest tokens; 0 for all.")
    private @Nullable Integer topK;

    @Option(
            names = "--top-p",
            paramLabel = "P",
            description = "Sample from the likeliest tokens that make up this share of the probability.")
    private @Nullable Double topP;

    @Option(
            names = "--min-p",
            paramLabel = "P",
            description = "Sample from the tokens that are at least this share as likely as the likeliest.")
    private @Nullable Double minP;

    @Option(
            names = "--repetition-penalty",
            paramLabel = "X",
            description = "Make tokens that are there already less likely, > 1, or more, < 1; 1 for none.")
    private @Nullable Double repetitionPenalty;

    /** Returns the distribution to draw from, or null for greedy decoding; throws 2 for contradictory options. */
    @Nullable
    Sampling sampling(GenerationDefaults defaults) {
        boolean asked = Stream.of(temperature, topK, topP, minP).anyMatch(option -> option != null);
        if (greedy && asked) {
            throw new UsageException("--greedy takes the likeliest token: --temperature, --top-k, --top-p and --min-p"
                    + " have no effect with it");
        }
        boolean likeliest = temperature == null ? !asked && !defaults.sampled() : temperature == 0;
        if (greedy || likeliest) {
            return null;
        }
        Sampling file = defaults.sampling();
        try {
            return new Sampling(
                    temperature == null ? file.temperature() : temperature,
                    topK == null ? file.topK() : topK,
                    topP == null ? file.topP() : topP,
                    minP == null ? file.minP() : minP);
        } catch (IllegalArgumentException e) {
            throw new UsageException(optionName(String.valueOf(e.getMessage())));
        }
    }

    double repetitionPenalty(GenerationDefaults defaults) {
        double penalty = repetitionPenalty == null ? defaults.repetitionPenalty() : repetitionPenalty;
        try {
            SamplingParams.requirePenalty(penalty);
            return penalty;
        } catch (IllegalArgumentException e) {
            throw new UsageException(optionName(String.valueOf(e.getMessage())));
        }
    }

    /** Returns the command line's name of {@code top_k = …}. */
    private static String optionName(String message) {
        int end = message.indexOf(' ');
        return "--" + message.substring(0, end).replace('_', '-') + message.substring(end);
    }
}

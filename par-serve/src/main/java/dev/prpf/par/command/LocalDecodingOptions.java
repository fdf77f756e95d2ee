package dev.prpf.par.command;

import dev.prpf.base.command.OptionGroup;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.LocalReasoner.SeededSampling;
import dev.prpf.par.engine.Precision;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** Decoding options of a model in this process; a mixin of commands with default values from {@link UsualPrecision}. */
@OptionGroup(OptionGroup.DECODING)
public final class LocalDecodingOptions {
    private static final String MAX_NEW = "--max-new";
    private static final String CONSTRAINED = "--constrained";

    public static final List<String> NAMES = List.of(MAX_NEW, "--batch-size", "--dtype", CONSTRAINED);

    @Option(
            names = MAX_NEW,
            paramLabel = "N",
            defaultValue = "1024",
            description = "Most tokens of a response (default: ${DEFAULT-VALUE}; the paper's: 1024).")
    private int maxNew;

    @Option(
            names = "--batch-size",
            paramLabel = "N",
            defaultValue = "16",
            description = "Prompts decoded together (default: ${DEFAULT-VALUE}).")
    private int batchSize;

    @Option(names = "--dtype", description = "fp32, bf16 or int8 (default: fp32; bf16 on a GPU).")
    private Precision dtype;

    @Option(
            names = CONSTRAINED,
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "Keep every response to the grammar and to calls of functions it may choose, as the server does"
                            + " (docs/RESPONSE.md; default: ${DEFAULT-VALUE}).")
    private boolean constrained;

    /** Defaults for commands with prompts of sets, which need no pool: unconstrained responses of at most 256 tokens. */
    public static final class ShortResponses extends UsualPrecision {
        @Override
        public @Nullable String defaultValue(ArgSpec argument) {
            return isOption(argument, MAX_NEW)
                    ? "256"
                    : isOption(argument, CONSTRAINED) ? "false" : super.defaultValue(argument);
        }
    }

    /**
     * Returns the settings of these options.
     *
     * @param sampling null for greedy decoding
     * @throws UsageException for a value that is out of range
     */
    public LocalReasoner.Settings settings(@Nullable SeededSampling sampling) {
        try {
            return new LocalReasoner.Settings(maxNew, batchSize, dtype, constrained, sampling);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--" + e.getMessage());
        }
    }

    /** The default of {@code --dtype} for this build: float32, or bfloat16 on a GPU. */
    public static class UsualPrecision implements IDefaultValueProvider {
        @Override
        public @Nullable String defaultValue(ArgSpec argument) {
            return isOption(argument, "--dtype") ? Precision.usual().label() : null;
        }

        static boolean isOption(ArgSpec argument, String name) {
            return argument instanceof OptionSpec option && option.longestName().equals(name);
        }
    }
}

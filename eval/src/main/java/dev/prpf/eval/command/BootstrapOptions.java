package dev.prpf.eval.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.statistics.Bootstrap;
import picocli.CommandLine.Option;

/** Options of commands that compute bootstrap intervals; a mixin. */
class BootstrapOptions extends JsonOption {
    /** (R + 1) 2.5 % must reach the first of R estimates. */
    private static final int FEWEST = 39;

    @Option(
            names = "--resamples",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Bootstrap draws for the 95 %% intervals (default: ${DEFAULT-VALUE}).")
    private int resamples;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "42",
            description = "Seed of the bootstrap (default: ${DEFAULT-VALUE}).")
    private long seed;

    /** @throws dev.prpf.base.error.PrpfException 2 if there are too few draws for an interval */
    public final Bootstrap bootstrap() {
        if (resamples < FEWEST) {
            throw new UsageException("--resamples = " + resamples + ", must be at least " + FEWEST
                    + ": the ends of a 95 % interval lie beyond fewer draws");
        }
        return new Bootstrap(resamples, seed, Bootstrap.DEFAULT.level());
    }
}

package dev.prpf.eval.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.statistics.Bootstrap;
import picocli.CommandLine.Option;

/** The options of every command that makes bootstrap intervals; a mixin. */
class BootstrapOptions extends JsonOption {
    @Option(
            names = "--resamples",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Bootstrap draws behind the 95 %% intervals (default: ${DEFAULT-VALUE}).")
    private int resamples;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "42",
            description = "Of the bootstrap (default: ${DEFAULT-VALUE}).")
    private long seed;

    final Bootstrap bootstrap() {
        if (resamples < 1) {
            throw new UsageException("--resamples = " + resamples + ", must be at least 1");
        }
        return new Bootstrap(resamples, seed, Bootstrap.DEFAULT.level());
    }
}

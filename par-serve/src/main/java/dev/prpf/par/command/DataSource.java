package dev.prpf.par.command;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Labelled samples, or an SFT set that was made of some; an argument group. */
final class DataSource {
    @Option(names = "--data", paramLabel = "FILE", description = "Labelled samples to make prompts of.")
    @Nullable
    Path data;

    @Option(names = "--examples", paramLabel = "FILE", description = "An SFT set made by data sft.")
    @Nullable
    Path examples;

    Path file() {
        return data == null ? Objects.requireNonNull(examples) : data;
    }
}

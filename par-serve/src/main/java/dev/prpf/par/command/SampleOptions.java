package dev.prpf.par.command;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.io.FunctionPoolReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What prompts of samples need beside the samples; a mixin. */
final class SampleOptions {
    @Option(names = "--pool", paramLabel = "FILE", description = "Function pool (default: the shipped one).")
    @Nullable
    Path pool;

    @Option(names = "--scenarios", paramLabel = "FILE", description = "Scenario file (default: the shipped one).")
    @Nullable
    Path scenarios;

    @Option(
            names = "--mpp",
            paramLabel = "RUN",
            description =
                    "The perceiver whose scenes enter the prompts; of mpp train --folds each record's own (default: gold scenarios and"
                            + " random others).")
    @Nullable
    Path mpp;

    @Option(
            names = "--images",
            paramLabel = "DIR",
            description = "Root of the picture paths (default: encoder.images).")
    @Nullable
    Path images;

    @Option(names = "--store", paramLabel = "DIR", description = "Encodings (default: encoder.store).")
    @Nullable
    Path store;

    /** Whether anything that shapes prompts was given. */
    boolean given() {
        return pool != null || scenarios != null || mpp != null || images != null;
    }

    FunctionPool functions() {
        return FunctionPoolReader.readOrShipped(pool);
    }

    ScenarioCatalog catalog() {
        return ScenarioCatalogReader.readOrShipped(scenarios);
    }

    SampleReading reading(EncoderSettings configured, ScenarioCatalog catalog) {
        return SampleReading.open(mpp, configured.with(store, images), catalog);
    }
}

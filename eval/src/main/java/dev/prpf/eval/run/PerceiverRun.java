package dev.prpf.eval.run;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.mpp.MppConfig;
import java.nio.file.Path;
import java.util.List;

/** A run of {@code mpp train}. */
final class PerceiverRun {
    private PerceiverRun() {}

    static MppConfig config(Path run) {
        return StrictYaml.read(run.resolve("config.resolved.yaml"), MppConfig.class, List.of());
    }
}

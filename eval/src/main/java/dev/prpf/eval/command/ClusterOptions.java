package dev.prpf.eval.command;

import dev.prpf.base.json.JsonRecords;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scorer.ClusterBy;
import dev.prpf.par.openai.RemoteUsage;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of commands with intervals over samples that may share a source; a mixin. */
public class ClusterOptions extends BootstrapOptions {
    @Option(
            names = "--cluster-by",
            paramLabel = "WHAT",
            defaultValue = "trajectory",
            description =
                    "Samples that a draw includes or excludes together. trajectory: same first screenshot, or same text "
                            + "for the same user; profile: same user; sample: all are independent (default: ${DEFAULT-VALUE}).")
    public ClusterBy clusterBy;

    /** Adds the facts on the judge and on the intervals. */
    void describe(Scorer scorer, Map<String, String> facts) {
        facts.put("judge", scorer.judge().id());
        RemoteUsage usage = scorer.judge().usage();
        if (usage != null) {
            facts.put("judge usage", JsonRecords.write(usage));
        }
        facts.put(
                "bootstrap",
                scorer.bootstrap().resamples() + " draws, seed "
                        + scorer.bootstrap().seed() + ", of whole sources (" + clusterBy.key() + ")");
    }
}

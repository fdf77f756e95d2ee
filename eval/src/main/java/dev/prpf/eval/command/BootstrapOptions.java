package dev.prpf.eval.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.OptionGroup;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.eval.score.Pairing;
import dev.prpf.eval.score.ScenarioAnalysis.ScenarioGroups;
import dev.prpf.eval.score.Scorer;
import dev.prpf.eval.score.Scorer.ClusterBy;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.openai.RemoteUsage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of commands that compute bootstrap intervals; a mixin. */
public class BootstrapOptions extends JsonOption {
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

    /** Options of commands with intervals over samples that may share a source; a mixin. */
    public static class ClusterOptions extends BootstrapOptions {
        @Option(
                names = "--cluster-by",
                paramLabel = "WHAT",
                defaultValue = "trajectory",
                description =
                        "Samples that a draw includes or excludes together. trajectory: same first screenshot, or same text "
                                + "for the same user; profile: same user; sample: all are independent (default: ${DEFAULT-VALUE}).")
        public ClusterBy clusterBy;

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

    /** Options of commands that score predictions; a mixin. */
    static final class ScoringOptions extends ClusterOptions {
        @Option(names = "--gold", required = true, paramLabel = "FILE", description = "Labelled samples.")
        Path gold;

        @Option(
                names = "--pool",
                required = true,
                paramLabel = "FILE",
                description = "The function pool of these samples.")
        Path pool;

        /** Returns a file's predictions by id; 65 unless samples and predictions pair one to one. */
        Map<String, Prediction> predictions(List<Sample> samples, Path file) {
            List<Prediction> predictions = new ArrayList<>();
            Prediction.read(file, prediction -> predictions.add(prediction.withoutCost()));
            return Pairing.of(samples, gold.toString(), predictions, file.toString());
        }
    }

    /** Options of commands that score by scenario; a mixin. */
    @OptionGroup(OptionGroup.DATA)
    public static final class ScenarioOptions {
        @Option(
                names = "--scenarios",
                paramLabel = "FILE",
                description =
                        "Scenarios and the map function -> scenario; without it there are no metrics by scenario.")
        public @Nullable Path scenarios;

        @Option(
                names = "--unseen",
                split = ",",
                paramLabel = "SCENARIO",
                description = "Scenarios that training never saw, for the metrics in and out of distribution"
                        + " (default: ProactiveMobile's, Logistics & Delivery and Smart Home).")
        private @Nullable List<String> unseen;

        /** Returns the scenarios, or null without the option. */
        public @Nullable ScenarioCatalog catalog() {
            return scenarios == null ? null : ScenarioCatalogReader.read(scenarios);
        }

        /** Returns the scenario groups that have metrics. */
        public ScenarioGroups groups() {
            return unseen == null ? ScenarioGroups.PAPERS : ScenarioGroups.PAPERS.withUnseen(unseen);
        }
    }
}

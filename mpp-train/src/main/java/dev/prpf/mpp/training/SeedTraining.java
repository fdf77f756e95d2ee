package dev.prpf.mpp.training;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.run.Resume;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.mpp.MppConfig;
import dev.prpf.mpp.SeedRun;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The same data trained with several seeds, and with each channel taken away: one run directory each, below a common one (PRPF Table 7,
 * and the MPP rows of Table 2). Killed and started again, finished runs are left as they are and the one under way goes on.
 *
 * @param job what trains one
 * @param config of all; each run has a seed of its own
 * @param runs in the order they are trained
 */
public record SeedTraining(TrainingJob job, MppConfig config, List<SeedRun> runs) {
    private static final Logger LOG = LoggerFactory.getLogger(SeedTraining.class);

    public SeedTraining {
        runs = List.copyOf(runs);
    }

    /**
     * Trains what is not yet trained.
     *
     * @param description of the common run; each run's has its own configuration and seed
     * @throws dev.prpf.base.error.PrpfException see {@link TrainingJob#run}; 75 also between two runs
     */
    public void train(LabelledData data, @Nullable LabelledData test, RunDirectory common, RunDescription description) {
        SeedRun.save(common.path(), runs);
        try (StopSignal signal = StopSignal.install()) {
            for (int i = 0; i < runs.size(); i++) {
                if (signal.requested()) {
                    throw StopSignal.checkpointed(i, common.path());
                }
                SeedRun one = runs.get(i);
                Path directory = common.path().resolve(one.path());
                try (RunDirectory run = RunDirectory.open(directory, Resume.AUTO, description(one, description))) {
                    if (run.finished()) {
                        LOG.info("run {} of {} came to its end before: {}", i + 1, runs.size(), directory);
                        continue;
                    }
                    LOG.info("run {} of {}: {}", i + 1, runs.size(), directory);
                    job.run(one.config(config), data, test, run, signal);
                }
            }
        }
    }

    private RunDescription description(SeedRun one, RunDescription common) {
        MppConfig own = one.config(config);
        Map<String, Object> facts = new LinkedHashMap<>(common.facts());
        facts.put("seeds", List.of(one.seed()));
        facts.put("variant", one.variant());
        return new RunDescription(common.command(), common.arguments(), StrictYaml.write(own), facts);
    }
}

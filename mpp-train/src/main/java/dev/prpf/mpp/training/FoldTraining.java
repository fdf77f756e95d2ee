package dev.prpf.mpp.training;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.run.Resume;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.mpp.FoldPlan;
import dev.prpf.mpp.MppConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A perceiver for each fold, trained on all others, its own fold its test split: one run directory each, below a common one. Killed and
 * started again, finished runs are left as they are and the one under way goes on.
 *
 * @param job what trains one
 * @param config of all
 * @param plan who is of which fold
 */
public record FoldTraining(TrainingJob job, MppConfig config, FoldPlan plan) {
    private static final Logger LOG = LoggerFactory.getLogger(FoldTraining.class);

    /**
     * Trains what is not yet trained.
     *
     * @param description of the common run
     * @throws dev.prpf.base.error.PrpfException see {@link TrainingJob#run}; 75 also between two runs
     */
    public void train(LabelledData data, RunDirectory common, RunDescription description) {
        plan.save(common.path());
        try (StopSignal signal = StopSignal.install()) {
            for (int fold = 0; fold < plan.folds(); fold++) {
                if (signal.requested()) {
                    throw StopSignal.checkpointed(fold, common.path());
                }
                int own = fold;
                Path directory = FoldPlan.run(common.path(), own);
                try (RunDirectory run = RunDirectory.open(directory, Resume.AUTO, description(own, description))) {
                    if (run.finished()) {
                        LOG.info("fold {} of {} came to its end before: {}", own, plan.folds(), directory);
                        continue;
                    }
                    LOG.info("fold {} of {}: {}", own, plan.folds(), directory);
                    LabelledData seen = data.where(sample -> plan.foldOf(sample) != own);
                    LabelledData unseen = data.where(sample -> plan.foldOf(sample) == own);
                    job.run(config, seen, unseen, run, signal);
                }
            }
        }
    }

    private RunDescription description(int fold, RunDescription common) {
        Map<String, Object> facts = new LinkedHashMap<>(common.facts());
        facts.put("fold", fold);
        return new RunDescription(common.command(), common.arguments(), StrictYaml.write(config), facts);
    }
}

package dev.prpf.mpp.training;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.mpp.split.FoldPlan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several trainings in run directories below a common one. They train a perceiver for each seed and each removed channel (PRPF Table 7 and
 * Table 2's MPP rows), or for each fold. Started again after a kill, the series skips finished runs and resumes the current one.
 *
 * @param description of the common run; each run has a configuration and facts of its own
 */
public record TrainingSeries(TrainingJob job, RunDirectory common, RunDescription description, StopSignal signal) {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingSeries.class);

    private record OneRun(
            Path path, MppConfig config, Map<String, Object> facts, LabelledData data, @Nullable LabelledData test) {}

    /**
     * Trains all seeds without a finished run.
     *
     * @throws dev.prpf.base.error.PrpfException see {@link TrainingJob#run}; 75 also between two runs
     */
    public void train(SeedPlan plan, MppConfig config, LabelledData data, @Nullable LabelledData test) {
        new MppRun.Seeds(common.path()).write(plan);
        List<OneRun> runs = new ArrayList<>();
        for (SeedPlan.Run one : plan.runs()) {
            Map<String, Object> facts = Map.of("seeds", List.of(one.seed()), "variant", one.variant());
            runs.add(new OneRun(common.path().resolve(one.path()), one.config(config), facts, data, test));
        }
        train(runs);
    }

    /**
     * Trains a perceiver for each fold without a finished run, on all other folds; the fold is the run's test split.
     *
     * @throws dev.prpf.base.error.PrpfException see {@link TrainingJob#run}; 75 also between two runs
     */
    public void train(FoldPlan plan, MppConfig config, LabelledData data) {
        MppRun.Folds files = new MppRun.Folds(common.path());
        files.write(plan);
        List<OneRun> runs = new ArrayList<>();
        for (int fold = 0; fold < plan.folds(); fold++) {
            int own = fold;
            LabelledData others = data.where(i -> plan.foldOf(data.samples().get(i)) != own);
            LabelledData test = data.where(i -> plan.foldOf(data.samples().get(i)) == own);
            runs.add(new OneRun(files.fold(own).path(), config, Map.of("fold", own), others, test));
        }
        train(runs);
    }

    private void train(List<OneRun> runs) {
        CatalogFiles.in(common.path()).write(job.pool(), job.catalog());
        for (int i = 0; i < runs.size(); i++) {
            if (signal.requested()) {
                throw StopSignal.checkpointed(i, common.path());
            }
            OneRun one = runs.get(i);
            Map<String, Object> facts = new LinkedHashMap<>(description.facts());
            facts.putAll(one.facts());
            RunDescription own = new RunDescription(
                    description.command(), description.arguments(), StrictYaml.write(one.config()), facts);
            try (RunDirectory run = RunDirectory.open(one.path(), Resume.AUTO, own)) {
                if (run.finished()) {
                    LOG.info("run {} of {} is finished already: {}", i + 1, runs.size(), one.path());
                    continue;
                }
                LOG.info("run {} of {}: {}", i + 1, runs.size(), one.path());
                job.run(one.config(), one.data(), one.test(), run, signal);
            }
        }
    }
}

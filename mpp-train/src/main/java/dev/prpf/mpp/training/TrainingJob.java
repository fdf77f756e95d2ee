package dev.prpf.mpp.training;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.LabelledPerceptions;
import dev.prpf.mpp.MppConfig;
import dev.prpf.mpp.MppDescription;
import dev.prpf.mpp.MppModel;
import dev.prpf.mpp.PoolSizes;
import dev.prpf.mpp.Split;
import dev.prpf.mpp.SplitRecord;
import dev.prpf.mpp.calibration.FittedCalibration;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.definition.Logits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encoded samples to a trained run: split, oversample, train, calibrate, and say what the best epoch thinks of every sample it was not
 * trained on.
 *
 * @param catalog the scenarios
 * @param pool the functions
 * @param encoders of the samples
 */
public record TrainingJob(ScenarioCatalog catalog, FunctionPool pool, Encoders encoders) {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingJob.class);

    /**
     * The frozen encoders of the samples.
     *
     * @param text id of the text encoder
     * @param frame id of the frame encoder
     * @param width E, floats a vector
     */
    public record Encoders(String text, String frame, int width) {}

    /**
     * Trains in a run directory, or goes on there.
     *
     * @param config the configuration
     * @param data to be split into train, dev and calibration
     * @param test for the final figures, or null
     * @return the run's result, as kept in run.json
     * @throws PrpfException 65 for an empty class, or a calibration sample that training or dev has too, 10 on divergence, 75 when stopped by a signal
     */
    public Map<String, Object> run(
            MppConfig config, LabelledData data, @Nullable LabelledData test, RunDirectory run, StopSignal signal) {
        SampleSplit split = SampleSplit.of(
                data.features(),
                config.training().devShare(),
                config.calibration().share(),
                config.seed());
        List<SampleFeatures> train = config.training().oversampleSilent()
                ? SampleSplit.balanced(split.train(), config.seed())
                : split.train();
        TrainingSettings settings = config.settings(encoders.width(), catalog.size());
        long shortened = shortened(data, settings);
        SplitRecord record = splitRecord(split, data);
        record.requireUnseenCalibration();
        record.save(run.path());
        PoolSizes.of(pool, catalog).save(run.path());
        TrainingState end = train(config, settings, train, split.dev(), run, signal);
        perceive(config, new Perceived(split, data, test), run, end.bestStep());
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("train", split.train().size());
        result.put("train_oversampled", train.size());
        result.put("dev", split.dev().size());
        result.put("calibration", split.calibration().size());
        result.put("test", test == null ? 0 : test.samples().size());
        result.put("trajectories_shortened", shortened);
        result.put("contexts_shortened", MppModel.shortenedContexts(data.features(), settings.shape()));
        result.put("epochs", end.epoch());
        result.put("steps", end.step());
        result.put("best_step", end.bestStep());
        result.put("best_dev_loss", end.bestDevLoss());
        run.finish(result);
        return result;
    }

    private static long shortened(LabelledData data, TrainingSettings settings) {
        long longer = MppModel.shortened(data.features(), settings.shape());
        if (longer > 0) {
            LOG.info(
                    "{} of {} trajectories are longer than network.max-steps or network.max-frames allow: their oldest"
                            + " steps are not seen",
                    longer,
                    data.features().size());
        }
        return longer;
    }

    private static SplitRecord splitRecord(SampleSplit split, LabelledData data) {
        List<SplitRecord.Entry> entries = new ArrayList<>();
        add(entries, Split.TRAIN, data.samplesOf(split.train()));
        add(entries, Split.DEV, data.samplesOf(split.dev()));
        add(entries, Split.CALIBRATION, data.samplesOf(split.calibration()));
        return new SplitRecord(entries);
    }

    private static void add(List<SplitRecord.Entry> entries, Split split, List<Sample> samples) {
        samples.forEach(sample -> entries.add(SplitRecord.Entry.of(sample, split)));
    }

    private TrainingState train(
            MppConfig config,
            TrainingSettings settings,
            List<SampleFeatures> train,
            List<SampleFeatures> dev,
            RunDirectory run,
            StopSignal signal) {
        MppDescription description = new MppDescription(
                settings.shape(), settings.loss(), catalog.names(), encoders.text(), encoders.frame());
        try (MppTraining training = new MppTraining(settings, train, dev)) {
            return new MppTrainingRun(
                            training, description, run, config.training().checkpointSteps())
                    .train(settings.epochs(), signal);
        }
    }

    /** The samples that the best epoch is asked about. */
    private record Perceived(SampleSplit split, LabelledData data, @Nullable LabelledData test) {}

    private void perceive(MppConfig config, Perceived asked, RunDirectory run, long bestStep) {
        SampleSplit split = asked.split();
        LabelledData data = asked.data();
        LabelledData test = asked.test();
        Set<String> trained = scenarios(data.samplesOf(split.train()));
        try (MppModel model = MppModel.uncalibrated(run.path(), bestStep)) {
            Logits dev = model.logits(split.dev());
            ProbabilityCalibration calibration = config.calibration().method().fit(logits(dev), acts(split.dev()));
            new FittedCalibration(calibration, MppModel.weightsSha256(MppModel.best(run.path(), bestStep)))
                    .save(run.path());
            if (!split.calibration().isEmpty()) {
                Logits kept = model.logits(split.calibration());
                List<Sample> samples = data.samplesOf(split.calibration());
                save(run, said(Split.CALIBRATION, samples, kept, calibration), samples, trained);
            }
            if (test != null) {
                Logits logits = model.logits(test.features());
                save(run, said(Split.TEST, test.samples(), logits, calibration), test.samples(), trained);
            }
            // The last file: a sweep takes a run that has it for one that has them all.
            List<Sample> samples = data.samplesOf(split.dev());
            save(run, said(Split.DEV, samples, dev, calibration), samples, trained);
        }
    }

    private LabelledPerceptions said(
            Split split, List<Sample> samples, Logits logits, ProbabilityCalibration calibration) {
        return LabelledPerceptions.of(split, samples, logits, catalog, calibration);
    }

    private void save(RunDirectory run, LabelledPerceptions said, List<Sample> samples, Set<String> trained) {
        said.marked(samples, sample -> trained.contains(catalog.scenarioOf(sample)))
                .save(run.path());
    }

    private Set<String> scenarios(List<Sample> samples) {
        return samples.stream().map(catalog::scenarioOf).collect(Collectors.toSet());
    }

    private static double[] logits(Logits logits) {
        double[] doubles = new double[logits.trigger().length];
        for (int i = 0; i < doubles.length; i++) {
            doubles[i] = logits.trigger()[i];
        }
        return doubles;
    }

    private static boolean[] acts(List<SampleFeatures> samples) {
        boolean[] acts = new boolean[samples.size()];
        for (int i = 0; i < acts.length; i++) {
            acts[i] = Boolean.TRUE.equals(samples.get(i).intervention());
        }
        return acts;
    }
}

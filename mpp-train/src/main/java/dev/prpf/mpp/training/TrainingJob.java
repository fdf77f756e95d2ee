package dev.prpf.mpp.training;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.calibration.FittedCalibration;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.definition.Logits;
import dev.prpf.mpp.perceive.LabelledPerceptions;
import dev.prpf.mpp.perceive.MppDescription;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.run.MppConfig;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.mpp.run.PoolSizes;
import dev.prpf.mpp.split.SampleSplit;
import dev.prpf.mpp.split.Split;
import dev.prpf.mpp.split.SplitRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encoded samples to a trained run: split, oversample, train, calibrate, and keep what the best epoch answers to every sample it was not
 * trained on.
 */
public record TrainingJob(ScenarioCatalog catalog, FunctionPool pool, Encoders encoders) {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingJob.class);

    /** The frozen encoders of the samples: ids of the text and the frame encoder, and E, floats a vector. */
    public record Encoders(String text, String frame, int width) {
        public static Encoders of(SampleEncoder encoder) {
            return new Encoders(encoder.textEncoderId(), encoder.imageEncoderId(), encoder.width());
        }
    }

    /**
     * The counts of a training, as kept in run.json.
     *
     * @param trainOversampled the same with silent ones repeated
     * @param calibration samples kept for risk control
     * @param trajectoriesShortened samples with more steps than the network sees
     * @param contextsShortened samples with more sentences than the network sees
     * @param bestStep the step after which the dev loss was smallest
     */
    public record Result(
            int train,
            int trainOversampled,
            int dev,
            int calibration,
            int test,
            long trajectoriesShortened,
            long contextsShortened,
            int epochs,
            long steps,
            long bestStep,
            @Nullable Double bestDevLoss) {}

    /**
     * Trains in a run directory, or goes on there, on data to be split into train, dev and calibration, and on test samples or null.
     *
     * @throws PrpfException 65 for an empty class, or a calibration sample that training or dev has too, 10 on divergence, 75 when stopped
     *     by a signal
     */
    public Result run(
            MppConfig config, LabelledData data, @Nullable LabelledData test, RunDirectory run, StopSignal signal) {
        SampleSplit split = SampleSplit.of(
                data.features(),
                config.training().devShare(),
                config.calibration().share(),
                config.seed());
        List<SampleFeatures> train = config.training().oversampleSilent()
                ? SampleSplit.oversampled(split.train(), false, config.seed())
                : split.train();
        TrainingSettings settings = TrainingSettings.of(config, encoders.width(), catalog.size());
        long truncated = LabelledData.truncatedTrajectories(data.features(), settings.shape());
        if (truncated > 0) {
            LOG.info(
                    "{} of {} trajectories are longer than network.max-steps or network.max-frames allow: their oldest"
                            + " steps are not seen",
                    truncated,
                    data.features().size());
        }
        MppRun files = new MppRun(run.path());
        SplitRecord record = record(split, data);
        record.requireUnseenCalibration();
        files.write(record);
        files.write(PoolSizes.of(pool, catalog));
        MppTraining.State end =
                train(settings, train, split.dev(), run, config.training().checkpointSteps(), signal);
        perceive(config, split, data, test, files, end.bestStep());
        Result result = new Result(
                split.train().size(),
                train.size(),
                split.dev().size(),
                split.calibration().size(),
                test == null ? 0 : test.samples().size(),
                truncated,
                LabelledData.truncatedContexts(data.features(), settings.shape()),
                end.epoch(),
                end.step(),
                end.bestStep(),
                end.bestDevLoss());
        run.finish(result);
        return result;
    }

    private static SplitRecord record(SampleSplit split, LabelledData data) {
        List<SplitRecord.Entry> entries = new ArrayList<>();
        data.samplesOf(split.train()).forEach(one -> entries.add(SplitRecord.Entry.of(one, Split.TRAIN)));
        data.samplesOf(split.dev()).forEach(one -> entries.add(SplitRecord.Entry.of(one, Split.DEV)));
        data.samplesOf(split.calibration()).forEach(one -> entries.add(SplitRecord.Entry.of(one, Split.CALIBRATION)));
        return new SplitRecord(entries);
    }

    private MppTraining.State train(
            TrainingSettings settings,
            List<SampleFeatures> train,
            List<SampleFeatures> dev,
            RunDirectory run,
            int checkpointSteps,
            StopSignal signal) {
        MppDescription description = new MppDescription(
                settings.shape(), settings.loss(), catalog.names(), encoders.text(), encoders.frame());
        try (MppTraining training = new MppTraining(settings, train, dev)) {
            return new MppTrainingRun(training, description, run, checkpointSteps).train(settings.epochs(), signal);
        }
    }

    private void perceive(
            MppConfig config,
            SampleSplit split,
            LabelledData data,
            @Nullable LabelledData test,
            MppRun files,
            long bestStep) {
        Set<String> trained =
                data.samplesOf(split.train()).stream().map(catalog::scenarioOf).collect(Collectors.toSet());
        try (MppModel model = files.uncalibrated(bestStep)) {
            Logits logits = model.logits(split.dev());
            List<Sample> dev = data.samplesOf(split.dev());
            LabelledPerceptions raw =
                    LabelledPerceptions.of(Split.DEV, dev, logits, model.calibration(), catalog, trained);
            ProbabilityCalibration calibration = config.calibration().method().fit(raw.logits(), raw.acts());
            files.write(new FittedCalibration(calibration, MppModel.weightsSha256(files.best(bestStep))));
            if (!split.calibration().isEmpty()) {
                files.write(LabelledPerceptions.of(
                        Split.CALIBRATION,
                        data.samplesOf(split.calibration()),
                        model.logits(split.calibration()),
                        calibration,
                        catalog,
                        trained));
            }
            if (test != null) {
                files.write(LabelledPerceptions.of(
                        Split.TEST, test.samples(), model.logits(test.features()), calibration, catalog, trained));
            }
            // The last file: a sweep takes a run that has it for one that has them all.
            files.write(LabelledPerceptions.of(Split.DEV, dev, logits, calibration, catalog, trained));
        }
    }
}

package dev.prpf.mpp.training;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.mpp.perceive.MppDescription;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.split.SampleSplit;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.split.SplitRecord;
import dev.prpf.mpp.training.TrainedRun.PoolSizes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains a run on encoded samples: splits, oversamples, trains, calibrates, and writes the best epoch's answers to all held-out samples.
 *
 * @param textEncoder id of the frozen text encoder
 * @param frameEncoder id of the screenshots' encoder
 * @param width E, length of a vector
 */
public record TrainingJob(
        ScenarioCatalog catalog, FunctionPool pool, String textEncoder, String frameEncoder, int width) {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingJob.class);

    /**
     * The counts of a training, as kept in run.json.
     *
     * @param trainOversampled training samples with counterfactuals and repeated silent ones
     * @param calibration samples for risk control
     * @param trajectoriesShortened samples with more steps than the network's window
     * @param contextsShortened samples with more sentences than the network's limit
     * @param bestStep the step of the smallest dev loss
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

    private record Parts(LabelledData train, LabelledData dev, LabelledData calibration, @Nullable LabelledData test) {}

    /**
     * Trains or resumes in a run directory. Splits the data into train, dev and calibration; test samples are optional.
     *
     * @throws PrpfException 65 for an empty class, or a calibration sample that is in training or dev too. 10 on divergence, 75 when stopped
     *     by a signal
     */
    public Result run(
            MppConfig config, LabelledData data, @Nullable LabelledData test, RunDirectory run, StopSignal signal) {
        SampleSplit split = SampleSplit.of(
                data.features(),
                config.training().devShare(),
                config.calibration().share(),
                config.seed());
        Parts parts = new Parts(
                part(data, split, Split.TRAIN),
                part(data, split, Split.DEV),
                part(data, split, Split.CALIBRATION),
                test);
        List<SampleFeatures> train = new ArrayList<>(parts.train.features());
        if (config.training().counterfactuals()) {
            train.addAll(parts.train.counterfactuals());
        }
        if (config.training().oversampleSilent()) {
            train = SampleSplit.oversampled(train, false, config.seed());
        }
        MppTraining.Settings settings = MppTraining.Settings.of(config, width, catalog.size());
        long truncated = LabelledData.truncatedTrajectories(data.features(), settings.shape());
        if (truncated > 0) {
            LOG.info(
                    "{} of {} trajectories are longer than network.max-steps or network.max-screenshots allow: their oldest"
                            + " steps are ignored",
                    truncated,
                    data.features().size());
        }
        MppRun.Single files = new MppRun.Single(run.path());
        SplitRecord record = SplitRecord.of(data.samples(), split.splits());
        record.requireUnseenCalibration();
        files.write(record, data.samples());
        files.write(PoolSizes.of(pool, catalog));
        CatalogFiles.in(run.path()).write(pool, catalog);
        MppTraining.State end = train(
                settings, train, parts.dev.features(), run, config.training().checkpointSteps(), signal);
        perceive(config, parts, files, end.bestStep());
        Result result = new Result(
                parts.train.samples().size(),
                train.size(),
                parts.dev.samples().size(),
                parts.calibration.samples().size(),
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

    private MppTraining.State train(
            MppTraining.Settings settings,
            List<SampleFeatures> train,
            List<SampleFeatures> dev,
            RunDirectory run,
            int checkpointSteps,
            StopSignal signal) {
        MppDescription description =
                new MppDescription(settings.shape(), settings.loss(), catalog.names(), textEncoder, frameEncoder);
        MppTraining training = new MppTraining(settings, train, dev);
        return new MppTrainingRun(training, description, run, checkpointSteps).train(signal);
    }

    private static LabelledData part(LabelledData data, SampleSplit split, Split part) {
        return data.where(i -> split.splits().get(i) == part);
    }

    private void perceive(MppConfig config, Parts parts, MppRun.Single files, long bestStep) {
        try (MppModel model = files.uncalibrated(bestStep)) {
            Answers answers = new Answers(
                    catalog,
                    parts.train.samples(),
                    answers(model, parts.dev),
                    answers(model, parts.calibration),
                    parts.test == null ? null : answers(model, parts.test));
            answers.write(files, config.calibration().method(), MppModel.weightsSha256(files.best(bestStep)));
        }
    }

    private static Answers.Part answers(MppModel model, LabelledData data) {
        return new Answers.Part(data.samples(), model.logits(data.features()));
    }

    /**
     * A training in a run directory. Listeners write a line of metrics for each step, checkpoints every few steps and at the end, and the best
     * epoch's model file. A killed and resumed run gives the metrics and arrays of an uninterrupted one.
     *
     * @param run its directory; the training resumes from the last checkpoint there
     */
    record MppTrainingRun(MppTraining training, MppDescription description, RunDirectory run, int checkpointSteps) {
        private static final Logger LOG = LoggerFactory.getLogger(MppTrainingRun.class);
        private static final ObjectMapper JSON = new ObjectMapper();
        private static final String STATE = "training.json";

        /**
         * Trains to the end.
         *
         * @throws PrpfException 75 after a stop signal, with a checkpoint saved; 10 if the loss is not finite
         */
        public MppTraining.State train(StopSignal signal) {
            resume();
            try (Progress progress = Progress.resume(
                    "training gate", training.mostSteps(), training.state().step())) {
                return training.fit(new Keeping(signal, progress));
            }
        }

        private void resume() {
            CheckpointStore.Checkpoint checkpoint = run.checkpoints().resumed();
            if (checkpoint == null) {
                run.rewind(0);
                return;
            }
            restore(checkpoint.directory());
            run.rewind(checkpoint.step());
            LOG.info("resuming after step {} of {}", checkpoint.step(), run.path());
        }

        private void restore(Path checkpoint) {
            try {
                var graph = MppModel.restore(checkpoint, description);
                training.restore(
                        JSON.readValue(Files.readAllBytes(checkpoint.resolve(STATE)), MppTraining.State.class), graph);
            } catch (IOException e) {
                throw new InvalidDataException(checkpoint + ": cannot be resumed: " + e.getMessage());
            }
        }

        /** Writes metrics, the best model file, checkpoints and progress, and ends the training with 75 after a stop signal. */
        private final class Keeping extends BaseTrainingListener {
            private final StopSignal signal;
            private final Progress progress;

            Keeping(StopSignal signal, Progress progress) {
                this.signal = signal;
                this.progress = progress;
            }

            @Override
            public void iterationDone(Model model, int iteration, int epoch) {
                run.metric(training.lastStep().step(), training.lastStep());
                if (!training.atEndOfEpoch()) { // its end saves, with the dev loss
                    save();
                }
                progress.step();
            }

            @Override
            public void onEpochEnd(Model model) {
                MppTraining.EpochEnd end = training.lastEpoch();
                run.metric(training.state().step(), end);
                if (end.improved()) {
                    new MppRun.Single(run.path())
                            .bests()
                            .save(
                                    training.state().step(),
                                    directory -> MppModel.write(directory, description, training.graph(), false));
                }
                save();
                progress.note(String.format(
                        Locale.ROOT, "epoch %d loss %.4f dev %.4f", end.epoch(), end.trainLoss(), end.devLoss()));
            }

            private void save() {
                MppTraining.State state = training.state();
                boolean stops = signal.requested() && !state.done();
                if (state.step() % checkpointSteps == 0 || state.done() || stops) {
                    run.checkpoints().save(state.step(), directory -> {
                        MppModel.write(directory, description, training.graph(), true);
                        Files.write(directory.resolve(STATE), JSON.writeValueAsBytes(state));
                    });
                }
                if (stops) {
                    throw StopSignal.checkpointed(state.step(), run.path());
                }
            }
        }
    }
}

package dev.prpf.mpp.training;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.mpp.perceive.MppDescription;
import dev.prpf.mpp.perceive.MppModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A training in a run directory. Listeners write a line of metrics for each step, checkpoints every few steps and at each epoch's end, and
 * the best epoch's model file. A killed and resumed run gives the metrics and arrays of an uninterrupted one.
 *
 * @param training a fresh training
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
            if (!training.atEndOfEpoch()) { // the end of an epoch is saved anyway
                save(training.state().step() % checkpointSteps == 0);
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
            save(true);
            progress.note(String.format(
                    Locale.ROOT, "epoch %d loss %.4f dev %.4f", end.epoch(), end.trainLoss(), end.devLoss()));
        }

        private void save(boolean due) {
            MppTraining.State state = training.state();
            boolean stops = signal.requested() && !state.done();
            if (due || stops) {
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

package dev.prpf.mpp.training;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.mpp.network.MppNetwork;
import dev.prpf.mpp.network.host.AdamW;
import dev.prpf.mpp.perceive.MppDescription;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.run.MppRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A training that lives in a run directory: a line of metrics a step, checkpoints every few steps and at each epoch's end, the best
 * epoch's arrays apart. Killed at any point and started again it gives the metrics and arrays of an undisturbed run.
 *
 * @param training a fresh training
 * @param run where it lives; an earlier checkpoint there is taken up
 */
public record MppTrainingRun(MppTraining training, MppDescription description, RunDirectory run, int checkpointSteps) {
    private static final Logger LOG = LoggerFactory.getLogger(MppTrainingRun.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String STATE = "training.json";
    private static final String MOMENTS = "adamw.safetensors";

    /**
     * Trains to the end.
     *
     * @throws PrpfException 75 after saving, when a signal asked to stop; 10 if the loss is not finite
     */
    public MppTraining.State train(StopSignal signal) {
        resume();
        try (Progress progress = Progress.resume(
                "training mpp", training.mostSteps(), training.state().step())) {
            while (!training.state().done()) {
                step(progress);
                if (signal.requested() && !training.state().done()) {
                    save();
                    throw StopSignal.checkpointed(training.state().step(), run.path());
                }
            }
        }
        return training.state();
    }

    private void resume() {
        CheckpointStore.Checkpoint checkpoint = run.checkpoints().latest();
        if (checkpoint == null) {
            run.rewind(0);
            return;
        }
        restore(checkpoint.directory());
        run.rewind(checkpoint.step());
        LOG.info("going on after step {} of {}", checkpoint.step(), run.path());
    }

    private void step(Progress progress) {
        MppTraining.StepResult result = training.step();
        run.metric(result.step(), result);
        MppTraining.EpochEnd end = result.epochEnd();
        if (end != null) {
            run.metric(result.step(), end);
            if (end.improved()) {
                CheckpointStore bests = new MppRun(run.path()).bests();
                bests.save(result.step(), directory -> MppModel.write(directory, description, training.network()));
            }
            progress.note(String.format(
                    Locale.ROOT, "epoch %d loss %.4f dev %.4f", result.epoch(), end.trainLoss(), end.devLoss()));
        }
        if (end != null || result.step() % checkpointSteps == 0) {
            save();
        }
        progress.step();
    }

    private void save() {
        run.checkpoints().save(training.state().step(), directory -> {
            MppModel.write(directory, description, training.network());
            AdamW.State moments = training.network().optimizerState();
            Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
            long[] length = {moments.firstMoment().length};
            tensors.put("first_moment", SafeTensors.Tensor.ofFloats(length, moments.firstMoment()));
            tensors.put("second_moment", SafeTensors.Tensor.ofFloats(length, moments.secondMoment()));
            SafeTensors.write(directory.resolve(MOMENTS), tensors, Map.of());
            Files.write(directory.resolve(STATE), JSON.writeValueAsBytes(training.state()));
        });
    }

    private void restore(Path checkpoint) {
        MppNetwork network = training.network();
        try (SafeTensors moments = SafeTensors.open(checkpoint.resolve(MOMENTS))) {
            MppTraining.State state =
                    JSON.readValue(Files.readAllBytes(checkpoint.resolve(STATE)), MppTraining.State.class);
            network.load(MppModel.readArrays(checkpoint));
            network.restore(
                    new AdamW.State(moments.floats("first_moment"), moments.floats("second_moment"), state.step()));
            training.restore(state);
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidDataException(checkpoint + ": cannot be taken up: " + e.getMessage());
        }
    }
}

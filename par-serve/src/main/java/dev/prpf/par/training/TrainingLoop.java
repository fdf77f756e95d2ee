package dev.prpf.par.training;

import dev.prpf.base.error.DivergedException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import java.io.IOException;
import java.nio.file.Path;

/** Optimizer steps one after the other, with progress, checkpoints and a way to leave early. */
public record TrainingLoop(RunDirectory run, long totalSteps, int checkpointSteps) {
    /** What is trained. */
    public interface Task {
        /**
         * Does an optimizer step and writes its metrics.
         *
         * @param number counted from 1
         * @return a few words for the progress line
         */
        String step(long number);

        /** Writes all that the next step depends on. */
        void save(Path directory) throws IOException;

        /** Hears of a step after its checkpoint, if it has one. */
        void done(long number);
    }

    /**
     * Runs what is left.
     *
     * @param name of the progress line
     * @param before steps done already
     * @throws PrpfException 75 after a signal, once the step is saved
     */
    public void run(String name, long before, Task task, StopSignal stop) {
        try (Progress bar = Progress.start(name, totalSteps)) {
            bar.stepBy(before);
            for (long number = before + 1; number <= totalSteps; number++) {
                bar.note(task.step(number));
                if (number == totalSteps || number % checkpointSteps == 0) {
                    run.checkpoints().save(number, task::save);
                }
                task.done(number);
                bar.step();
                if (stop.requested() && number < totalSteps) {
                    run.checkpoints().save(number, task::save);
                    throw StopSignal.checkpointed(number, run.path());
                }
            }
        }
    }

    /** Ends a training whose numbers are no numbers any more; what was saved stays. */
    public void refuseNonFinite(long step, String what, double value, double learningRate) {
        if (!Double.isFinite(value)) {
            throw diverged(step, "the " + what + " is " + value, learningRate);
        }
    }

    /** What a training ends with that has ruined its model; what was saved stays. */
    public PrpfException diverged(long step, String what, double learningRate) {
        CheckpointStore.Checkpoint newest = run.checkpoints().latest();
        String saved = newest == null ? "no checkpoint was saved" : "the newest checkpoint is " + newest.directory();
        return new DivergedException("step " + step + ": " + what + " at learning rate " + learningRate
                + "; lower training.learning-rate and start in another --run-dir (" + saved + ")");
    }
}

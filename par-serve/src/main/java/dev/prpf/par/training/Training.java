package dev.prpf.par.training;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.DivergedException;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.training.TrainingConfig.LrSchedulerType;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The common base of fine-tuning and GRPO: the loop of optimizer steps with progress, checkpoints, the best model and early exit. An interrupted run
 * resumes from its newest checkpoint. On one machine it gives, bit for bit, the numbers of an uninterrupted run.
 */
public abstract class Training implements AutoCloseable {
    private static final String BEST = "best";

    /** The model before the training, and the destination of the trained one. */
    protected final TrainingFiles files;
    /** Receives metrics, samples and checkpoints. */
    protected final RunDirectory run;
    /** Optimizer steps of the whole run; for GRPO steps with their own rollouts. */
    protected final long totalSteps;

    protected final LearningRate learningRate;
    protected final TrainableDecoder decoder;
    /** The newest checkpoint when the run began; null for a fresh run. */
    protected final @Nullable Path checkpoint;

    private final TrainingConfig config;
    private final CheckpointStore bestModel;
    private final FusedAdamW optimizer;
    private long step;

    /**
     * Begins a training, or resumes from the run's newest checkpoint.
     *
     * @param updates of the weights per step
     */
    protected Training(TrainingConfig config, long totalSteps, int updates, TrainingFiles files, RunDirectory run) {
        this.config = config;
        this.totalSteps = totalSteps;
        this.files = files;
        this.run = run;
        bestModel = new CheckpointStore(run.path().resolve(BEST), 1);
        learningRate = LearningRate.of(
                config.lrSchedulerType(), config.learningRate(), config.warmupRatio(), totalSteps * updates);
        CheckpointStore.Checkpoint newest = run.checkpoints().resumed();
        checkpoint = newest == null ? null : newest.directory();
        step = newest == null ? 0 : newest.step();
        decoder = files.open(checkpoint, config.lora(), config.precision().resolve(), config.seed());
        optimizer = TrainingFiles.optimizer(checkpoint, decoder, config.adamw());
        run.rewind(newest == null ? -1 : step);
    }

    /**
     * Makes an optimizer step and writes its metrics.
     *
     * @param number from 1
     * @return a few words for the progress line
     */
    protected abstract String train(long number);

    /** Returns the state of the next step, without the model and its optimizer. */
    protected abstract Object progress();

    /** Returns the number of finished steps. */
    protected final long step() {
        return step;
    }

    /**
     * Runs the remaining steps.
     *
     * @param listener called after every step and its checkpoint
     * @return duration in seconds
     * @throws PrpfException 75 after a signal, once the step is saved; 10 if the training diverges
     */
    protected final double runSteps(String name, StopSignal stop, LongConsumer listener) {
        long start = System.nanoTime();
        try (Progress bar = Progress.resume(name, totalSteps, step)) {
            while (step < totalSteps) {
                bar.note(train(step + 1));
                step++;
                if (isDue(step, config.checkpointSteps())) {
                    save();
                }
                listener.accept(step);
                bar.step();
                if (stop.requested() && step < totalSteps) {
                    save();
                    throw StopSignal.checkpointed(step, run.path());
                }
            }
        }
        return (System.nanoTime() - start) / 1e9;
    }

    private void save() {
        run.checkpoints().save(step, directory -> {
            refuseNonFinite(step, "norm of the weights", optimizer.weightNorm(), learningRate.at(step));
            files.checkpoint(directory, decoder, optimizer, progress());
        });
    }

    /** Returns whether a periodic task is due: every {@code interval} steps and after the last. */
    protected final boolean isDue(long number, long interval) {
        return number == totalSteps || number % interval == 0;
    }

    /**
     * Updates the weights with their gradients.
     *
     * @param loss of the gradients
     * @return norm of the gradients before clipping
     * @throws PrpfException 10 if either is not finite
     */
    protected final double update(long number, double loss, double rate) {
        refuseNonFinite(number, "loss", loss, rate);
        double norm = optimizer.step(rate, config.maxGradNorm());
        refuseNonFinite(number, "gradient norm", norm, rate);
        return norm;
    }

    /** Saves the model after a step as the best so far; no copy for the last step. */
    protected final void keepBest(long number) {
        if (number < totalSteps) {
            files.keep(bestModel, number, decoder);
        }
    }

    /** Makes the model after a step the result: the last, or the one saved by {@link #keepBest}. */
    protected final void finish(long kept) {
        files.finish(decoder, bestModel, kept, totalSteps, config.selection());
    }

    /** Ends a training with a NaN or an infinite value; checkpoints are kept. */
    protected final void refuseNonFinite(long number, String what, double value, double rate) {
        if (!Double.isFinite(value)) {
            throw diverged(number, "the " + what + " is " + value, rate);
        }
    }

    /** Returns the exception for a diverged run; checkpoints are kept. */
    protected final PrpfException diverged(long number, String what, double rate) {
        CheckpointStore.Checkpoint newest = run.checkpoints().latest();
        String saved = newest == null ? "no checkpoint was saved" : "the newest checkpoint is " + newest.directory();
        return new DivergedException("step " + number + ": " + what + " at learning rate " + rate
                + "; lower training.learning-rate and start in another --run-dir (" + saved + ")");
    }

    @Override
    public void close() {
        decoder.close();
    }

    /**
     * Linear warm-up, then a schedule.
     *
     * @param schedule after the warm-up
     * @param peak the rate after the warm-up
     * @param warmupSteps steps that rise
     */
    public record LearningRate(LrSchedulerType schedule, double peak, long warmupSteps, long totalSteps) {
        /** Creates a schedule; the warm-up is a share of the steps, rounded up, as in transformers. */
        public static LearningRate of(LrSchedulerType schedule, double peak, double warmupRatio, long totalSteps) {
            return new LearningRate(schedule, peak, (long) Math.ceil(warmupRatio * totalSteps), totalSteps);
        }

        /** Returns the rate of a step, counted from 1; never zero, unlike transformers' first step. */
        public double at(long step) {
            if (step <= warmupSteps) {
                return peak * step / warmupSteps;
            }
            double progress = (step - 1.0 - warmupSteps) / Math.max(1, totalSteps - warmupSteps);
            return peak
                    * switch (schedule) {
                        case CONSTANT -> 1;
                        case LINEAR -> 1 - progress;
                        case COSINE -> 0.5 * (1 + Math.cos(Math.PI * progress));
                    };
        }
    }
}

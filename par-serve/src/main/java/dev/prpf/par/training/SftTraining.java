package dev.prpf.par.training;

import dev.prpf.data.run.CheckpointStore;
import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.IoFailure;
import dev.prpf.data.run.Progress;
import dev.prpf.data.run.PrpfException;
import dev.prpf.data.run.RunDirectory;
import dev.prpf.data.run.StopSignal;
import dev.prpf.par.model.DecoderWeights;
import dev.prpf.par.model.HuggingFaceDirectory;
import dev.prpf.par.model.Precision;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Supervised fine-tuning of a decoder (PRPF §3.5): AdamW on float32 master weights, warm-up and cosine, accumulation, clipping. A run
 * that was cut off anywhere goes on from its newest checkpoint and gives, bit for bit on one machine, the numbers of an undisturbed one.
 */
public final class SftTraining implements AutoCloseable {
    private static final String OPTIMIZER = "optimizer.safetensors";
    private static final String PROGRESS = "progress.json";

    private final SftConfig config;
    private final SftFiles files;
    private final SftExampleSource source;
    private final RunDirectory run;
    private final SftSplit split;
    private final BatchOrder order;
    private final long totalSteps;
    private final LearningRate learningRate;
    private final DecoderWeights weights;
    private final SftLoss loss;
    private final FusedAdamW optimizer;
    private SftProgress progress = SftProgress.start();
    private SftLoss.@Nullable Part dev;

    /**
     * Begins, or goes on from the run's newest checkpoint.
     *
     * @param files the model to start from and where the trained one goes
     * @param source of all examples; the dev share is split off here
     * @param run gets metrics and checkpoints
     */
    public SftTraining(SftConfig config, SftFiles files, SftExampleSource source, RunDirectory run) {
        this.config = config;
        this.files = files;
        this.source = source;
        this.run = run;
        CheckpointStore.Checkpoint checkpoint = run.checkpoints().latest();
        Path from = checkpoint == null ? files.start() : checkpoint.directory();
        HuggingFaceDirectory directory = HuggingFaceDirectory.open(from);
        split = SftSplit.of(source.examples(), directory.config().maxPositions(), config.devShare(), config.seed());
        order = new BatchOrder(
                split.train().size(), config.batchSize(), config.gradientAccumulationSteps(), config.seed());
        totalSteps = (long) order.steps() * config.epochs();
        learningRate = LearningRate.of(config.learningRate(), config.warmupRatio(), totalSteps);
        weights = directory.weights(Precision.FP32);
        loss = new SftLoss(weights, config.precision().resolve());
        if (checkpoint == null) {
            optimizer = FusedAdamW.fresh(weights, config.adamw());
            run.rewind(0);
        } else {
            progress = SftProgress.read(from.resolve(PROGRESS));
            optimizer = FusedAdamW.read(from.resolve(OPTIMIZER), weights, config.adamw(), progress.step());
            run.rewind(progress.step());
        }
    }

    /** Optimizer steps of the whole run. */
    public long totalSteps() {
        return totalSteps;
    }

    /** Trains to the end; {@code listener} hears of every optimizer step, after its checkpoint. */
    public SftResult run(StopSignal stop, Consumer<SftStep> listener) {
        long start = System.nanoTime();
        try (Progress bar = Progress.start("sft", totalSteps)) {
            bar.stepBy(progress.step());
            int epoch = (int) (progress.step() / order.steps());
            int skip = (int) (progress.step() % order.steps());
            for (; epoch < config.epochs(); epoch++) {
                List<List<List<SftExample>>> steps = order.epoch(epoch, split.train(source.epoch(epoch)));
                for (List<List<SftExample>> batches : steps.subList(skip, steps.size())) {
                    SftStep step = step(batches);
                    progress = progress.after(step);
                    finishStep(step);
                    listener.accept(step);
                    bar.note(String.format(Locale.ROOT, "loss %.3f", step.loss()));
                    bar.step();
                    leaveIfAsked(stop);
                }
                skip = 0;
            }
        }
        return finish((System.nanoTime() - start) / 1e9);
    }

    private SftStep step(List<List<SftExample>> batches) {
        long divisor = batches.stream().mapToLong(SftBatch::supervisedTokens).sum();
        long number = progress.step() + 1;
        SftLoss.Part sum = new SftLoss.Part(0, 0, 0);
        long tokens = 0;
        for (List<SftExample> batch : batches) {
            sum = sum.plus(loss.backward(batch, divisor));
            tokens += batch.stream().mapToLong(SftExample::length).sum();
        }
        refuseNonFinite(number, "loss", sum.loss());
        double rate = learningRate.at(number);
        double norm = optimizer.step(rate, config.maxGradNorm());
        refuseNonFinite(number, "gradient norm", norm);
        return new SftStep(number, sum.loss(), norm, rate, tokens, sum.labels(), sum.hits());
    }

    private void refuseNonFinite(long step, String what, double value) {
        if (!Double.isFinite(value)) {
            throw new PrpfException(
                    ExitCode.DIVERGED,
                    "step " + step + ": the " + what + " is " + value + " at learning rate " + learningRate.at(step)
                            + "; lower training.learning-rate and start in another --run-dir (the last good checkpoint is in "
                            + run.path() + ")");
        }
    }

    /** Metrics, then the dev loss where an epoch ends, then the checkpoint, so that a checkpoint has all lines up to its step. */
    private void finishStep(SftStep step) {
        boolean last = step.step() == totalSteps;
        if (last || step.step() % config.loggingSteps() == 0) {
            log(step);
        }
        if (step.step() % order.steps() == 0) {
            evaluate(step.step());
        }
        if (last || step.step() % config.checkpointSteps() == 0) {
            save();
        }
    }

    private void log(SftStep step) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("loss", progress.meanLoss());
        line.put("grad_norm", progress.meanNorm());
        line.put("learning_rate", step.learningRate());
        line.put("mean_token_accuracy", progress.accuracy());
        line.put("num_tokens", progress.tokens());
        line.put("epoch", (double) step.step() / order.steps());
        progress = progress.logged();
        run.metric(step.step(), line);
    }

    private void evaluate(long step) {
        if (split.dev().isEmpty()) {
            return;
        }
        SftLoss.Part sum = devPart();
        dev = sum;
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("eval_loss", sum.loss());
        line.put("eval_mean_token_accuracy", (double) sum.hits() / sum.labels());
        run.metric(step, line);
    }

    private SftLoss.Part devPart() {
        long divisor = SftBatch.supervisedTokens(split.dev());
        SftLoss.Part sum = new SftLoss.Part(0, 0, 0);
        for (List<SftExample> batch : BatchOrder.cut(split.dev(), config.batchSize())) {
            sum = sum.plus(loss.value(batch, divisor));
        }
        return sum;
    }

    private void save() {
        SftProgress now = progress;
        run.checkpoints().save(now.step(), directory -> {
            files.write(directory, weights);
            optimizer.write(directory.resolve(OPTIMIZER));
            now.write(directory.resolve(PROGRESS));
        });
    }

    private void leaveIfAsked(StopSignal stop) {
        if (stop.requested() && progress.step() < totalSteps) {
            save();
            throw StopSignal.checkpointed(progress.step(), run.path());
        }
    }

    private SftResult finish(double seconds) {
        if (dev == null && !split.dev().isEmpty()) {
            dev = devPart();
        }
        try {
            HuggingFaceDirectory.replace(files.result(), directory -> files.write(directory, weights));
        } catch (IOException e) {
            throw IoFailure.writing(files.result(), e);
        }
        return new SftResult(
                files.result(),
                progress.step(),
                split.train().size(),
                progress.tokens(),
                progress.lastLoss(),
                dev == null ? null : dev.loss(),
                dev == null ? null : (double) dev.hits() / dev.labels(),
                seconds);
    }

    @Override
    public void close() {
        weights.close();
    }
}

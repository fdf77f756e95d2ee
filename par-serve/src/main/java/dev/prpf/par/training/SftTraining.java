package dev.prpf.par.training;

import dev.prpf.base.run.CheckpointStore;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.sets.SftExamples;
import dev.prpf.par.sets.SftSplit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Supervised fine-tuning of a decoder (PRPF §3.5): AdamW on float32 master weights, warm-up and cosine, accumulation, clipping. A run
 * that was cut off anywhere goes on from its newest checkpoint and gives, bit for bit on one machine, the numbers of an undisturbed one.
 */
public final class SftTraining implements AutoCloseable {
    private static final String BEST = "best";

    private final SftConfig config;
    private final TrainingFiles files;
    private final CheckpointStore bestModel;
    private final IntFunction<List<SftExample>> epochs;
    private final RunDirectory run;
    private final SftSplit split;
    private final SftDev dev;
    private final BatchOrder order;
    private final long totalSteps;
    private final LearningRate learningRate;
    private final TrainingLoop loop;
    private final TrainableDecoder decoder;
    private final SftLoss loss;
    private final FusedAdamW optimizer;
    private SftProgress progress;
    private int epoch = -1;
    private List<List<List<SftExample>>> epochSteps = List.of();

    /**
     * Begins, or goes on from the run's newest checkpoint.
     *
     * @param files the model to start from and where the trained one goes
     * @param source of all examples; the dev share is split off here
     * @param answering gives the model's answers to held-out prompts; may be null where the configuration asks for none
     * @param run gets metrics, samples and checkpoints
     */
    public SftTraining(
            SftConfig config,
            TrainingFiles files,
            SftExamples.SftExampleSource source,
            SftDev.@Nullable Answering answering,
            RunDirectory run) {
        this.config = config;
        this.files = files;
        this.run = run;
        bestModel = new CheckpointStore(run.path().resolve(BEST), 1);
        CheckpointStore.Checkpoint checkpoint = run.checkpoints().latest();
        Path from = checkpoint == null ? null : checkpoint.directory();
        int maxPositions = HuggingFaceDirectory.open(files.start()).config().maxPositions();
        split = SftSplit.of(source.examples(), maxPositions, config.devShare(), config.seed());
        epochs = source.training(split.train());
        dev = SftDev.of(config, split, answering);
        order = BatchOrder.of(config, split.train().size());
        totalSteps = (long) order.steps() * config.epochs();
        learningRate =
                LearningRate.of(config.lrSchedulerType(), config.learningRate(), config.warmupRatio(), totalSteps);
        loop = new TrainingLoop(run, totalSteps, config.checkpointSteps());
        decoder = files.open(from, config.lora(), config.seed());
        loss = new SftLoss(
                decoder,
                new ComputeSettings(config.precision().resolve(), config.packing(), config.gradientCheckpointing()));
        progress = from == null ? SftProgress.start() : TrainingFiles.progress(from, SftProgress.class);
        optimizer = TrainingFiles.optimizer(from, decoder, config.adamw(), progress.step());
        run.rewind(progress.step());
    }

    /** Optimizer steps of the whole run. */
    public long totalSteps() {
        return totalSteps;
    }

    /** Trains to the end; {@code listener} hears of every optimizer step, after its checkpoint. */
    public SftResult run(StopSignal stop, Consumer<SftStep> listener) {
        long start = System.nanoTime();
        loop.run("sft", progress.step(), new Task(listener), stop);
        return finish((System.nanoTime() - start) / 1e9);
    }

    private final class Task implements TrainingLoop.Task {
        private final Consumer<SftStep> listener;
        private @Nullable SftStep last;

        Task(Consumer<SftStep> listener) {
            this.listener = listener;
        }

        @Override
        public String step(long number) {
            SftStep step = train(number);
            last = step;
            progress = progress.after(step);
            if (number == totalSteps || number % config.loggingSteps() == 0) {
                log(step);
            }
            if (number == totalSteps || number % evaluationSteps() == 0) {
                evaluate(number);
            }
            return String.format(Locale.ROOT, "loss %.3f", step.loss());
        }

        @Override
        public void save(Path directory) throws IOException {
            refuseRuined("norm of the weights", optimizer.weightNorm());
            files.checkpoint(directory, decoder, optimizer, progress);
        }

        @Override
        public void done(long number) {
            listener.accept(Objects.requireNonNull(last));
        }
    }

    private SftStep train(long number) {
        List<List<SftExample>> batches = batches(number);
        long divisor = batches.stream().mapToLong(SftBatch::supervisedTokens).sum();
        SftLoss.Part sum = new SftLoss.Part(0, 0, 0);
        long tokens = 0;
        for (List<SftExample> batch : batches) {
            sum = sum.plus(loss.backward(batch, divisor));
            tokens += batch.stream().mapToLong(SftExample::length).sum();
        }
        double rate = learningRate.at(number);
        loop.refuseNonFinite(number, "loss", sum.loss(), rate);
        double norm = optimizer.step(rate, config.maxGradNorm());
        loop.refuseNonFinite(number, "gradient norm", norm, rate);
        return new SftStep(number, sum.loss(), norm, rate, tokens, sum.labels(), sum.hits());
    }

    private List<List<SftExample>> batches(long number) {
        int wanted = (int) ((number - 1) / order.steps());
        if (wanted != epoch) {
            epoch = wanted;
            epochSteps = order.epoch(epoch, epochs.apply(epoch));
        }
        return epochSteps.get((int) ((number - 1) % order.steps()));
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

    private long evaluationSteps() {
        Integer steps = config.evaluationSteps();
        return steps == null ? order.steps() : steps;
    }

    private void evaluate(long step) {
        if (dev.isEmpty()) {
            return;
        }
        progress = progress.evaluated(dev.evaluate(step, decoder, loss, run, this::refuseRuined), config.selection());
        if (step < totalSteps && Objects.requireNonNull(progress.best()).step() == step && compares()) {
            files.keep(bestModel, step, decoder);
        }
    }

    /** What the step just done has made of the model. */
    private void refuseRuined(String what, double value) {
        loop.refuseNonFinite(progress.step(), what, value, learningRate.at(progress.step()));
    }

    private boolean compares() {
        return config.selection() != SftConfig.Selection.LAST;
    }

    private SftResult finish(double seconds) {
        SftDev.SftEvaluation best = progress.best();
        files.finish(decoder, bestModel, best == null ? totalSteps : best.step(), totalSteps, config.selection());
        return new SftResult(
                files.result(),
                progress.step(),
                split.train().size(),
                progress.tokens(),
                progress.lastLoss(),
                best == null ? null : (Long) best.step(),
                best == null ? null : (Double) best.loss(),
                best == null ? null : (Double) best.accuracy(),
                best == null ? null : best.answers(),
                seconds);
    }

    @Override
    public void close() {
        decoder.close();
    }

    /**
     * What a fine-tuning came to.
     *
     * @param model the Hugging Face directory written
     * @param steps optimizer steps in all
     * @param examples trained on
     * @param tokens seen, prompts and responses, over all epochs
     * @param loss mean of the last logged steps, nats a supervised token
     * @param bestStep after which the model was taken, or null without held-out examples
     * @param devLoss of the model on the held-out share, or null without one
     * @param devAccuracy share of the held-out response tokens that were the likeliest, or null without one
     * @param dev greedy answers of the model to the held-out prompts, or null where nobody asked
     * @param seconds of this process's part
     */
    public record SftResult(
            Path model,
            long steps,
            int examples,
            long tokens,
            double loss,
            @Nullable Long bestStep,
            @Nullable Double devLoss,
            @Nullable Double devAccuracy,
            @Nullable PolicyEvaluation dev,
            double seconds) {}

    /**
     * One optimizer step.
     *
     * @param step counted from 1
     * @param loss nats a supervised token, over all its batches (PRPF eq. 13)
     * @param gradientNorm before clipping
     * @param learningRate used
     * @param tokens seen, prompts and responses
     * @param labels supervised tokens
     * @param hits those that were the likeliest
     */
    public record SftStep(
            long step, double loss, double gradientNorm, double learningRate, long tokens, long labels, long hits) {}
}

package dev.prpf.par.training;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.sets.SftExamples;
import dev.prpf.par.sets.SftSplit;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import java.util.function.ObjDoubleConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Supervised fine-tuning of a decoder (PRPF §3.5): AdamW on float32 master weights, warm-up and cosine, accumulation, clipping. */
public final class SftTraining extends Training {
    private final SftConfig config;
    private final SftExamples data;
    private final IntFunction<List<SftExample>> epochs;
    private final SftDev dev;
    private final BatchOrder order;
    private final SftLoss loss;
    private final Progress progress;
    private int epoch = -1;
    private List<List<List<SftExample>>> epochSteps = List.of();

    /**
     * Begins a training, or resumes from the run's newest checkpoint.
     *
     * @param files model before the training and destination of the trained one
     * @param data all examples; the dev share is split off here
     * @param predictor gives the model's answers to held-out prompts; may be null if the configuration requests none
     * @param run receives metrics, samples and checkpoints
     */
    public SftTraining(
            SftConfig config, TrainingFiles files, SftExamples data, @Nullable Predictor predictor, RunDirectory run) {
        this(
                config,
                files,
                data,
                SftDev.of(config, split(config, files, data), data.prompts().prompts(), predictor),
                run);
    }

    private SftTraining(SftConfig config, TrainingFiles files, SftExamples data, SftDev dev, RunDirectory run) {
        super(config, (long) order(config, dev).steps() * config.epochs(), 1, files, run);
        this.config = config;
        this.data = data;
        this.dev = dev;
        order = order(config, dev);
        epochs = data.training(dev.split().train());
        loss = new SftLoss(
                decoder,
                new ComputeSettings(config.precision().resolve(), config.packing(), config.gradientCheckpointing()));
        progress = checkpoint == null ? new Progress() : TrainingFiles.progress(checkpoint, Progress.class);
    }

    private static SftSplit split(SftConfig config, TrainingFiles files, SftExamples data) {
        int maxPositions = HuggingFaceDirectory.open(files.start()).config().maxPositions();
        return SftSplit.of(data.examples(), maxPositions, config.devShare(), config.seed());
    }

    private static BatchOrder order(SftConfig config, SftDev dev) {
        return BatchOrder.of(config, dev.split().train().size());
    }

    /** Trains to the end; {@code listener} is called after every optimizer step and its checkpoint. */
    public SftResult run(StopSignal stop, LongConsumer listener) {
        return finish(runSteps("sft", stop, listener));
    }

    @Override
    protected Object progress() {
        return progress;
    }

    @Override
    protected String train(long number) {
        List<List<SftExample>> batches = batches(number);
        long divisor = batches.stream().mapToLong(SftBatch::supervisedTokens).sum();
        SftLoss.Part sum = new SftLoss.Part(0, 0, 0);
        for (List<SftExample> batch : batches) {
            sum = sum.plus(loss.backward(batch, divisor));
        }
        double rate = learningRate.at(number);
        long tokens = batches.stream()
                .flatMap(List::stream)
                .mapToLong(SftExample::length)
                .sum();
        progress.add(sum, update(number, sum.loss(), rate), tokens);
        if (isDue(number, config.loggingSteps())) {
            run.metric(number, progress.line(rate, (double) number / order.steps()));
        }
        Integer steps = config.evaluationSteps();
        if (isDue(number, steps == null ? order.steps() : steps) && !dev.isEmpty()) {
            evaluate(number);
        }
        return String.format(Locale.ROOT, "loss %.3f", sum.loss());
    }

    private List<List<SftExample>> batches(long number) {
        int wanted = (int) ((number - 1) / order.steps());
        if (wanted != epoch) {
            epoch = wanted;
            epochSteps = order.epoch(epoch, epochs.apply(epoch));
        }
        return epochSteps.get((int) ((number - 1) % order.steps()));
    }

    private void evaluate(long number) {
        SftDev.SftEvaluation found = dev.evaluate(
                number,
                decoder,
                loss,
                run,
                (what, value) -> refuseNonFinite(number, what, value, learningRate.at(number)));
        if (found.better(progress.best, config.selection())) {
            progress.best = found;
            if (config.selection() != SftConfig.Selection.LAST) {
                keepBest(number);
            }
        }
    }

    private SftResult finish(double seconds) {
        SftDev.SftEvaluation best = progress.best;
        finish(best == null ? totalSteps : best.step());
        return new SftResult(
                files.result().toString(),
                step(),
                dev.split().train().size(),
                data.prompts().dropped(),
                data.prompts().outOfPool(),
                data.prompts().longest(),
                progress.tokens,
                progress.lastLoss,
                best == null ? null : (Double) best.loss(),
                best == null ? null : (Double) best.accuracy(),
                best == null ? null : (Long) best.step(),
                best == null ? null : best.answers(),
                seconds);
    }

    /** The state that each checkpoint saves, so that a resumed run logs the same as an uninterrupted one. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    private static final class Progress {
        private long tokens;

        // sums since the last line of metrics; hits are supervised tokens that were the likeliest
        private long windowSteps;
        private double windowLoss;
        private double windowNorm;
        private long windowLabels;
        private long windowHits;

        /** Mean loss of the last line of metrics. */
        private double lastLoss = Double.NaN;

        /** The evaluation of the model that is kept; null before the first evaluation or without held-out examples. */
        private SftDev.@Nullable SftEvaluation best;

        /** A line of metrics: means over the steps since the line before. */
        private record Line(
                double loss,
                double gradNorm,
                double learningRate,
                double meanTokenAccuracy,
                long numTokens,
                double epoch) {}

        /** Adds a step, with the norm of its gradient before clipping. */
        void add(SftLoss.Part done, double gradientNorm, long moreTokens) {
            tokens += moreTokens;
            windowSteps++;
            windowLoss += done.loss();
            windowNorm += gradientNorm;
            windowLabels += done.labels();
            windowHits += done.hits();
        }

        /** Returns a line of metrics and begins the next one. */
        Line line(double learningRate, double epoch) {
            lastLoss = windowLoss / windowSteps;
            double accuracy = (double) windowHits / windowLabels;
            Line line = new Line(lastLoss, windowNorm / windowSteps, learningRate, accuracy, tokens, epoch);
            windowSteps = windowLabels = windowHits = 0;
            windowLoss = windowNorm = 0;
            return line;
        }
    }

    /**
     * The result of a fine-tuning.
     *
     * @param model the Hugging Face directory written
     * @param steps number of optimizer steps
     * @param examples number of training examples
     * @param dropped number of excluded over-long examples
     * @param outOfPool excluded because the perceived scenarios lack functions of their target
     * @param longest tokens of the longest example, dropped ones included
     * @param tokens seen, prompts and responses, over all epochs
     * @param loss mean of the last logged steps, nats per supervised token
     * @param devLoss of the model on the held-out share, or null without one
     * @param devTokenAccuracy share of the held-out response tokens that were the likeliest, or null without one
     * @param bestStep step of the result, or null without held-out examples
     * @param dev greedy answers of the result to the held-out prompts, or null unless the configuration compares by reward
     * @param seconds of this process's part
     */
    public record SftResult(
            String model,
            long steps,
            int examples,
            int dropped,
            int outOfPool,
            int longest,
            long tokens,
            double loss,
            @Nullable Double devLoss,
            @Nullable Double devTokenAccuracy,
            @Nullable Long bestStep,
            @Nullable PolicyEvaluation dev,
            double seconds) {}

    /**
     * Evaluates a fine-tuning on its held-out examples: their loss, and the model's answers to their prompts.
     *
     * @param prompts of the held-out examples; empty if the configuration requests no answers
     * @param predictor answers them; may be null without prompts
     */
    record SftDev(SftConfig config, SftSplit split, List<PromptExample> prompts, @Nullable Predictor predictor) {
        SftDev {
            if (predictor == null && config.predicts()) {
                throw new IllegalArgumentException(
                        "training.selection = " + config.selection() + " and training.samples = " + config.samples()
                                + " need predictions, but there is no predictor");
            }
        }

        /** @param prompts of all examples, one per example */
        static SftDev of(SftConfig config, SftSplit split, List<PromptExample> prompts, @Nullable Predictor predictor) {
            List<PromptExample> held = config.predicts()
                    ? split.devPlaces().stream().map(prompts::get).toList()
                    : List.of();
            return new SftDev(config, split, held, predictor);
        }

        boolean isEmpty() {
            return split.dev().isEmpty();
        }

        /**
         * Evaluates the current model; some of its answers go to the run's samples.
         *
         * @param check receives the loss, by its name, before the model answers anything
         */
        SftEvaluation evaluate(
                long step, TrainableDecoder model, SftLoss loss, RunDirectory run, ObjDoubleConsumer<String> check) {
            SftLoss.Part sum = new SftLoss.Part(0, 0, 0);
            long divisor = SftBatch.supervisedTokens(split.dev());
            for (List<SftExample> batch : BatchOrder.cut(split.dev(), config.batchSize())) {
                sum = sum.plus(loss.value(batch, divisor));
            }
            check.accept("held-out loss", sum.loss());
            SftEvaluation found = new SftEvaluation(
                    step, sum.loss(), (double) sum.hits() / sum.labels(), predictions(step, model, run));
            run.metric(step, found.metrics());
            return found;
        }

        private @Nullable PolicyEvaluation predictions(long step, TrainableDecoder model, RunDirectory run) {
            if (predictor == null || prompts.isEmpty()) {
                return null;
            }
            boolean all = config.selection() == SftConfig.Selection.DEV_REWARD;
            List<PromptExample> shown = spread();
            List<Predictor.Prediction> predictions;
            try (CausalLm policy = model.decoder(config.precision().resolve())) {
                predictions = predictor.predict(policy, all ? prompts : shown);
            }
            predictions.stream()
                    .filter(prediction -> shown.contains(prediction.prompt()))
                    .forEach(prediction -> run.sample(step, prediction.sample()));
            return all ? PolicyEvaluation.of(predictions) : null;
        }

        /** Returns the prompts of logged samples, short and long ones. */
        private List<PromptExample> spread() {
            int count = Math.min(config.samples(), prompts.size());
            return IntStream.range(0, count)
                    .mapToObj(i -> prompts.get((int) ((2L * i + 1) * prompts.size() / (2L * count))))
                    .toList();
        }

        /**
         * The evaluation of a fine-tuning on its held-out examples.
         *
         * @param loss mean over their response tokens, nats
         * @param accuracy share of the response tokens that the model finds likeliest
         * @param answers greedy answers to their prompts; null unless the configuration compares by reward
         */
        record SftEvaluation(long step, double loss, double accuracy, @Nullable PolicyEvaluation answers) {
            /** Returns whether this evaluation is better; of equal ones the earlier is kept. */
            boolean better(@Nullable SftEvaluation than, SftConfig.Selection by) {
                if (than == null || by == SftConfig.Selection.LAST) {
                    return true;
                }
                PolicyEvaluation before = than.answers;
                if (answers != null && before != null) {
                    return answers.reward() > before.reward();
                }
                return loss < than.loss;
            }

            Map<String, @Nullable Object> metrics() {
                Map<String, @Nullable Object> line = new LinkedHashMap<>();
                line.put("eval_loss", loss);
                line.put("eval_mean_token_accuracy", accuracy);
                if (answers != null) {
                    line.putAll(answers.metrics());
                }
                return line;
            }
        }
    }
}

package dev.prpf.par.training;

import dev.prpf.base.run.RunDirectory;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.sets.SftSplit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjDoubleConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates a fine-tuning on its held-out examples: their loss, and the model's answers to their prompts.
 *
 * @param prompts of the held-out examples; empty if the configuration requests no answers
 * @param predictor answers them; may be null without prompts
 */
record SftDev(SftConfig config, SftSplit split, List<PromptExample> prompts, @Nullable Predictor predictor) {
    SftDev {
        if (predictor == null && config.predicts()) {
            throw new IllegalArgumentException("training.selection = " + config.selection() + " and training.samples = "
                    + config.samples() + " need predictions, but there is no predictor");
        }
    }

    /** @param prompts of all examples, one per example */
    static SftDev of(SftConfig config, SftSplit split, List<PromptExample> prompts, @Nullable Predictor predictor) {
        List<PromptExample> held =
                config.predicts() ? split.devPlaces().stream().map(prompts::get).toList() : List.of();
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
        SftEvaluation found =
                new SftEvaluation(step, sum.loss(), (double) sum.hits() / sum.labels(), predictions(step, model, run));
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

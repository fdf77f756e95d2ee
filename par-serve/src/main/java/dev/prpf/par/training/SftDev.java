package dev.prpf.par.training;

import dev.prpf.base.run.RunDirectory;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.sets.SftSplit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjDoubleConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The held-out examples of a fine-tuning: their loss, and what the model answers to their prompts. */
public final class SftDev {
    private final SftConfig config;
    private final List<SftExample> examples;
    private final List<PromptExample> prompts;
    private final @Nullable PromptAnswers answers;

    /**
     * Who answers.
     *
     * @param prompts of all examples, one each
     * @param answers of the model as it is
     */
    public record Answering(List<PromptExample> prompts, PromptAnswers answers) {
        public Answering {
            prompts = List.copyOf(prompts);
        }
    }

    private SftDev(
            SftConfig config, List<SftExample> examples, List<PromptExample> prompts, @Nullable PromptAnswers answers) {
        this.config = config;
        this.examples = examples;
        this.prompts = prompts;
        this.answers = answers;
    }

    /** @param answering null where nobody is asked */
    static SftDev of(SftConfig config, SftSplit split, @Nullable Answering answering) {
        if (answering == null && config.asks()) {
            throw new IllegalArgumentException("training.selection = " + config.selection() + " and training.samples = "
                    + config.samples() + " ask for answers, but nobody gives any");
        }
        List<PromptExample> asked = answering == null || !config.asks()
                ? List.of()
                : split.devPlaces().stream().map(answering.prompts()::get).toList();
        return new SftDev(config, split.dev(), asked, answering == null ? null : answering.answers());
    }

    boolean isEmpty() {
        return examples.isEmpty();
    }

    /**
     * Looks at the model as it is; some of its answers go to the run's samples.
     *
     * @param check sees the loss, by its name, before the model is asked anything
     */
    SftEvaluation evaluate(
            long step, TrainableDecoder model, SftLoss loss, RunDirectory run, ObjDoubleConsumer<String> check) {
        SftLoss.Part sum = new SftLoss.Part(0, 0, 0);
        long divisor = SftBatch.supervisedTokens(examples);
        for (List<SftExample> batch : BatchOrder.cut(examples, config.batchSize())) {
            sum = sum.plus(loss.value(batch, divisor));
        }
        check.accept("held-out loss", sum.loss());
        SftEvaluation found =
                new SftEvaluation(step, sum.loss(), (double) sum.hits() / sum.labels(), answered(step, model, run));
        run.metric(step, found.metrics());
        return found;
    }

    private @Nullable PolicyEvaluation answered(long step, TrainableDecoder model, RunDirectory run) {
        if (answers == null || prompts.isEmpty()) {
            return null;
        }
        boolean all = config.selection() == SftConfig.Selection.DEV_REWARD;
        List<PromptExample> shown = spread();
        List<AnsweredPrompt> given;
        try (Decoder policy = model.decoder(config.precision().resolve())) {
            given = answers.answer(policy, all ? prompts : shown);
        }
        given.stream()
                .filter(answer -> shown.contains(answer.prompt()))
                .forEach(answer -> run.sample(step, answer.sample()));
        return all ? PolicyEvaluation.of(given) : null;
    }

    /** As many prompts as are shown, short ones and long ones. */
    private List<PromptExample> spread() {
        int count = Math.min(config.samples(), prompts.size());
        return IntStream.range(0, count)
                .mapToObj(i -> prompts.get((int) ((2L * i + 1) * prompts.size() / (2L * count))))
                .toList();
    }

    /**
     * How a fine-tuning stands on its held-out examples.
     *
     * @param step after which
     * @param loss mean over their response tokens, nats
     * @param accuracy share of these that were the likeliest token
     * @param answers greedy answers to their prompts; null where the configuration does not compare by reward
     */
    record SftEvaluation(long step, double loss, double accuracy, @Nullable PolicyEvaluation answers) {
        /** Whether this is the one to keep; of equals the earlier one is. */
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

        /** As a line of metrics. */
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

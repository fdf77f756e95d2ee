package dev.prpf.par.training;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.grpo.GrpoMetrics;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.rollout.RolloutProvenance;
import dev.prpf.par.rollout.RolloutRun.RolloutMetrics;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.training.ParGrpoConfig.GrpoSampling;
import dev.prpf.par.training.PolicyGradient.ReferencePolicy;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group relative policy optimisation of a decoder (PRPF §3.5, Appendix A.4, eq. 14). Each step samples groups from the current policy, or takes them
 * from a set, and makes {@link GrpoConfig#updatesPerRollout} optimizer updates on them. The reference of the KL penalty is the model before the run.
 */
public final class GrpoTraining extends Training {
    private static final Logger LOG = LoggerFactory.getLogger(GrpoTraining.class);
    private static final long STEP_SEED = 0x9E3779B97F4A7C15L;

    private final GrpoConfig config;
    private final Prompts data;
    private final PromptSplit prompts;
    private final PolicyRollouts rollouts;
    private final Precision precision;
    private final @Nullable ReferencePolicy reference;
    private final PolicyGradient gradient;
    private final GrpoStep step;
    private final Progress progress;

    /**
     * The prompts of a training.
     *
     * @param dropped number of excluded over-long prompts
     * @param outOfPool excluded because the perceived scenarios lack functions of their answers
     * @param provenance of their GRPO set; null if they are rendered from samples
     */
    public record Prompts(PromptSplit split, int dropped, int outOfPool, @Nullable RolloutProvenance provenance) {}

    /**
     * Begins a training, or resumes from the run's newest checkpoint.
     *
     * @param files model before the training and destination of the trained one
     * @param run receives metrics, samples and checkpoints
     */
    public GrpoTraining(
            GrpoConfig config, TrainingFiles files, Prompts data, PolicyRollouts rollouts, RunDirectory run) {
        super(config, config.steps(data.split()), config.updatesPerRollout(), files, run);
        this.config = config;
        this.data = data;
        this.rollouts = rollouts;
        prompts = data.split();
        precision = config.precision().resolve();
        GrpoSettings objective = config.objective();
        reference = objective.klCoefficient() > 0 ? reference() : null;
        gradient = new PolicyGradient(
                decoder,
                reference,
                objective,
                new ComputeSettings(precision, false, config.gradientCheckpointing()),
                rollouts.sampling().temperature(),
                rollouts.stored() ? null : config.importanceSamplingClipMax());
        step = new GrpoStep(
                objective, config.microBatchSize(), rollouts.sampling().maxNewTokens());
        progress = checkpoint == null ? new Progress() : TrainingFiles.progress(checkpoint, Progress.class);
    }

    /** Returns the policy before the run; with adapters it is the frozen weights themselves. */
    private ReferencePolicy reference() {
        CausalLm base = decoder.base();
        if (base != null) {
            return ReferencePolicy.sharing(base);
        }
        try {
            return ReferencePolicy.owning(
                    HuggingFaceDirectory.open(files.start()).frozen(precision));
        } catch (RuntimeException e) {
            super.close();
            throw e;
        }
    }

    /** Trains to the end; {@code listener} is called after every step and its checkpoint. */
    public GrpoResult run(StopSignal stop, LongConsumer listener) {
        return finish(runSteps("grpo", stop, listener));
    }

    @Override
    protected Object progress() {
        return progress;
    }

    @Override
    protected String train(long number) {
        if (number == 1) {
            evaluate(0);
        }
        String note = learn(number);
        if (isDue(number, config.evaluationSteps())) {
            evaluate(number);
        }
        return note;
    }

    private String learn(long number) {
        long start = System.nanoTime();
        List<RolloutGroup> groups = groups(number);
        long sampled = System.nanoTime();
        List<PolicyGradient.ScoredResponse> responses = step.responses(groups, prompts(number), rollouts.stored());
        int updates = config.updatesPerRollout();
        GrpoStep.@Nullable Sum sum = null;
        @Nullable GrpoMetrics objective = null;
        double norms = 0;
        double rate = 0;
        for (int update = 1; update <= updates; update++) {
            rate = learningRate.at((number - 1) * updates + update);
            GrpoStep.Sum part = step.backward(gradient, sum == null ? responses : sum.responses());
            norms += update(number, part.metrics().loss(), rate);
            sum = sum == null ? part : sum;
            objective = objective == null ? part.metrics() : objective.plus(part.metrics());
        }
        Map<String, Double> metrics =
                metrics(number, groups, Objects.requireNonNull(sum), Objects.requireNonNull(objective));
        metrics.put("grad_norm", norms / updates);
        metrics.put("learning_rate", rate);
        log(number, metrics, groups, responses);
        return String.format(
                Locale.ROOT,
                "reward %.3f, rollouts %.1f s, update %.1f s",
                metrics.get("reward"),
                (sampled - start) / 1e9,
                (System.nanoTime() - sampled) / 1e9);
    }

    private List<RolloutGroup> groups(long number) {
        return generated(
                number - 1, policy -> rollouts.sample(policy, prompts(number), config.seed() + number * STEP_SEED));
    }

    /** Generates with the current policy; NaN logits after step 0 mean divergence. */
    private <T> T generated(long steps, Function<CausalLm, T> generation) {
        try (CausalLm policy = decoder.decoder(precision)) {
            return generation.apply(policy);
        } catch (PrpfException e) {
            if (steps > 0 && e.getCause() instanceof ArithmeticException) {
                throw diverged(steps, "the policy's logits are NaN", learningRate.at(steps));
            }
            throw e;
        }
    }

    private List<PromptExample> prompts(long number) {
        int steps = prompts.steps(config.promptsPerStep());
        return prompts.epoch((int) ((number - 1) / steps), config.promptsPerStep(), config.seed())
                .get((int) ((number - 1) % steps));
    }

    /** Returns the step's metrics. The objective's are means over the updates, as TRL's over a logging interval. */
    private Map<String, Double> metrics(
            long number, List<RolloutGroup> groups, GrpoStep.Sum first, GrpoMetrics objective) {
        Map<String, Double> metrics = new LinkedHashMap<>(objective.byName());
        metrics.put("loss", objective.loss() / config.updatesPerRollout());
        metrics.putAll(RolloutMetrics.byName(groups));
        metrics.putAll(first.mismatch().byName());
        progress.alarms = GrpoAlarms.after(number, metrics, progress.firstEntropy, progress.alarms);
        progress.add(first.tokens(), GrpoAlarms.value(metrics, "reward"), GrpoAlarms.value(metrics, "entropy"));
        metrics.put("num_tokens", (double) progress.tokens);
        metrics.put("epoch", (double) number / prompts.steps(config.promptsPerStep()));
        return metrics;
    }

    private void log(
            long number,
            Map<String, Double> metrics,
            List<RolloutGroup> groups,
            List<PolicyGradient.ScoredResponse> responses) {
        Map<String, Object> line = new LinkedHashMap<>(metrics);
        line.put("alarms", progress.alarms);
        run.metric(number, line);
        if (number == 1 || number % config.loggingSteps() == 0) {
            int of = 0;
            for (RolloutGroup group : groups) {
                run.sample(number, Sample.of(group.id(), responses.get(of)));
                of += group.rollouts().size();
            }
        }
    }

    /** A line of samples: the first response of a group. */
    private record Sample(
            String id, String text, double reward, Map<String, Double> terms, double advantage, FinishReason finish) {
        static Sample of(String id, PolicyGradient.ScoredResponse first) {
            Rollout rollout = first.rollout();
            Rollout.Reward reward = rollout.reward();
            return new Sample(id, rollout.text(), reward.total(), reward.terms(), first.advantage(), rollout.finish());
        }
    }

    private void evaluate(long number) {
        if (prompts.dev().isEmpty()) {
            return;
        }
        PolicyEvaluation found = generated(number, policy -> rollouts.evaluate(policy, prompts.dev()));
        run.metric(number, found.metrics());
        boolean best = progress.evaluated(number, found);
        if (best && config.selection() == GrpoConfig.Selection.DEV_REWARD) {
            keepBest(number);
        }
    }

    private GrpoResult finish(double seconds) {
        Progress.Best best = progress.best;
        Progress.Best chosen = config.selection() == GrpoConfig.Selection.LAST ? null : best;
        long kept = chosen == null ? totalSteps : chosen.step();
        finish(kept);
        if (kept == 0) {
            LOG.warn("no policy of the training beats its start on the held-out prompts: the result is the model it"
                    + " began with");
        }
        return new GrpoResult(
                files.result().toString(),
                step(),
                prompts.train().size(),
                prompts.dev().size(),
                data.dropped(),
                data.outOfPool(),
                progress.tokens,
                Objects.requireNonNull(progress.firstReward),
                Objects.requireNonNull(progress.lastReward),
                best == null ? null : (Long) kept,
                progress.before,
                chosen == null ? progress.last : chosen.evaluation(),
                seconds);
    }

    @Override
    public void close() {
        if (reference != null) {
            reference.close();
        }
        rollouts.close();
        super.close();
    }

    /** The state that each checkpoint saves; values are null before the first step or evaluation. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    private static final class Progress {
        /** Tokens sampled and trained on, with prompts. */
        private long tokens;

        /** Entropy of the first step, in nats per token. */
        private @Nullable Double firstEntropy;

        private @Nullable Double firstReward;
        private @Nullable Double lastReward;
        private @Nullable PolicyEvaluation before;
        private @Nullable Best best;
        private @Nullable PolicyEvaluation last;
        private List<String> alarms = List.of();

        /** The best policy on the held-out prompts; step 0 is the start. */
        private record Best(long step, PolicyEvaluation evaluation) {}

        void add(long moreTokens, double reward, double entropy) {
            tokens += moreTokens;
            firstEntropy = firstEntropy == null ? entropy : firstEntropy;
            firstReward = firstReward == null ? reward : firstReward;
            lastReward = reward;
        }

        /** Adds an evaluation after a step; returns whether it has the highest reward so far. */
        boolean evaluated(long step, PolicyEvaluation found) {
            boolean better = best == null || found.reward() > best.evaluation().reward();
            before = before == null ? found : before;
            best = better ? new Best(step, found) : best;
            last = found;
            return better;
        }
    }

    /**
     * The result of a GRPO run.
     *
     * @param model the Hugging Face directory written: the policy chosen by {@link GrpoConfig#selection}; the last without held-out prompts
     * @param steps number of optimizer steps
     * @param prompts number of training prompts
     * @param devPrompts number of held-out prompts
     * @param dropped number of excluded over-long prompts
     * @param outOfPool prompts excluded because the perceived scenarios lack functions of their answers
     * @param tokens sampled and trained on, with prompts
     * @param firstReward mean reward of the first step's rollouts
     * @param reward mean reward of the last step's rollouts
     * @param bestStep step of the result; null without held-out prompts
     * @param devBefore evaluation of the start on the held-out prompts, or null
     * @param dev evaluation of the result on the held-out prompts, or null
     * @param seconds of this process's part
     */
    public record GrpoResult(
            String model,
            long steps,
            int prompts,
            int devPrompts,
            int dropped,
            int outOfPool,
            long tokens,
            double firstReward,
            double reward,
            @Nullable Long bestStep,
            @Nullable PolicyEvaluation devBefore,
            @Nullable PolicyEvaluation dev,
            double seconds) {}

    /** Responses of a policy to prompts, with the rewards they earn. */
    public interface PolicyRollouts extends AutoCloseable {
        /**
         * Samples a group for each prompt.
         *
         * @param seed the same seed, prompts and weights give the same groups
         * @return one group per prompt, in order
         */
        List<RolloutGroup> sample(CausalLm policy, List<PromptExample> prompts, long seed);

        /**
         * Answers each prompt greedily.
         *
         * @param prompts at least one
         */
        PolicyEvaluation evaluate(CausalLm policy, List<PromptExample> prompts);

        /** Returns whether groups come from a file, with only the log-probabilities of the policy that sampled them. */
        default boolean stored() {
            return false;
        }

        GrpoSampling sampling();

        @Override
        default void close() {}
    }

    /** Warnings about silent failures of GRPO runs; each is logged once when it begins, and stays in the metrics while it lasts. */
    static final class GrpoAlarms {
        private static final Logger LOG = LoggerFactory.getLogger(GrpoAlarms.class);
        static final String ZERO_VARIANCE = "zero-variance-groups";
        static final String ENTROPY = "entropy-collapse";
        static final String TRUNCATION = "truncation";
        static final String MISMATCH = "log-probability-mismatch";

        private static final double ZERO_VARIANCE_SHARE = 0.9;
        private static final double ENTROPY_LEFT = 0.1;
        private static final double CLIPPED_SHARE = 0.5;
        private static final double MEAN_GAP = 0.05;

        private GrpoAlarms() {}

        /** Returns the alarms after a step. {@code firstEntropy} is null in the first step; {@code before} holds the previous step's alarms. */
        static List<String> after(
                long step, Map<String, Double> metrics, @Nullable Double firstEntropy, List<String> before) {
            double flat = value(metrics, "frac_reward_zero_std");
            double entropy = value(metrics, "entropy");
            double clipped = value(metrics, "completions/clipped_ratio");
            double gap = value(metrics, PolicyGradient.SamplerMismatch.MEAN);
            Map<String, String> ringing = new LinkedHashMap<>();
            if (flat >= ZERO_VARIANCE_SHARE) {
                ringing.put(ZERO_VARIANCE, flat + " of the groups have equal rewards and no gradient");
            }
            if (firstEntropy != null && entropy < ENTROPY_LEFT * firstEntropy) {
                ringing.put(ENTROPY, "entropy fell from " + firstEntropy + " to " + entropy + " nats a token");
            }
            if (clipped >= CLIPPED_SHARE) {
                ringing.put(TRUNCATION, clipped + " of the responses ran out of rollouts.max-new-tokens");
            }
            if (gap > MEAN_GAP) {
                ringing.put(MISMATCH, "sampled and trained log-probabilities differ by " + gap + " nats");
            }
            ringing.forEach((name, why) -> {
                if (!before.contains(name)) {
                    LOG.warn("step {}: {}: {}", step, name, why);
                }
            });
            return List.copyOf(ringing.keySet());
        }

        static double value(Map<String, Double> metrics, String name) {
            return Objects.requireNonNull(metrics.get(name), name);
        }
    }
}

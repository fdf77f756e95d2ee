package dev.prpf.par.training.grpo;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.grpo.GrpoMetrics;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.rollout.RolloutGroup;
import dev.prpf.par.rollout.RolloutMetrics;
import dev.prpf.par.sets.PromptExample;
import dev.prpf.par.sets.PromptSplit;
import dev.prpf.par.training.ComputeSettings;
import dev.prpf.par.training.FusedAdamW;
import dev.prpf.par.training.LearningRate;
import dev.prpf.par.training.PolicyEvaluation;
import dev.prpf.par.training.TrainableDecoder;
import dev.prpf.par.training.TrainingFiles;
import dev.prpf.par.training.TrainingLoop;
import java.io.IOException;
import java.nio.file.Path;
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
 * Group relative policy optimisation of a decoder (PRPF §3.5, Appendix A.4, eq. 14): each step samples groups from the policy as it is,
 * or takes them from a set, and makes {@link GrpoConfig#updatesPerRollout} optimizer updates on them. The reference of the KL penalty is the model the run starts from. A run that was cut
 * off anywhere goes on from its newest checkpoint to the numbers of an undisturbed one.
 */
public final class GrpoTraining implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GrpoTraining.class);
    private static final String BEST = "best";
    private static final long STEP_SEED = 0x9E3779B97F4A7C15L;

    private final GrpoConfig config;
    private final TrainingFiles files;
    private final CheckpointStore bestModel;
    private final PromptSplit prompts;
    private final PolicyRollouts rollouts;
    private final RunDirectory run;
    private final long totalSteps;
    private final LearningRate learningRate;
    private final TrainingLoop loop;
    private final Precision precision;
    private final TrainableDecoder policy;
    private final @Nullable ReferencePolicy reference;
    private final PolicyGradient gradient;
    private final GrpoStep step;
    private final FusedAdamW optimizer;
    private GrpoProgress progress;

    /**
     * Begins, or goes on from the run's newest checkpoint.
     *
     * @param files the model to start from and where the trained one goes
     * @param run gets metrics, samples and checkpoints
     */
    public GrpoTraining(
            GrpoConfig config, TrainingFiles files, PromptSplit prompts, PolicyRollouts rollouts, RunDirectory run) {
        this.config = config;
        this.files = files;
        this.prompts = prompts;
        this.rollouts = rollouts;
        this.run = run;
        bestModel = new CheckpointStore(run.path().resolve(BEST), 1);
        long steps = (long) config.epochs() * prompts.steps(config.promptsPerStep());
        totalSteps = config.maxSteps() == null ? steps : Math.min(steps, config.maxSteps());
        learningRate = LearningRate.of(
                config.lrSchedulerType(),
                config.learningRate(),
                config.warmupRatio(),
                totalSteps * config.updatesPerRollout());
        loop = new TrainingLoop(run, totalSteps, config.checkpointSteps());
        precision = config.precision().resolve();
        CheckpointStore.Checkpoint checkpoint = run.checkpoints().latest();
        Path from = checkpoint == null ? null : checkpoint.directory();
        policy = files.open(from, config.lora(), config.seed());
        GrpoSettings objective = config.objective();
        reference = objective.klCoefficient() > 0 ? reference() : null;
        gradient = new PolicyGradient(
                policy,
                reference,
                objective,
                new ComputeSettings(precision, false, config.gradientCheckpointing()),
                rollouts.sampling().temperature(),
                rollouts.stored() ? null : config.importanceSamplingClipMax());
        step = new GrpoStep(
                objective, config.microBatchSize(), rollouts.sampling().maxNew());
        progress = from == null ? GrpoProgress.start() : TrainingFiles.progress(from, GrpoProgress.class);
        optimizer = TrainingFiles.optimizer(from, policy, config.adamw(), progress.step() * config.updatesPerRollout());
        run.rewind(from == null ? -1 : progress.step());
    }

    /** What the run starts from; under adapters that are the frozen weights themselves. */
    private ReferencePolicy reference() {
        if (policy.adapters() != null) {
            return new ReferencePolicy(policy.weights(), precision);
        }
        try (DecoderWeights start = HuggingFaceDirectory.open(files.start()).weights(Precision.FP32)) {
            return new ReferencePolicy(start, precision);
        }
    }

    /** Optimizer steps of the whole run. */
    public long totalSteps() {
        return totalSteps;
    }

    /** Trains to the end; {@code listener} hears of every optimizer step, after its checkpoint. */
    public GrpoResult run(StopSignal stop, LongConsumer listener) {
        long start = System.nanoTime();
        if (progress.step() == 0) {
            evaluate(0);
        }
        loop.run("grpo", progress.step(), new Task(listener), stop);
        return finish((System.nanoTime() - start) / 1e9);
    }

    private final class Task implements TrainingLoop.Task {
        private final LongConsumer listener;

        Task(LongConsumer listener) {
            this.listener = listener;
        }

        @Override
        public String step(long number) {
            String note = train(number);
            if (number % config.evaluationSteps() == 0 || number == totalSteps) {
                evaluate(number);
            }
            return note;
        }

        @Override
        public void save(Path directory) throws IOException {
            long done = progress.step();
            loop.refuseNonFinite(done, "norm of the weights", optimizer.weightNorm(), learningRate.at(done));
            files.checkpoint(directory, policy, optimizer, progress);
        }

        @Override
        public void done(long number) {
            listener.accept(number);
        }
    }

    private String train(long number) {
        long start = System.nanoTime();
        List<RolloutGroup> groups = groups(number);
        long sampled = System.nanoTime();
        List<PolicyGradient.ScoredResponse> responses = step.responses(groups, rollouts.stored());
        int updates = config.updatesPerRollout();
        GrpoStep.@Nullable Sum sum = null;
        @Nullable GrpoMetrics objective = null;
        double norms = 0;
        double rate = 0;
        for (int update = 1; update <= updates; update++) {
            rate = learningRate.at((number - 1) * updates + update);
            GrpoStep.Sum part = step.backward(gradient, sum == null ? responses : sum.responses());
            loop.refuseNonFinite(number, "loss", part.metrics().loss(), rate);
            double norm = optimizer.step(rate, config.maxGradNorm());
            loop.refuseNonFinite(number, "gradient norm", norm, rate);
            norms += norm;
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
        return asked(
                number - 1, decoder -> rollouts.sample(decoder, prompts(number), config.seed() + number * STEP_SEED));
    }

    /** What the policy says; one that says nothing after some steps was ruined by them. */
    private <T> T asked(long steps, Function<Decoder, T> question) {
        try (Decoder decoder = policy.decoder(precision)) {
            return question.apply(decoder);
        } catch (PrpfException e) {
            if (steps > 0 && e.getCause() instanceof ArithmeticException) {
                throw loop.diverged(steps, "the policy's logits are no numbers any more", learningRate.at(steps));
            }
            throw e;
        }
    }

    private List<PromptExample> prompts(long number) {
        int steps = prompts.steps(config.promptsPerStep());
        return prompts.epoch((int) ((number - 1) / steps), config.promptsPerStep(), config.seed())
                .get((int) ((number - 1) % steps));
    }

    /** Those of the objective are means over the updates, as TRL's are over a logging interval. */
    private Map<String, Double> metrics(
            long number, List<RolloutGroup> groups, GrpoStep.Sum first, GrpoMetrics objective) {
        Map<String, Double> metrics = new LinkedHashMap<>(objective.byName());
        metrics.put("loss", objective.loss() / config.updatesPerRollout());
        metrics.putAll(RolloutMetrics.byName(groups));
        metrics.putAll(first.mismatch().byName());
        List<String> ringing = GrpoAlarms.after(number, metrics, progress.firstEntropy(), progress.alarms());
        progress = progress.after(first.tokens(), value(metrics, "reward"), value(metrics, "entropy"), ringing);
        metrics.put("num_tokens", (double) progress.tokens());
        metrics.put("epoch", (double) number / prompts.steps(config.promptsPerStep()));
        return metrics;
    }

    private static double value(Map<String, Double> metrics, String name) {
        return Objects.requireNonNull(metrics.get(name), name);
    }

    private void log(
            long number,
            Map<String, Double> metrics,
            List<RolloutGroup> groups,
            List<PolicyGradient.ScoredResponse> responses) {
        Map<String, Object> line = new LinkedHashMap<>(metrics);
        line.put("alarms", progress.alarms());
        run.metric(number, line);
        if (number == 1 || number % config.loggingSteps() == 0) {
            int of = 0;
            for (RolloutGroup group : groups) {
                PolicyGradient.ScoredResponse first = responses.get(of);
                Map<String, Object> sample = new LinkedHashMap<>();
                sample.put("id", group.id());
                sample.put("text", first.rollout().text());
                sample.put("reward", first.rollout().reward().total());
                sample.put("terms", first.rollout().reward().terms());
                sample.put("advantage", first.advantage());
                sample.put("finish", first.rollout().finish());
                run.sample(number, sample);
                of += group.rollouts().size();
            }
        }
    }

    private void evaluate(long number) {
        if (prompts.dev().isEmpty()) {
            return;
        }
        PolicyEvaluation found = asked(number, decoder -> rollouts.evaluate(decoder, prompts.dev()));
        run.metric(number, found.metrics());
        progress = progress.evaluated(found);
        boolean best = Objects.requireNonNull(progress.best()).step() == number;
        if (best && number < totalSteps && config.selection() == GrpoConfig.Selection.DEV_REWARD) {
            files.keep(bestModel, number, policy);
        }
    }

    private GrpoResult finish(double seconds) {
        GrpoProgress.Best best = progress.best();
        boolean last = config.selection() == GrpoConfig.Selection.LAST;
        GrpoProgress.@Nullable Best earlier = best != null && !last && best.step() < totalSteps ? best : null;
        long kept = earlier == null ? totalSteps : earlier.step();
        files.finish(policy, bestModel, kept, totalSteps, config.selection());
        if (kept == 0) {
            LOG.warn(
                    "no policy of the training beats its start on the held-out prompts: the result is the model it began with");
        }
        return new GrpoResult(
                files.result(),
                progress.step(),
                prompts.train().size(),
                progress.tokens(),
                Objects.requireNonNull(progress.firstReward()),
                Objects.requireNonNull(progress.lastReward()),
                best == null ? null : (Long) kept,
                progress.before(),
                earlier == null ? progress.last() : earlier.evaluation(),
                seconds);
    }

    @Override
    public void close() {
        if (reference != null) {
            reference.close();
        }
        policy.close();
    }

    /**
     * What a GRPO run came to.
     *
     * @param model the Hugging Face directory written: the policy that {@link GrpoConfig#selection} keeps, without held-out prompts the last
     * @param steps optimizer steps in all
     * @param prompts trained on
     * @param tokens sampled and learned from, prompts among them
     * @param firstReward mean of the first step's rollouts
     * @param reward mean of the last step's rollouts
     * @param bestStep after which the model was taken; null without held-out prompts
     * @param devBefore the start on the held-out prompts, null without any
     * @param dev the kept model on them, null without any
     * @param seconds of this process's part
     */
    public record GrpoResult(
            Path model,
            long steps,
            int prompts,
            long tokens,
            double firstReward,
            double reward,
            @Nullable Long bestStep,
            @Nullable PolicyEvaluation devBefore,
            @Nullable PolicyEvaluation dev,
            double seconds) {}
}

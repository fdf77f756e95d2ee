package dev.prpf.par.training;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.grpo.GrpoLoss;
import dev.prpf.par.grpo.GrpoMetrics;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.DecoderPass.ResponseBatch;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import dev.prpf.par.training.TrainingVision.BatchImages;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Computes the GRPO loss of responses and its gradient (PRPF eq. 14). The old policy of a response is the one that sampled it, as computed by this
 * engine: {@link ScoredResponse#old}, or the policy itself while it is unchanged (every ratio is then 1). The sampling engine's log-probabilities
 * correct the loss by a truncated importance sampling weight.
 */
final class PolicyGradient {
    private final TrainableDecoder policy;
    private final @Nullable ReferencePolicy reference;
    private final double temperature;
    private final @Nullable Double importanceSamplingClipMax;
    private final GrpoLoss loss;
    private final DecoderPass pass;

    /**
     * A part of a step.
     *
     * @param metrics of its responses
     * @param mismatch between the sampling engine and this one
     * @param old log-probabilities of the ratios, one array per response
     */
    public record Part(GrpoMetrics metrics, SamplerMismatch mismatch, List<float[]> old) {}

    /**
     * @param reference null if the objective has no KL penalty
     * @param temperature of sampling
     * @param importanceSamplingClipMax of the weights against the sampler's mismatch; or null
     */
    public PolicyGradient(
            TrainableDecoder policy,
            @Nullable ReferencePolicy reference,
            GrpoSettings settings,
            ComputeSettings compute,
            double temperature,
            @Nullable Double importanceSamplingClipMax) {
        this.policy = policy;
        this.reference = reference;
        this.temperature = temperature;
        this.importanceSamplingClipMax = importanceSamplingClipMax;
        loss = new GrpoLoss(settings);
        pass = DecoderPass.of(policy, compute);
    }

    /**
     * Adds the gradient of these responses' part of the loss.
     *
     * @param divisor of the whole optimizer step
     */
    public Part backward(List<ScoredResponse> responses, double divisor) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            List<SftExample> examples =
                    responses.stream().map(ScoredResponse::tokens).toList();
            BatchImages images = policy.images(scratch, examples, true);
            ResponseBatch batch = ResponseBatch.of(scratch, examples, images);
            PtNDArray referred = referenceLogProbabilities(scratch, batch, responses);
            try (DecoderPass.Forward forward = pass.forward(scratch, batch.tokens(), true)) {
                DecoderPass.Scores scores = forward.scores(batch, temperature);
                PtNDArray now = scores.logProbabilities();
                List<float[]> old = old(responses, HostValues.floats(now), batch.width());
                now.setRequiresGradient(true);
                JniUtils.setGradMode(true);
                GrpoLoss.Part part =
                        loss.of(scratch, grpoBatch(scratch, batch, scores, referred, responses, old), divisor);
                if (Double.isFinite(part.metrics().loss())) {
                    TrainableDecoder.backward(scratch, part.loss());
                    try (PtNDArray gradient = now.getGradient()) {
                        forward.backward(batch, scores, gradient, temperature);
                    }
                    forward.backward();
                }
                return new Part(part.metrics(), mismatch(responses, old), old);
            }
        } finally {
            JniUtils.setGradMode(false);
        }
    }

    private SamplerMismatch mismatch(List<ScoredResponse> responses, List<float[]> old) {
        SamplerMismatch mismatch = SamplerMismatch.none();
        for (int b = 0; b < old.size(); b++) {
            mismatch.add(responses.get(b).rollout().logprobs(), old.get(b), importanceSamplingClipMax);
        }
        return mismatch;
    }

    private static List<float[]> old(List<ScoredResponse> responses, float[] now, int width) {
        List<float[]> old = new ArrayList<>();
        for (int b = 0; b < responses.size(); b++) {
            float[] known = responses.get(b).old();
            int length = responses.get(b).rollout().ids().length;
            old.add(known != null ? known : Arrays.copyOfRange(now, b * width, b * width + length));
        }
        return old;
    }

    private GrpoLoss.GrpoBatch grpoBatch(
            PtNDManager scratch,
            ResponseBatch batch,
            DecoderPass.Scores scores,
            @Nullable PtNDArray referred,
            List<ScoredResponse> responses,
            List<float[]> old) {
        float[] advantages = new float[responses.size()];
        float[] ratioTo = new float[advantages.length * batch.width()];
        float[] weights = new float[ratioTo.length];
        for (int b = 0; b < advantages.length; b++) {
            advantages[b] = (float) responses.get(b).advantage();
            float[] sampled = responses.get(b).rollout().logprobs();
            for (int t = 0; t < sampled.length; t++) {
                ratioTo[b * batch.width() + t] = old.get(b)[t];
                weights[b * batch.width() + t] =
                        (float) SamplerMismatch.weight(sampled[t], old.get(b)[t], importanceSamplingClipMax);
            }
        }
        Shape shape = new Shape(advantages.length, batch.width());
        return new GrpoLoss.GrpoBatch(
                scores.logProbabilities(),
                (PtNDArray) scratch.create(ratioTo, shape),
                referred,
                batch.mask(),
                importanceSamplingClipMax == null ? null : (PtNDArray) scratch.create(weights, shape),
                (PtNDArray) scratch.create(advantages, new Shape(advantages.length)),
                scores.entropies());
    }

    /** Returns the reference's log-probabilities, or null; uses the images' features before the training. */
    private @Nullable PtNDArray referenceLogProbabilities(
            PtNDManager scratch, ResponseBatch batch, List<ScoredResponse> responses) {
        if (reference == null) {
            return null;
        }
        TrainingVision vision = policy.vision();
        if (vision == null || batch.tokens().images().tower() == null) {
            return reference.logProbabilities(scratch, batch, temperature);
        }
        List<VisionImage> shown = responses.stream()
                .flatMap(response -> response.tokens().images().stream())
                .toList();
        return reference.logProbabilities(scratch, batch.with(vision.seeAtStart(scratch, shown)), temperature);
    }

    /**
     * The difference between the log-probabilities of the sampling and the training engine (which round differently), by TRL's names.
     *
     * @param differences absolute, per token, in nats
     * @param weights the tokens' truncated importance sampling weights
     */
    public record SamplerMismatch(DoubleSummaryStatistics differences, DoubleSummaryStatistics weights) {
        static final String MEAN = "sampling/sampling_logp_difference/mean";

        static SamplerMismatch none() {
            return new SamplerMismatch(new DoubleSummaryStatistics(), new DoubleSummaryStatistics());
        }

        SamplerMismatch plus(SamplerMismatch other) {
            SamplerMismatch both = none();
            List.of(this, other).forEach(part -> {
                both.differences.combine(part.differences);
                both.weights.combine(part.weights);
            });
            return both;
        }

        /**
         * Adds one response's tokens.
         *
         * @param sampled log-probabilities of its tokens by the sampling engine
         * @param old by the training engine
         * @param cap of the weights; null for weights of 1
         */
        void add(float[] sampled, float[] old, @Nullable Double cap) {
            for (int t = 0; t < sampled.length; t++) {
                differences.accept(Math.abs(sampled[t] - old[t]));
                weights.accept(weight(sampled[t], old[t], cap));
            }
        }

        /** Returns min(exp(old - sampled), cap); 1 without a cap. */
        static double weight(float sampled, float old, @Nullable Double cap) {
            return cap == null ? 1 : Math.min(Math.exp((double) old - sampled), cap);
        }

        /** Returns the metrics by name, in the same order in every process; 0 without tokens. */
        Map<String, Double> byName() {
            boolean none = weights.getCount() == 0;
            Map<String, Double> metrics = new LinkedHashMap<>();
            metrics.put(MEAN, differences.getAverage());
            metrics.put("sampling/sampling_logp_difference/max", none ? 0 : differences.getMax());
            metrics.put("sampling/importance_sampling_ratio/min", none ? 0 : weights.getMin());
            metrics.put("sampling/importance_sampling_ratio/mean", weights.getAverage());
            metrics.put("sampling/importance_sampling_ratio/max", none ? 0 : weights.getMax());
            return metrics;
        }
    }

    /**
     * A response to train on.
     *
     * @param tokens prompt and response
     * @param rollout the sampled response
     * @param advantage over the others of its group
     * @param old log-probabilities of its tokens under the sampling policy, computed by the training engine; null while the policy is unchanged
     */
    public record ScoredResponse(SftExample tokens, Rollout rollout, double advantage, float @Nullable [] old) {
        ScoredResponse withOld(float[] logprobs) {
            return new ScoredResponse(tokens, rollout, advantage, logprobs);
        }
    }

    /**
     * The frozen model that the KL penalty compares the policy with. It uses the kernel of training, so that it gives exactly the policy's numbers
     * before the first step.
     */
    public static final class ReferencePolicy implements AutoCloseable {
        private final CausalLm decoder;
        private final boolean shared;
        private final DecoderPass pass;

        private ReferencePolicy(CausalLm decoder, boolean shared) {
            this.decoder = decoder;
            this.shared = shared;
            pass = DecoderPass.of(decoder);
        }

        /** Makes a reference of the frozen weights under a policy's adapters; the caller closes the weights. */
        public static ReferencePolicy sharing(CausalLm base) {
            return new ReferencePolicy(base, true);
        }

        /** Makes a reference with its own copy of the weights and the kernel of training; closed with the reference. */
        public static ReferencePolicy owning(CausalLm decoder) {
            return new ReferencePolicy(decoder, false);
        }

        /** Returns the log-probabilities of the responses' tokens, (B, T). */
        PtNDArray logProbabilities(PtNDManager scratch, ResponseBatch batch, double temperature) {
            try (DecoderPass.Forward forward = pass.forward(scratch, batch.tokens(), false)) {
                return forward.scores(batch, temperature).logProbabilities();
            }
        }

        @Override
        public void close() {
            pass.close();
            if (!shared) {
                decoder.close();
            }
        }
    }
}

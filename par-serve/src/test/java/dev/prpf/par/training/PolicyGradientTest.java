package dev.prpf.par.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.pytorch.engine.PtNDArray;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.ModelInit;
import dev.prpf.par.engine.Outputs;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TinyModels;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.grpo.GrpoPreset;
import dev.prpf.par.grpo.GrpoSettings;
import dev.prpf.par.reward.Terms;
import dev.prpf.par.rollout.Rollout;
import dev.prpf.par.sets.SftExample;
import dev.prpf.par.training.PolicyGradient.ReferencePolicy;
import dev.prpf.par.training.TrainingConfig.ComputeSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class PolicyGradientTest {
    private static final DecoderConfig LLAMA = TinyModels.config(40, 64, true);

    public static List<PolicyGradient.ScoredResponse> responses(List<SftExample> examples, double advantage) {
        List<PolicyGradient.ScoredResponse> responses = new ArrayList<>();
        for (int i = 0; i < examples.size(); i++) {
            SftExample example = examples.get(i);
            Map<String, Double> terms = Terms.of(0, 0, 0, 0, 0, 0, 0, 0);
            Rollout rollout = new Rollout(
                    example.response(),
                    new float[example.response().length],
                    FinishReason.END_TOKEN,
                    "",
                    new Rollout.Reward(0, terms, null, 0, 0, 0));
            responses.add(
                    new PolicyGradient.ScoredResponse(example, rollout, advantage == 0 ? i - 3.5 : advantage, null));
        }
        return responses;
    }

    private static Map<String, float[]> gradients(TrainableDecoder policy) {
        Map<String, float[]> gradients = new LinkedHashMap<>();
        policy.parameters().forEach((name, array) -> {
            try (PtNDArray gradient = array.getGradient()) {
                gradients.put(name, gradient.toFloatArray());
            }
        });
        return gradients;
    }

    private static void assertClose(Map<String, float[]> found, Map<String, float[]> expected, float tolerance) {
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        found.forEach((name, values) -> {
            float[] others = Objects.requireNonNull(expected.get(name));
            for (int i = 0; i < values.length; i++) {
                assertThat(values[i]).as(name).isCloseTo(others[i], within(tolerance));
            }
        });
    }

    /** On policy the ratio is 1, so with advantage 1 the token mean has the gradient of the cross entropy. */
    @ParameterizedTest
    @ValueSource(strings = {"llama", "qwen3_5"})
    void withAdvantageOneItIsTheGradientOfTheCrossEntropy(String family) {
        DecoderConfig config = family.equals("llama") ? LLAMA : TinyModels.qwen35(40, 64);
        List<SftExample> examples = SftLossTest.examples(8, 1);
        long tokens = SftBatch.supervisedTokens(examples);
        GrpoSettings objective = GrpoPreset.TRL_DAPO.settings();
        Map<String, float[]> expected;
        try (TrainableDecoder policy = TrainableDecoder.full(ModelInit.random(config, 3))) {
            new SftLoss(policy, new ComputeSettings(Precision.FP32, false, false)).backward(examples, tokens);
            expected = gradients(policy);
        }
        try (TrainableDecoder policy = TrainableDecoder.full(ModelInit.random(config, 3))) {
            PolicyGradient gradient = new PolicyGradient(
                    policy, null, objective, new ComputeSettings(Precision.FP32, false, false), 1, null);
            PolicyGradient.Part part = gradient.backward(responses(examples, 1), (double) tokens);

            assertThat(part.metrics().loss()).isCloseTo(-1, within(1e-6));
            assertClose(gradients(policy), expected, 1e-6f);
        }
    }

    @Test
    void microBatchesGiveTheGradientOfTheWhole() {
        List<PolicyGradient.ScoredResponse> responses = responses(SftLossTest.examples(8, 1), 0);
        GrpoSettings objective = GrpoPreset.PRPF.settings();
        List<Map<String, float[]>> gradients = new ArrayList<>();
        List<Double> losses = new ArrayList<>();
        for (int size : new int[] {8, 3, 1}) {
            try (TrainableDecoder policy = TrainableDecoder.full(ModelInit.random(LLAMA, 3));
                    TrainableDecoder other = TrainableDecoder.full(ModelInit.random(LLAMA, 4));
                    ReferencePolicy reference = ReferencePolicy.owning(TestDecoders.frozen(other.weights()))) {
                PolicyGradient gradient = new PolicyGradient(
                        policy, reference, objective, new ComputeSettings(Precision.FP32, false, false), 0.8, null);
                GrpoStep.Sum sum = new GrpoStep(objective, size, 8).backward(gradient, responses);
                losses.add(sum.metrics().loss());
                gradients.add(gradients(policy));
                assertThat(sum.metrics().k3()).isGreaterThan(0);
            }
        }
        assertThat(losses.get(1)).isCloseTo(losses.get(0), within(1e-6));
        assertThat(losses.get(2)).isCloseTo(losses.get(0), within(1e-6));
        assertClose(gradients.get(1), gradients.get(0), 1e-6f);
        assertClose(gradients.get(2), gradients.get(0), 1e-6f);
    }

    @Test
    void logProbabilitiesAndEntropiesAreOfLogitsOverTheTemperature() {
        double temperature = 0.7;
        long[] prompt = {4, 8, 15};
        long[] response = {16, 23};
        try (TrainableDecoder policy = TrainableDecoder.full(ModelInit.random(LLAMA, 3));
                CausalLm decoder = policy.decoder(Precision.FP32)) {
            float[][] logits = Outputs.logits(decoder, new long[] {4, 8, 15, 16, 23});
            List<PolicyGradient.ScoredResponse> one = responses(List.of(new SftExample(prompt, response)), 1);
            PolicyGradient gradient = new PolicyGradient(
                    policy,
                    null,
                    GrpoPreset.TRL_DAPO.settings(),
                    new ComputeSettings(Precision.FP32, false, false),
                    temperature,
                    null);

            PolicyGradient.Part part = gradient.backward(one, 2);

            double most = 0;
            double sum = 0;
            double entropy = 0;
            for (int t = 0; t < 2; t++) {
                double[] p = softmax(logits[2 + t], temperature);
                double logProbability = -Math.log(p[(int) response[t]]);
                most = Math.max(most, logProbability);
                sum += logProbability;
                for (double share : p) {
                    entropy -= share * Math.log(share);
                }
            }
            // the rollouts of this test say 0 of every token, so the gap is the log-probability itself
            assertThat(part.mismatch().differences().getSum()).isCloseTo(sum, within(1e-5));
            assertThat(part.mismatch().differences().getMax()).isCloseTo(most, within(1e-5));
            assertThat(part.metrics().entropy()).isCloseTo(entropy, within(1e-5));
        }
    }

    private static double[] softmax(float[] logits, double temperature) {
        double total = 0;
        double[] p = new double[logits.length];
        for (int i = 0; i < p.length; i++) {
            p[i] = Math.exp(logits[i] / temperature);
            total += p[i];
        }
        for (int i = 0; i < p.length; i++) {
            p[i] /= total;
        }
        return p;
    }

    /** The old policy is another than the one that learns: ratios are exp(now - old), and where they leave the clip the gradient is zero. */
    @Test
    void ratiosAreTakenToTheOldPolicyAndTheClipActs() {
        List<SftExample> examples = SftLossTest.examples(4, 3);
        GrpoSettings objective = GrpoPreset.TRL_DAPO.settings();
        try (TrainableDecoder policy = TrainableDecoder.full(ModelInit.random(LLAMA, 3))) {
            PolicyGradient gradient = new PolicyGradient(
                    policy, null, objective, new ComputeSettings(Precision.FP32, false, false), 1, null);
            List<PolicyGradient.ScoredResponse> fresh = responses(examples, 1);
            PolicyGradient.Part first = gradient.backward(fresh, 10);
            assertThat(first.metrics().byName())
                    .containsEntry("ratio_mean", 1.0)
                    .containsEntry("clip_ratio/high_mean", 0.0);
            Map<String, float[]> before = gradients(policy);

            List<PolicyGradient.ScoredResponse> moved = new ArrayList<>();
            for (int i = 0; i < fresh.size(); i++) {
                float[] old = first.old().get(i).clone();
                for (int t = 0; t < old.length; t++) {
                    old[t] -= 0.5f; // exp(0.5) is beyond 1 + 0.2
                }
                moved.add(fresh.get(i).withOld(old));
            }
            PolicyGradient.Part second = gradient.backward(moved, 10);
            assertThat(second.metrics().byName().get("ratio_mean")).isCloseTo(Math.exp(0.5), within(1e-3));
            assertThat(second.metrics().byName()).containsEntry("clip_ratio/high_mean", 1.0);
            assertClose(gradients(policy), before, 1e-9f);
        }
    }

    /** A token that the sampler found likelier or less likely counts by exp(old - sampled), at most the maximum. */
    @Test
    void theSamplersMismatchWeighsTokensUpToAMaximum() {
        List<SftExample> examples = SftLossTest.examples(3, 3);
        GrpoSettings objective = GrpoPreset.TRL_DAPO.settings();
        try (TrainableDecoder policy = TrainableDecoder.full(ModelInit.random(LLAMA, 3))) {
            ComputeSettings compute = new ComputeSettings(Precision.FP32, false, false);
            List<PolicyGradient.ScoredResponse> responses = responses(examples, 1);
            PolicyGradient.Part plain =
                    new PolicyGradient(policy, null, objective, compute, 1, null).backward(responses, 10);
            List<PolicyGradient.ScoredResponse> mismatched = new ArrayList<>();
            for (int i = 0; i < responses.size(); i++) {
                float[] sampled = plain.old().get(i).clone();
                for (int t = 0; t < sampled.length; t++) {
                    sampled[t] -= 0.1f;
                }
                Rollout was = responses.get(i).rollout();
                Rollout rollout = new Rollout(was.ids(), sampled, was.finish(), was.text(), was.reward());
                mismatched.add(
                        new PolicyGradient.ScoredResponse(responses.get(i).tokens(), rollout, 1, null));
            }
            PolicyGradient.Part weighted =
                    new PolicyGradient(policy, null, objective, compute, 1, 2.0).backward(mismatched, 10);
            assertThat(weighted.metrics().loss())
                    .isCloseTo(Math.exp(0.1) * plain.metrics().loss(), within(1e-5));
            assertThat(weighted.mismatch().byName().get("sampling/importance_sampling_ratio/mean"))
                    .isCloseTo(Math.exp(0.1), within(1e-5));
            PolicyGradient.Part truncated =
                    new PolicyGradient(policy, null, objective, compute, 1, 1.05).backward(mismatched, 10);
            assertThat(truncated.metrics().loss())
                    .isCloseTo(1.05 * plain.metrics().loss(), within(1e-5));
        }
    }
}

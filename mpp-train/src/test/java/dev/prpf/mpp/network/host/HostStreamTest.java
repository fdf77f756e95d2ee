package dev.prpf.mpp.network.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostStreamTest {
    private static final Offset<Double> ROUNDING = within(1e-5);

    private static NetworkShape shape(boolean slow, boolean fast, int recentSteps) {
        return MadeShape.small()
                .window(recentSteps, 10, 10)
                .transformer(32, 4, 2, 66)
                .channels(slow, fast)
                .shape();
    }

    /** Makes a network with positions, biases and queries changed from their initial values. */
    private static HostEngine trained(NetworkShape shape) {
        float[] values = ParameterStore.initial(shape, 3).values();
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < values.length; i++) {
            values[i] += (float) (0.2 * (random.nextDouble() - 0.5));
        }
        return new HostEngine(new ParameterStore(shape, FloatBuffer.wrap(values)));
    }

    private static SampleFeatures upTo(SampleFeatures sample, int steps) {
        return new SampleFeatures(
                sample.id(),
                sample.context(),
                Arrays.copyOf(sample.steps(), steps),
                Arrays.copyOf(sample.screenshot(), steps),
                null,
                null);
    }

    @ParameterizedTest
    @CsvSource({"true,true,4", "true,false,4", "false,true,4", "true,true,1", "true,true,10"})
    void everyAnswerIsTheBatchPaths(boolean slow, boolean fast, int recentSteps) {
        NetworkShape shape = shape(slow, fast, recentSteps);
        try (HostEngine network = trained(shape)) {
            ParameterStore parameters = network.parameters();
            for (SampleFeatures sample : MadeFeatures.of(8, 16, 5, 24, 7)) {
                HostStream session = new HostStream(parameters);
                for (int place = 0; place < 3; place++) {
                    session.context(place, sample.context()[place]);
                }
                for (int t = 0; t < sample.steps().length; t++) {
                    session.step(sample.steps()[t], sample.screenshot()[t]);
                    double[] answer = session.answer();
                    double[] batch = network.logits(FeatureBatch.of(List.of(upTo(sample, t + 1)), shape))[0];
                    assertThat(answer).containsExactly(batch, ROUNDING);
                }
                assertThat(session.steps()).isEqualTo(sample.steps().length);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"true,true,false", "true,false,true", "true,true,true"})
    void sentencesAndSharedStepsAreTheBatchPathsToo(boolean slow, boolean fast, boolean sharedSteps) {
        NetworkShape shape = MadeShape.small()
                .inputs(16, 3, sharedSteps)
                .transformer(32, 4, 2, 66)
                .channels(slow, fast)
                .shape();
        try (HostEngine network = trained(shape)) {
            ParameterStore parameters = network.parameters();
            for (SampleFeatures sample : MadeFeatures.withSentences(MadeFeatures.of(8, 16, 5, 12, 7), 1)) {
                HostStream session = new HostStream(parameters);
                for (int place = 0; place < 3; place++) {
                    session.context(place, sample.context()[place]);
                }
                for (int t = 0; t < sample.steps().length; t++) {
                    session.step(sample.steps()[t], sample.screenshot()[t]);
                }
                double[] batch = network.logits(FeatureBatch.of(List.of(sample), shape))[0];
                assertThat(session.answer()).containsExactly(batch, ROUNDING);
            }
        }
    }

    @Test
    void textWithZeroOrTooManyVectorsIsRejected() {
        NetworkShape plain = shape(true, true, 4);
        try (HostEngine network = new HostEngine(ParameterStore.initial(plain, 3))) {
            HostStream session = new HostStream(network.parameters());
            assertThatThrownBy(() -> session.context(0, new float[2][16]))
                    .hasMessage("a context text has 2 vectors, the network takes one");
            assertThatThrownBy(() -> session.context(0, new float[0][16]))
                    .hasMessage("a context text has 0 vectors, the network takes one");
        }
    }

    @Test
    void changedContextTextEqualsBatchPath() {
        NetworkShape shape = shape(true, true, 4);
        List<SampleFeatures> made = MadeFeatures.of(2, 16, 5, 6, 9);
        try (HostEngine network = trained(shape)) {
            HostStream session = new HostStream(network.parameters());
            SampleFeatures first = made.get(0);
            for (int place = 0; place < 3; place++) {
                session.context(place, first.context()[place]);
            }
            for (int t = 0; t < first.steps().length; t++) {
                session.step(first.steps()[t], first.screenshot()[t]);
            }
            double before = session.answer()[0];
            float[][][] context = first.context().clone();
            context[1] = made.get(1).context()[1];
            session.context(1, context[1]);
            SampleFeatures changed = new SampleFeatures("c", context, first.steps(), first.screenshot(), null, null);
            double after = network.logits(FeatureBatch.of(List.of(changed), shape))[0][0];
            assertThat(session.answer()[0]).isCloseTo(after, ROUNDING).isNotCloseTo(before, within(1e-4));
        }
    }

    @Test
    void screenshotsBeyondTheLimitAreDroppedLikeInABatch() {
        NetworkShape shape =
                MadeShape.small().window(2, 10, 3).transformer(32, 4, 2, 66).shape();
        SampleFeatures made = MadeFeatures.of(1, 16, 5, 1, 9).get(0);
        float[][] steps = new float[14][];
        boolean[] screenshot = new boolean[14];
        try (HostEngine network = trained(shape)) {
            HostStream session = new HostStream(network.parameters());
            for (int place = 0; place < 3; place++) {
                session.context(place, made.context()[place]);
            }
            for (int t = 0; t < steps.length; t++) {
                steps[t] = made.steps()[0].clone();
                steps[t][t] += 1;
                screenshot[t] = t % 3 != 0;
                session.step(steps[t], screenshot[t]);
                SampleFeatures upTo = new SampleFeatures(
                        "u", made.context(), Arrays.copyOf(steps, t + 1), Arrays.copyOf(screenshot, t + 1), null, null);
                assertThat(session.answer()[0])
                        .isCloseTo(network.logits(FeatureBatch.of(List.of(upTo), shape))[0][0], ROUNDING);
            }
        }
    }

    @Test
    void anAnswerNeedsContextAndStep() {
        NetworkShape shape = shape(true, true, 4);
        try (HostEngine network = new HostEngine(ParameterStore.initial(shape, 3))) {
            HostStream session = new HostStream(network.parameters());
            assertThatThrownBy(session::answer)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no step");
            session.step(new float[16], true);
            assertThatThrownBy(session::answer)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no context yet");
            assertThatThrownBy(() -> session.step(new float[15], true)).hasMessageContaining("15 numbers");
            float[] broken = new float[16];
            broken[3] = Float.NaN;
            assertThatThrownBy(() -> session.step(broken, true)).hasMessageContaining("NaN");
        }
    }
}

package dev.prpf.mpp.network.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations.Input;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class HostEngineInferenceTest {
    private static final NetworkShape SHAPE = MadeShape.small().shape();
    private static final Offset<Double> TINY = within(1e-6);

    @Test
    void maskedStepsChangeNoOutput() {
        List<SampleFeatures> samples = MadeFeatures.of(12, 16, 5, 10, 1);
        try (HostEngine network = new HostEngine(ParameterStore.initial(SHAPE, 1))) {
            double[][] plain = network.logits(FeatureBatch.of(samples, SHAPE, 12, 10));
            FeatureBatch padded = FeatureBatch.of(samples, SHAPE, 20, 17);
            fillPadding(padded, Input.FRAMES, Input.FRAME_MASK);
            fillPadding(padded, Input.RECENT, Input.RECENT_MASK);
            double[][] garbage = network.logits(padded);
            assertThat(garbage).hasDimensions(12, 6);
            for (int i = 0; i < 12; i++) {
                assertThat(garbage[i]).containsExactly(plain[i], TINY);
            }
        }
    }

    private static double[] triggers(HostEngine network, FeatureBatch batch) {
        return Stream.of(network.logits(batch)).mapToDouble(row -> row[0]).toArray();
    }

    private static void fillPadding(FeatureBatch batch, Input input, Input mask) {
        int width = SHAPE.stepWidth();
        for (int row = 0; row < batch.values(mask).length; row++) {
            if (batch.values(mask)[row] == 0) {
                Arrays.fill(batch.values(input), row * width, (row + 1) * width, 50);
            }
        }
    }

    @Test
    void batchEqualsItsSingleSamples() {
        List<SampleFeatures> samples = MadeFeatures.of(5, 16, 5, 10, 2);
        try (HostEngine network = new HostEngine(ParameterStore.initial(SHAPE, 1))) {
            double[] together = triggers(network, FeatureBatch.of(samples, SHAPE));
            for (int i = 0; i < samples.size(); i++) {
                double[] alone = triggers(network, FeatureBatch.of(samples.subList(i, i + 1), SHAPE));
                assertThat(alone[0]).isCloseTo(together[i], within(1e-5));
            }
        }
    }

    @Test
    void imagesAndTextsHaveSeparateProjections() {
        SampleFeatures made = MadeFeatures.of(1, 16, 5, 4, 3).get(0);
        boolean[] turned = made.screenshot().clone();
        for (int i = 0; i < turned.length; i++) {
            turned[i] = !turned[i];
        }
        SampleFeatures other =
                new SampleFeatures("o", made.context(), made.steps(), turned, made.intervention(), made.scenarios());
        try (HostEngine network = new HostEngine(ParameterStore.initial(SHAPE, 1))) {
            double[] logits = triggers(network, FeatureBatch.of(List.of(made, other), SHAPE));
            assertThat(logits[0]).isNotCloseTo(logits[1], within(1e-4));
        }
    }

    @Test
    void imagesAndTextsAreEqualWithASharedProjection() {
        NetworkShape shared = MadeShape.small().inputs(16, 0, true).shape();
        SampleFeatures made = MadeFeatures.of(1, 16, 5, 4, 3).get(0);
        SampleFeatures images = withScreenshots(made, true);
        SampleFeatures texts = withScreenshots(made, false);
        try (HostEngine network = new HostEngine(ParameterStore.initial(shared, 1))) {
            double[] logits = triggers(network, FeatureBatch.of(List.of(images, texts), shared));
            assertThat(logits[0]).isCloseTo(logits[1], TINY);
        }
    }

    private static SampleFeatures withScreenshots(SampleFeatures made, boolean all) {
        boolean[] screenshot = new boolean[made.steps().length];
        Arrays.fill(screenshot, all);
        return new SampleFeatures(
                made.id(), made.context(), made.steps(), screenshot, made.intervention(), made.scenarios());
    }

    @Test
    void sentencesCountWithinTheirTextUpToTheLimit() {
        NetworkShape shape = MadeShape.small().inputs(16, 3, false).shape();
        SampleFeatures made = MadeFeatures.of(1, 16, 5, 4, 3).get(0);
        float[] one = made.context()[0][0];
        float[] two = made.context()[1][0];
        float[] three = made.context()[2][0];
        SampleFeatures plain = withProfile(made, one, two);
        SampleFeatures turned = withProfile(made, two, one);
        SampleFeatures more = withProfile(made, one, two, three);
        SampleFeatures beyond = withProfile(made, one, two, three, one.clone(), two.clone());
        try (HostEngine network = new HostEngine(ParameterStore.initial(shape, 1))) {
            double[] logits = triggers(network, FeatureBatch.of(List.of(plain, turned, more, beyond), shape));
            assertThat(logits[1]).isCloseTo(logits[0], TINY);
            assertThat(logits[2]).isNotCloseTo(logits[0], within(1e-4));
            assertThat(logits[3]).isCloseTo(logits[2], TINY);
            double alone = triggers(network, FeatureBatch.of(List.of(plain), shape))[0];
            assertThat(alone).isCloseTo(logits[0], within(1e-5));
        }
    }

    private static SampleFeatures withProfile(SampleFeatures made, float[]... profile) {
        float[][][] context = {profile, made.context()[1], made.context()[2]};
        return new SampleFeatures("p", context, made.steps(), made.screenshot(), made.intervention(), made.scenarios());
    }

    @Test
    void severalVectorsPerTextAreRejectedByASingleVectorNetwork() {
        SampleFeatures made = MadeFeatures.of(1, 16, 5, 4, 3).get(0);
        float[] one = made.context()[0][0];
        assertThatThrownBy(() -> FeatureBatch.of(List.of(withProfile(made, one, one)), SHAPE))
                .hasMessage("sample p has 2 vectors of a context text, the network takes one");
    }

    @Test
    void longestSuffixWithinBothLimitsIsUsed() {
        boolean[] screens = {true, true, false, true, false, false, true, true};
        assertThat(limited(100, 100).window().seen(screens)).isEqualTo(8);
        assertThat(limited(NetworkShape.UNLIMITED, NetworkShape.UNLIMITED)
                        .window()
                        .seen(screens))
                .isEqualTo(8);
        assertThat(limited(5, 100).window().seen(screens)).isEqualTo(5);
        assertThat(limited(100, 2).window().seen(screens))
                .as("captions before the second")
                .isEqualTo(4);
        assertThat(limited(3, 2).window().seen(screens)).isEqualTo(3);
        assertThat(limited(2, 1).window().seen(new boolean[] {false, true})).isEqualTo(2);
        assertThatThrownBy(() -> limited(10, 0)).hasMessageContaining("max-screenshots = 0");
    }

    private static NetworkShape limited(int steps, int frames) {
        return MadeShape.small()
                .window(1, steps, frames)
                .transformer(32, 4, 1, 64)
                .shape();
    }

    @Test
    void firstOfManyStepsCountsOnlyWithoutLimits() {
        NetworkShape unlimited = MadeShape.small()
                .window(4, NetworkShape.UNLIMITED, NetworkShape.UNLIMITED)
                .shape();
        for (NetworkShape shape : List.of(unlimited, SHAPE)) {
            SampleFeatures lengthy = lengthy(70, 0);
            SampleFeatures other = lengthy(70, 9);
            try (HostEngine network = new HostEngine(ParameterStore.initial(shape, 1))) {
                double[] logits = triggers(network, FeatureBatch.of(List.of(lengthy, other), shape));
                assertThat(Math.abs(logits[0] - logits[1]) > 1e-5).isEqualTo(shape.equals(unlimited));
            }
        }
    }

    /** Makes a sample of {@code steps} steps, with a value added to the first. */
    private static SampleFeatures lengthy(int steps, float added) {
        SampleFeatures made = MadeFeatures.of(1, 16, 5, 1, 3).get(0);
        float[][] repeated = new float[steps][];
        for (int t = 0; t < steps; t++) {
            repeated[t] = made.steps()[0].clone();
            repeated[t][t % 16] += 0.3f;
        }
        repeated[0][2] += added;
        return new SampleFeatures(
                "long", made.context(), repeated, new boolean[steps], made.intervention(), made.scenarios());
    }
}

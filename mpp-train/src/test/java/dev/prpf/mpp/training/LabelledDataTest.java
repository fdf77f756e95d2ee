package dev.prpf.mpp.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.util.List;
import org.junit.jupiter.api.Test;

class LabelledDataTest {
    private static final SampleFeatures MADE = MadeFeatures.of(1, 16, 5, 4, 3).get(0);

    private static NetworkShape shape(int maxSteps, int sentences) {
        return MadeShape.small()
                .inputs(16, sentences, false)
                .window(1, maxSteps, maxSteps)
                .shape();
    }

    private static SampleFeatures sample(float[][] profile, float[][] steps) {
        float[][][] context = {profile, MADE.context()[1], MADE.context()[2]};
        return new SampleFeatures(
                "p", context, steps, new boolean[steps.length], MADE.intervention(), MADE.scenarios());
    }

    @Test
    void textsBeyondTheSentenceLimitAreCounted() {
        float[] one = MADE.context()[0][0];
        List<SampleFeatures> samples = List.of(MADE, sample(new float[][] {one, one, one}, MADE.steps()));
        assertThat(LabelledData.truncatedContexts(samples, shape(10, 2))).isEqualTo(1);
        assertThat(LabelledData.truncatedContexts(samples, shape(10, 3))).isZero();
        assertThat(LabelledData.truncatedContexts(samples, shape(10, 0))).isZero();
    }

    @Test
    void trajectoriesBeyondTheStepLimitAreCounted() {
        float[] one = MADE.steps()[0];
        List<SampleFeatures> samples = List.of(
                sample(MADE.context()[0], new float[][] {one}), sample(MADE.context()[0], new float[][] {one, one}));
        assertThat(LabelledData.truncatedTrajectories(samples, shape(1, 0))).isEqualTo(1);
        assertThat(LabelledData.truncatedTrajectories(samples, shape(2, 0))).isZero();
    }
}

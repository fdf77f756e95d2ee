package dev.prpf.mpp.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.util.List;
import java.util.Map;
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

    private static Sample acting(String id, DeviceContext context, String... steps) {
        FunctionCall call = new FunctionCall(
                "set_mode", Map.of("mode", TextNode.valueOf("power_saving"), "who", TextNode.valueOf("Li Na")));
        return new Sample(
                id,
                1,
                "train",
                null,
                context,
                Trajectory.ofTexts(List.of(steps)),
                List.of(new Recommendation("", List.of(call))));
    }

    @Test
    void aCounterfactualIsSilentAndLacksTheStepsThatStateTheAnswer() {
        DeviceContext plain = new DeviceContext("a runner", "battery 80 %", "Sunday");
        DeviceContext telling = new DeviceContext("a runner", "battery 80 %", "call Li Na");
        String[] steps = {"Opens the news", "Searched Power saving mode", "li na asks why", "Closes an ad"};
        Sample silent = acting("s", plain, steps).with(plain, Trajectory.ofTexts(List.of(steps)), List.of());
        List<Sample> samples = List.of(
                acting("a", plain, steps),
                acting("stated in the context", telling, steps),
                acting("nothing else", plain, "Searched Power saving mode"),
                acting("not stated", plain, "Opens the news", "Closes an ad"),
                silent);
        float[] one = MADE.steps()[0];
        float[] other = MADE.steps()[0].clone();
        other[0]++;
        SampleFeatures four = sample(MADE.context()[0], new float[][] {one, one, one, other});
        LabelledData data = new LabelledData(samples, List.of(four, four, four, four, four));

        assertThat(data.counterfactuals()).singleElement().satisfies(copy -> {
            assertThat(copy.steps()).isDeepEqualTo(new float[][] {one, other});
            assertThat(copy.intervention()).isFalse();
            assertThat(copy.scenarios()).containsOnly(0);
            assertThat(copy.context()).isDeepEqualTo(four.context());
        });
    }
}

package dev.prpf.par.sets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings.OutOfPool;
import dev.prpf.par.sets.SftExamples.SftExampleSettings;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SftExampleSettingsTest {
    private static final int EACH = 500;

    private static Sample sample(String id, List<Recommendation> answers) {
        return new Sample(
                id, 1, "train", null, new DeviceContext("", "", ""), Trajectory.ofTexts(List.of("打开天气")), answers);
    }

    private static final List<Sample> SAMPLES = IntStream.range(0, EACH)
            .boxed()
            .flatMap(i -> Stream.of(
                    sample("silent" + i, List.of()),
                    sample("acting" + i, List.of(new Recommendation("去", List.of(new FunctionCall("go", Map.of())))))))
            .toList();

    private static List<Sample> keep(List<Sample> samples, double share, long seed) {
        return new SftExampleSettings(
                        1, OutOfPool.ADD, 9, SftExampleSettings.OverLong.DROP, share, seed, Augmentation.Settings.NONE)
                .trainedOn(samples);
    }

    private static List<String> silent(List<Sample> samples) {
        return samples.stream()
                .map(Sample::id)
                .filter(id -> id.startsWith("silent"))
                .toList();
    }

    @Test
    void shareOfSilentSamplesAndAllOthersAreKept() {
        List<Sample> kept = keep(SAMPLES, 0.3, 1);

        assertThat(kept).isSubsetOf(SAMPLES);
        assertThat(kept.size() - silent(kept).size()).isEqualTo(EACH);
        assertThat(silent(kept).size()).isBetween(EACH * 24 / 100, EACH * 36 / 100);
    }

    @Test
    void shares0And1AreNoneAndAll() {
        assertThat(silent(keep(SAMPLES, 0, 1))).isEmpty();
        assertThat(keep(SAMPLES, 1, 1)).isEqualTo(SAMPLES);
    }

    @Test
    void selectionDependsOnlyOnIdAndSeed() {
        List<Sample> kept = keep(SAMPLES, 0.5, 1);
        List<Sample> half = SAMPLES.subList(0, EACH);

        assertThat(keep(half, 0.5, 1))
                .isEqualTo(half.stream().filter(kept::contains).toList());
        assertThat(silent(keep(SAMPLES, 0.5, 2))).isNotEqualTo(silent(kept));
    }
}

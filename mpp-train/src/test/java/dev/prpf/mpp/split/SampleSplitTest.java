package dev.prpf.mpp.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.MadeFeatures;
import dev.prpf.mpp.split.SampleSplit.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class SampleSplitTest {
    private static final List<SampleFeatures> SAMPLES = MadeFeatures.of(500, 4, 3, 6, 9);

    private static long count(List<SampleFeatures> samples, Predicate<SampleFeatures> which) {
        return samples.stream().filter(which).count();
    }

    private static boolean acts(SampleFeatures sample) {
        return Boolean.TRUE.equals(sample.intervention());
    }

    private static boolean screens(SampleFeatures sample) {
        return sample.screenshot()[0];
    }

    @Test
    void everyStratumIsSplitEightToTwo() {
        SampleSplit split = SampleSplit.of(SAMPLES, 0.2, 0, 42);
        assertThat(split.of(Split.TRAIN).size() + split.of(Split.DEV).size()).isEqualTo(500);
        assertThat(new HashSet<>(split.of(Split.TRAIN))).doesNotContainAnyElementsOf(split.of(Split.DEV));
        for (boolean acting : new boolean[] {true, false}) {
            for (boolean screen : new boolean[] {true, false}) {
                Predicate<SampleFeatures> stratum = sample -> acts(sample) == acting && screens(sample) == screen;
                double share = (double) count(split.of(Split.DEV), stratum) / count(SAMPLES, stratum);
                assertThat(share).isCloseTo(0.2, within(0.01));
            }
        }
    }

    @Test
    void theSeedDecides() {
        assertThat(SampleSplit.of(SAMPLES, 0.2, 0, 42)).isEqualTo(SampleSplit.of(SAMPLES, 0.2, 0, 42));
        assertThat(SampleSplit.of(SAMPLES, 0.2, 0, 42)).isNotEqualTo(SampleSplit.of(SAMPLES, 0.2, 0, 43));
    }

    @Test
    void theSameSampleUnderTwoIdsStaysOnOneSide() {
        List<SampleFeatures> twice = new ArrayList<>(SAMPLES);
        SAMPLES.stream().map(SampleSplitTest::copy).forEach(twice::add);
        SampleSplit split = SampleSplit.of(twice, 0.2, 0.3, 42);
        for (List<SampleFeatures> part :
                List.of(split.of(Split.TRAIN), split.of(Split.DEV), split.of(Split.CALIBRATION))) {
            List<String> ids = part.stream().map(SampleFeatures::id).toList();
            assertThat(ids).hasSizeGreaterThan(100);
            assertThat(ids.stream().filter(id -> !id.startsWith("copy of ")))
                    .allSatisfy(id -> assertThat(ids).contains("copy of " + id))
                    .hasSize(ids.size() / 2);
        }
    }

    private static SampleFeatures copy(SampleFeatures one) {
        float[][][] context = Arrays.stream(one.context())
                .map(text -> Arrays.stream(text).map(float[]::clone).toArray(float[][]::new))
                .toArray(float[][][]::new);
        return new SampleFeatures(
                "copy of " + one.id(),
                context,
                Arrays.stream(one.steps()).map(float[]::clone).toArray(float[][]::new),
                one.screenshot().clone(),
                one.intervention(),
                one.scenarios());
    }

    @Test
    void silentSamplesAreRepeatedToTheSameNumber() {
        List<SampleFeatures> train = SampleSplit.of(SAMPLES, 0.2, 0, 42).of(Split.TRAIN);
        List<SampleFeatures> oversampled = SampleSplit.oversampled(train, false, 42);
        assertThat(count(oversampled, sample -> !acts(sample)))
                .isEqualTo(count(oversampled, SampleSplitTest::acts))
                .isGreaterThan(count(train, sample -> !acts(sample)));
        assertThat(new HashSet<>(oversampled)).isEqualTo(new HashSet<>(train));
        assertThat(SampleSplit.oversampled(oversampled, false, 42)).hasSameSizeAs(oversampled);
        assertThat(SampleSplit.oversampled(train, true, 42))
                .as("the acting ones are more already")
                .isEqualTo(train);
    }

    @Test
    void anEmptyClassIsBadData() {
        List<SampleFeatures> acting =
                SAMPLES.stream().filter(SampleSplitTest::acts).toList();
        assertThatThrownBy(() -> SampleSplit.of(acting, 0.2, 0, 42))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("0 silent");
    }

    @Test
    void anUnlabelledSampleIsNamed() {
        SampleFeatures made = SAMPLES.get(0);
        SampleFeatures unlabelled =
                new SampleFeatures("blank", made.context(), made.steps(), made.screenshot(), null, null);
        assertThatThrownBy(() -> SampleSplit.of(List.of(made, unlabelled), 0.2, 0, 42))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("sample blank is unlabelled");
    }

    @Test
    void calibrationSamplesComeFromTrainAndDoNotChangeDev() {
        SampleSplit without = SampleSplit.of(SAMPLES, 0.2, 0, 42);
        SampleSplit with = SampleSplit.of(SAMPLES, 0.2, 0.3, 42);
        assertThat(with.of(Split.DEV)).isEqualTo(without.of(Split.DEV));
        assertThat(without.of(Split.CALIBRATION)).isEmpty();
        assertThat(with.of(Split.CALIBRATION)).hasSizeBetween(145, 155);
        assertThat(new HashSet<>(without.of(Split.TRAIN)))
                .containsAll(with.of(Split.CALIBRATION))
                .containsAll(with.of(Split.TRAIN));
        assertThat(new HashSet<>(with.of(Split.TRAIN))).doesNotContainAnyElementsOf(with.of(Split.CALIBRATION));
    }

    @Test
    void aDevOrCalibrationSplitWithoutAClassIsBadData() {
        List<SampleFeatures> few = new ArrayList<>(
                SAMPLES.stream().filter(SampleSplitTest::acts).limit(40).toList());
        few.add(SAMPLES.stream().filter(sample -> !acts(sample)).findFirst().orElseThrow());
        assertThatThrownBy(() -> SampleSplit.of(few, 0.2, 0, 42))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("the dev part of the samples: holds")
                .hasMessageContaining("0 silent");
        assertThatThrownBy(() -> SampleSplit.of(SAMPLES.subList(0, 20), 0.3, 0.02, 42))
                .hasMessageContaining(
                        "the calibration part of the samples: holds 0 samples that want an intervention and 0 silent");
    }
}

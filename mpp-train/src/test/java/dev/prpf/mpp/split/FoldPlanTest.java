package dev.prpf.mpp.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.mpp.training.MppRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldPlanTest {
    private static final List<Recommendation> ACTS =
            List.of(new Recommendation("好", List.of(new FunctionCall("f", Map.of()))));

    @TempDir
    private Path folder;

    private static Sample sample(String id, String profile, boolean acts) {
        return new Sample(
                id,
                1,
                null,
                null,
                new DeviceContext(profile, "p", "w"),
                Trajectory.ofTexts(List.of("步")),
                acts ? ACTS : List.of());
    }

    /** Makes samples of which every third acts. */
    private static List<Sample> samples(int count) {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            samples.add(sample("s" + i, "用户" + i, i % 3 == 0));
        }
        return samples;
    }

    private static List<Integer> folds(FoldPlan plan, List<Sample> samples) {
        return samples.stream().map(plan::foldOf).toList();
    }

    @Test
    void everyFoldGetsItsShareOfBothKinds() {
        List<Sample> samples = samples(60);
        FoldPlan plan = FoldPlan.of(samples, 5, 1);
        assertThat(plan.folds()).isEqualTo(5);
        for (int fold = 0; fold < 5; fold++) {
            int own = fold;
            List<Sample> held = samples.stream()
                    .filter(sample -> plan.foldOf(sample) == own)
                    .toList();
            assertThat(held).hasSize(12);
            assertThat(held.stream().filter(Sample::wantsIntervention)).hasSize(4);
        }
    }

    @Test
    void foldsDependOnlyOnSamplesAndSeed() {
        List<Sample> samples = samples(40);
        List<Integer> folds = folds(FoldPlan.of(samples, 4, 1), samples);
        assertThat(folds(FoldPlan.of(samples, 4, 1), samples)).isEqualTo(folds);
        assertThat(folds(FoldPlan.of(samples, 4, 2), samples)).isNotEqualTo(folds);
        assertThat(folds)
                .contains(0, 1, 2, 3)
                .isNotEqualTo(folds.stream().sorted().toList());
    }

    /** A perceiver that saw one of these samples has seen the other, under any id and answer. */
    @Test
    void samplesOfEqualContentShareAFold() {
        List<Sample> samples = samples(10);
        for (int i = 0; i < 10; i++) {
            samples.add(sample("copy" + i, "用户" + i, i % 3 != 0));
        }
        Collections.shuffle(samples, new Random(3));
        FoldPlan plan = FoldPlan.of(samples, 5, 1);
        for (int i = 0; i < 10; i++) {
            assertThat(plan.foldOf(sample("copy" + i, "用户" + i, true)))
                    .isEqualTo(plan.foldOf(sample("s" + i, "用户" + i, false)));
        }
    }

    @Test
    void writtenAndReadAgain() {
        List<Sample> samples = samples(12);
        FoldPlan plan = FoldPlan.of(samples, 3, 1);
        MppRun.Folds run = new MppRun.Folds(folder);
        assertThat(MppRun.of(folder)).isInstanceOf(MppRun.Single.class);
        run.write(plan);
        assertThat(MppRun.of(folder)).isInstanceOf(MppRun.Folds.class);
        FoldPlan read = run.folds();
        assertThat(read.folds()).isEqualTo(3);
        assertThat(folds(read, samples)).isEqualTo(folds(plan, samples));
        assertThat(folder.resolve("folds.jsonl")).content().startsWith("{\"id\":\"s0\",\"content\":\"");
    }

    @Test
    void aSampleOfOtherDataHasNoFold() {
        FoldPlan plan = FoldPlan.of(samples(12), 3, 1);
        refused(() -> plan.foldOf(sample("s0", "别人", true)), "sample s0 is not in the data of the folds' perceivers");
    }

    @Test
    void tooFewSamplesForFoldsAreRejected() throws IOException {
        refused(
                () -> FoldPlan.of(List.of(sample("a", "甲", true), sample("b", "甲", false)), 2, 1),
                "folds = 2, but only 1 of the samples differ");
        assertThatThrownBy(() -> FoldPlan.of(samples(9), 1, 1)).hasMessage("folds = 1 must be at least 2");
        Files.writeString(folder.resolve("folds.jsonl"), "{\"id\":\"a\",\"content\":\"c\",\"fold\":-1}\n");
        refused(
                () -> new MppRun.Folds(folder).folds(),
                "folds.jsonl:1: is no fold entry: fold = -1 must be at least 0");
    }

    private static void refused(Runnable run, String... parts) {
        assertThatThrownBy(run::run)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContainingAll(parts);
    }
}

package dev.prpf.eval.score;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.base.statistics.Interval;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.eval.judge.Judge;
import dev.prpf.eval.score.ScenarioAnalysis.ScenarioGroups;
import dev.prpf.eval.score.Scorer.ClusterBy;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ClusterByTest {
    private static Sample sample(String id, String profile, Trajectory trajectory) {
        return new Sample(id, 1, null, null, new DeviceContext(profile, "d", "w"), trajectory, List.of());
    }

    private static Trajectory screens(String... paths) {
        return new Trajectory(List.of(paths).stream()
                .<TraceStep>map(TraceStep.Screenshot::new)
                .toList());
    }

    private static boolean same(ClusterBy by, Sample first, Sample second) {
        return by.source(first) == by.source(second);
    }

    @Test
    void momentsOfOneRecordingShareItsFirstScreenshot() {
        Sample early = sample("1", "p", screens("trip/0.png", "trip/1.png"));
        Sample late = sample("2", "q", screens("trip/0.png", "trip/1.png", "trip/2.png"));
        Sample other = sample("3", "p", screens("shop/0.png"));
        assertThat(same(ClusterBy.TRAJECTORY, early, late)).isTrue();
        assertThat(same(ClusterBy.TRAJECTORY, early, other)).isFalse();
    }

    @Test
    void momentsOfOneRecordingInWordsShareItsFirstStepAndItsUser() {
        Sample early = sample("1", "p", Trajectory.ofTexts(List.of("opens maps", "searches")));
        Sample late = sample("2", "p", Trajectory.ofTexts(List.of("opens maps", "searches", "zooms")));
        Sample other = sample("3", "q", Trajectory.ofTexts(List.of("opens maps", "searches")));
        Sample joined = sample("4", "p", Trajectory.ofTexts(List.of("opens mapssearches")));
        Sample screen = sample("5", "p", screens("opens maps"));
        assertThat(same(ClusterBy.TRAJECTORY, early, late)).isTrue();
        assertThat(same(ClusterBy.TRAJECTORY, early, other)).isFalse();
        assertThat(same(ClusterBy.TRAJECTORY, early, joined)).isFalse();
        assertThat(same(ClusterBy.TRAJECTORY, sample("6", "p", Trajectory.ofTexts(List.of("opens maps"))), screen))
                .isFalse();
    }

    @Test
    void aRecordingOfWordsAndScreenshotsIsOneSourceToo() {
        TraceStep words = new TraceStep.Caption("opens maps");
        Sample early = sample("1", "p", new Trajectory(List.of(words)));
        Sample late = sample("2", "p", new Trajectory(List.of(words, new TraceStep.Screenshot("1.png"))));
        assertThat(same(ClusterBy.TRAJECTORY, early, late)).isTrue();
    }

    @Test
    void samplesWithoutATraceShareNothing() {
        Sample one = sample("1", "p", new Trajectory(List.of()));
        Sample other = sample("2", "p", new Trajectory(List.of()));
        assertThat(same(ClusterBy.TRAJECTORY, one, other)).isFalse();
    }

    @Test
    void profilesAreUsersAndSamplesAreThemselves() {
        Sample one = sample("1", "a runner", Trajectory.ofTexts(List.of("a")));
        Sample user = sample("2", "a runner", Trajectory.ofTexts(List.of("b")));
        Sample twin = sample("3", "a cook", Trajectory.ofTexts(List.of("a")));
        assertThat(same(ClusterBy.PROFILE, one, user)).isTrue();
        assertThat(same(ClusterBy.PROFILE, one, twin)).isFalse();
        assertThat(same(ClusterBy.SAMPLE, one, user)).isFalse();
        assertThat(same(ClusterBy.SAMPLE, one, twin)).isFalse();
    }

    @Test
    void intervalsOfClustersAreWiderAndThePointsAreTheSame() {
        List<Sample> gold = new ArrayList<>();
        Map<String, Prediction> predictions = new LinkedHashMap<>();
        for (int i = 0; i < 200; i++) { // twenty users, each right or wrong throughout
            gold.add(sample("s" + i, "user " + i % 20, Trajectory.ofTexts(List.of("moment " + i))));
            predictions.put(
                    "s" + i, i % 20 < 12 ? Cases.abstained("s" + i) : Cases.reasoned("s" + i, Cases.calls("a")));
        }
        Scores independent = scores(gold, predictions, ClusterBy.SAMPLE);
        Scores users = scores(gold, predictions, ClusterBy.PROFILE);
        assertThat(users.units()).isEqualTo(20);
        assertThat(independent.units()).isEqualTo(200);
        assertThat(users.overall().values()).isEqualTo(independent.overall().values());
        assertThat(width(users)).isGreaterThan(2.5 * width(independent));
    }

    private static Scores scores(List<Sample> gold, Map<String, Prediction> predictions, ClusterBy by) {
        return new Scorer(null, Judge.standard(), new Bootstrap(1000, 1, 95), by, ScenarioGroups.PAPERS)
                .score(gold, predictions, Cases.pool("a"));
    }

    private static double width(Scores scores) {
        Interval interval = Objects.requireNonNull(scores.overall().intervals().get(Metric.SR));
        return interval.high() - interval.low();
    }
}

package dev.prpf.eval.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.BestMatch;
import dev.prpf.data.Sample.Modality;
import dev.prpf.eval.score.ErrorAnalysis.ErrorCategory;
import dev.prpf.eval.score.ErrorAnalysis.MismatchPattern;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Turns PRPF's published counts into samples; our formulas must give its percentages. */
class PublishedCountsTest {
    private static final List<String> SILENCE = List.of();

    private static void add(
            List<SampleScore> scores, int times, boolean gated, @Nullable List<String> predicted, List<String> answer) {
        BestMatch match = BestMatch.of(predicted, List.of(Cases.calls(answer.toArray(String[]::new))));
        for (int i = 0; i < times; i++) {
            scores.add(new SampleScore(
                    "s" + scores.size(),
                    Modality.TEXT,
                    1,
                    null,
                    gated,
                    !answer.isEmpty(),
                    predicted,
                    match,
                    match,
                    match.exact(),
                    false,
                    scores.size()));
        }
    }

    /** Tables 11 and 12: 2,013 successes (55.00 %) and 1,647 errors. */
    private static List<SampleScore> prpf() {
        List<SampleScore> scores = new ArrayList<>();
        add(scores, 305, false, List.of("a"), List.of("b"));
        add(scores, 124, false, List.of("a"), SILENCE);
        add(scores, 154, false, List.of("a"), List.of("a", "b"));
        add(scores, 80, false, List.of("a", "b"), List.of("a"));
        add(scores, 56, false, List.of("b", "a"), List.of("a", "b"));
        add(scores, 32, false, List.of("a", "b"), List.of("b", "c"));
        add(scores, 689, false, SILENCE, List.of("a"));
        add(scores, 200, true, SILENCE, List.of("a"));
        add(scores, 7, false, null, List.of("a"));
        add(scores, 1720 - 124, true, SILENCE, SILENCE);
        add(scores, 3660 - scores.size(), false, List.of("a"), List.of("a"));
        return scores;
    }

    @Test
    void table11IsOver1640Errors() {
        ErrorAnalysis errors = ErrorAnalysis.of(prpf());
        assertThat(errors.errors()).isEqualTo(1647);
        assertThat(errors.wellFormed()).isEqualTo(1640);
        assertThat(errors.share(ErrorCategory.NON_EMPTY_MISMATCH)).isCloseTo(45.8, within(0.05));
        assertThat(errors.share(ErrorCategory.POST_GATE_ABSTENTION)).isCloseTo(42.0, within(0.05));
        assertThat(errors.share(ErrorCategory.GATE_MISFIRE)).isCloseTo(12.2, within(0.05));
        assertThat(errors.share(ErrorCategory.PARSE_FAILURE)).as("an orphan").isNull();
    }

    @Test
    void table12IsOver751Mismatches() {
        ErrorAnalysis errors = ErrorAnalysis.of(prpf());
        assertThat(errors.categories()).containsEntry(ErrorCategory.NON_EMPTY_MISMATCH, 751);
        assertThat(errors.patterns())
                .containsEntry(MismatchPattern.OFF_SCENE, 305)
                .containsEntry(MismatchPattern.SPURIOUS, 124)
                .containsEntry(MismatchPattern.MISSED_STEPS, 154)
                .containsEntry(MismatchPattern.EXTRA_STEPS, 80)
                .containsEntry(MismatchPattern.REORDERING, 56)
                .containsEntry(MismatchPattern.PARTIAL_OVERLAP, 32);
    }

    @Test
    void theFalseTriggerRateOfTable1IsOfTheMatchedSamples() {
        Metrics metrics = Metrics.of(prpf(), new Bootstrap(20, 1, 95));
        assertThat(metrics.silentMatched()).isEqualTo(1720);
        assertThat(metrics.get(Metric.FTR_MATCHED)).as("124/1,720").isCloseTo(7.21, within(0.005));
        assertThat(metrics.get(Metric.TYPE_ACC)).isCloseTo(55.00, within(0.005));
    }

    @Test
    void noErrorsHaveNoShares() {
        List<SampleScore> right = new ArrayList<>();
        add(right, 2, true, SILENCE, SILENCE);
        assertThat(ErrorAnalysis.of(right).share(ErrorCategory.GATE_MISFIRE)).isNull();
    }
}

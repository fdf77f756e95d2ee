package dev.prpf.par.reward;

import static dev.prpf.par.reward.RewardCases.calls;
import static dev.prpf.par.reward.RewardCases.sample;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.Sample;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every term of PRPF eq. 19-22, worked by hand with the paper's constants. */
class StructuredRewardTest {
    private static final StructuredReward REWARD = new StructuredReward(RewardSettings.PAPER, RewardCases.POOL);
    private static final String ALARM = "set_alarm{\"time\":\"08:30\"}";
    private static final String MESSAGE = "send_message{\"to\":\"Li\",\"text\":\"late\"}";
    private static final Sample ACTING = sample(calls(MESSAGE, ALARM));
    private static final Sample SILENT = sample();

    private static Map<String, Double> terms(Sample sample, String... predicted) {
        return REWARD.score(sample, calls(predicted)).terms();
    }

    @Test
    void aRightSilence() {
        RewardBreakdown reward = REWARD.score(SILENT, List.of());
        assertThat(reward.outcome()).isEqualTo(ConfusionOutcome.TN);
        assertThat(reward.terms()).isEqualTo(Terms.of(2, 0, 0, 0.5, 6, 0, 0, 0));
        assertThat(reward.total()).isEqualTo(8.5);
        assertThat(reward.gold()).isEmpty();
    }

    @Test
    void falseTriggerGetsItsPenalty() {
        RewardBreakdown reward = REWARD.score(SILENT, calls(ALARM, ALARM, ALARM));
        assertThat(reward.outcome()).isEqualTo(ConfusionOutcome.FP);
        assertThat(reward.terms()).isEqualTo(Terms.of(0, 0, 0, 0.5, 0, -2, 0, 0));
        assertThat(reward.total()).isEqualTo(-1.5);
    }

    @Test
    void aMissedIntervention() {
        RewardBreakdown reward = REWARD.score(ACTING, List.of());
        assertThat(reward.outcome()).isEqualTo(ConfusionOutcome.FN);
        assertThat(reward.total()).isEqualTo(0.5);
        assertThat(reward.terms().get("schema")).isEqualTo(0.5);
    }

    @Test
    void aFullyRightIntervention() {
        RewardBreakdown reward = REWARD.score(ACTING, calls(MESSAGE, ALARM));
        assertThat(reward.outcome()).isEqualTo(ConfusionOutcome.TP);
        assertThat(reward.terms()).isEqualTo(Terms.of(2, 3, 2.5, 0.5, 0, 0, 0.2, 0));
        assertThat(reward.total()).isEqualTo(8.2);
        assertThat(reward.quality()).isEqualTo(1);
    }

    @Test
    void wrongFunctions() {
        assertThat(terms(ACTING, "open_map{}")).isEqualTo(Terms.of(2, 0, 0, 0.5, 0, 0, 0, 0));
        assertThat(terms(ACTING, "no_such_function{}"))
                .as("a function that the pool lacks is a wrong one")
                .isEqualTo(Terms.of(2, 0, 0, 0.5, 0, 0, 0, 0));
    }

    /**
     * Both names, in the wrong order: F1 1, LCS 1 of 2, so R_func = (1 + 1/2) / 2. Without text, send_message has filled 1/2, values (1 + 0)
     * / 2. With a wrong minute, set_alarm has filled 1, values 2/3 (hour and second). So R_args = (3/4 + 7/12) / 2 = 2/3.
     */
    @Test
    void aPartlyRightIntervention() {
        RewardBreakdown reward =
                REWARD.score(ACTING, calls("set_alarm{\"time\":\"08:00\"}", "send_message{\"to\":\"Li\"}"));
        assertThat(reward.parts().names()).isEqualTo(1);
        assertThat(reward.parts().order()).isEqualTo(0.5);
        assertThat(reward.parts().filled()).isEqualTo(0.75);
        assertThat(reward.parts().values()).isCloseTo(7 / 12.0, within(1e-12));
        assertThat(reward.terms().get("func")).isCloseTo(2.25, within(1e-12));
        assertThat(reward.terms().get("args")).isCloseTo(5 / 3.0, within(1e-12));
        assertThat(reward.terms().get("cov")).isEqualTo(0.2);
        assertThat(reward.total()).isCloseTo(2 + 2.25 + 5 / 3.0 + 0.5 + 0.2, within(1e-12));
        assertThat(reward.quality()).isCloseTo((2.25 + 5 / 3.0) / 5.5, within(1e-12));
    }

    /** One of two names predicted: P 1, R 1/2, F1 2/3; LCS 1 of 2; the missing call counts 0 in both parts of R_args; no coverage. */
    @Test
    void aMissingCall() {
        Map<String, Double> terms = terms(ACTING, ALARM);
        assertThat(terms.get("func")).isCloseTo(3 * (2 / 3.0 + 0.5) / 2, within(1e-12));
        assertThat(terms.get("args")).isCloseTo(1.25, within(1e-12));
        assertThat(terms.get("cov")).isZero();
        assertThat(terms.get("over")).isZero();
    }

    /** Three calls for one: F1 of {alarm, message} and {alarm} 2/3, LCS 1 of 3, two redundant calls. */
    @Test
    void redundantCalls() {
        Map<String, Double> terms = terms(sample(calls(ALARM)), ALARM, MESSAGE, MESSAGE);
        assertThat(terms.get("func")).isCloseTo(1.5, within(1e-12));
        assertThat(terms.get("args")).isEqualTo(2.5);
        assertThat(terms.get("cov")).isEqualTo(0.2);
        assertThat(terms.get("over")).isEqualTo(-1.2);
        assertThat(RewardBreakdown.total(terms)).isCloseTo(5.5, within(1e-12));
    }

    @Test
    void theSameFunctionTwiceIsComparedCallByCall() {
        Sample twice = sample(calls("set_alarm{\"time\":\"07:00\"}", "set_alarm{\"time\":\"09:00\"}"));
        assertThat(REWARD.score(twice, calls("set_alarm{\"time\":\"07:00\"}", "set_alarm{\"time\":\"09:00\"}"))
                        .total())
                .isEqualTo(8.2);
        assertThat(REWARD.score(twice, calls("set_alarm{\"time\":\"07:00\"}"))
                        .parts()
                        .order())
                .isEqualTo(0.5);
    }

    @Test
    void malformedGetsSchemaCreditOnly() {
        RewardBreakdown reward = REWARD.score(ACTING, "<recommendations>[]", ResponseForm.ANY);
        assertThat(reward.outcome()).isNull();
        assertThat(reward.gold()).isNull();
        assertThat(reward.terms()).isEqualTo(Terms.of(0, 0, 0, 0.375, 0, 0, 0, 0));
        assertThat(REWARD.score(SILENT, "", ResponseForm.ANY).total()).isZero();
    }

    @Test
    void formDecidesMalformedResponses() {
        String bare = "<recommendations>[]</recommendations>";
        String summarised = "<ui_summary>a map</ui_summary>" + bare;
        assertThat(REWARD.score(SILENT, summarised, ResponseForm.SCREENS).outcome())
                .isEqualTo(ConfusionOutcome.TN);
        assertThat(REWARD.score(SILENT, summarised, ResponseForm.TEXT).outcome())
                .isNull();
    }

    @Test
    void theFormDecidesWhichTagsEarnSchemaCredit() {
        String thought = "<think>t</think><recommendations>[]</recommendations>";
        String calls = "<function>{\"model_recommendation\":[]}</function>";
        assertThat(REWARD.score(SILENT, thought, ResponseForm.TEXT).total()).isEqualTo(0.375);
        assertThat(REWARD.score(SILENT, thought, ResponseForm.THINK_FUNCTION).total())
                .isZero();
        assertThat(REWARD.score(SILENT, calls, ResponseForm.TEXT).total()).isZero();
        assertThat(REWARD.score(SILENT, calls, ResponseForm.REC_FUNCTION).total())
                .as("without <rec>")
                .isEqualTo(0.375);
    }

    @Test
    void theFirstRecommendationIsThePrediction() {
        String call = "{\"name\":\"set_alarm\",\"parameters\":{\"time\":\"08:30\"}}";
        String text = "<recommendations>[{\"instruction\":\"\",\"function\":[" + call
                + "]},{\"instruction\":\"\",\"function\":[{\"name\":\"open_map\",\"parameters\":{}}]}]</recommendations>";
        assertThat(REWARD.score(sample(calls(ALARM)), text, ResponseForm.ANY).total())
                .isEqualTo(8.2);
    }

    @Test
    void bestMatchingAnswerCounts() {
        Sample either = sample(calls("open_map{}"), List.of(), calls(ALARM));
        assertThat(REWARD.score(either, List.of()).outcome()).isEqualTo(ConfusionOutcome.TN);
        assertThat(REWARD.score(either, calls(ALARM)).total()).isEqualTo(8.2);
        assertThat(REWARD.score(either, calls(MESSAGE)).outcome())
                .as("nothing in common: an answer that acts")
                .isEqualTo(ConfusionOutcome.TP);
    }

    @Test
    void mostSimilarOfAnswersWithEqualNamesCounts() {
        Sample either = sample(calls("set_alarm{\"time\":\"22:00\"}"), calls(ALARM));
        RewardBreakdown reward = REWARD.score(either, calls(ALARM));
        assertThat(reward.total()).isEqualTo(8.2);
        assertThat(reward.gold()).isEqualTo(calls(ALARM));
    }

    @Test
    void correctnessOfEquation16() {
        assertThat(REWARD.score(SILENT, List.of()).correct(0.5)).isTrue();
        assertThat(REWARD.score(SILENT, calls(ALARM)).correct(0)).isFalse();
        assertThat(REWARD.score(SILENT, "no", ResponseForm.ANY).correct(0)).isFalse();
        assertThat(REWARD.score(ACTING, List.of()).correct(0)).isFalse();
        assertThat(REWARD.score(ACTING, calls("open_map{}")).correct(0))
                .as("mere triggering")
                .isFalse();
        assertThat(REWARD.score(ACTING, calls(MESSAGE, ALARM)).correct(0.5)).isTrue();
        assertThat(REWARD.score(ACTING, calls(MESSAGE, ALARM)).correct(1))
                .as("more than the threshold")
                .isFalse();
    }

    @Test
    void everyConstantCounts() {
        RewardSettings.TriggerCredit credit = new RewardSettings.TriggerCredit(0.5, 0.25, -1, -2);
        StructuredReward reward = new StructuredReward(
                new RewardSettings(Terms.of(10, 20, 30, 4, 50, 60, 7, 8), credit, 1, 1, 0.5), RewardCases.POOL);
        assertThat(reward.score(SILENT, List.of()).terms()).isEqualTo(Terms.of(2.5, 0, 0, 4, 50, 0, 0, 0));
        assertThat(reward.score(SILENT, calls(ALARM)).terms()).isEqualTo(Terms.of(-10, 0, 0, 4, 0, -62, 0, 0));
        assertThat(reward.score(ACTING, List.of()).terms()).isEqualTo(Terms.of(-20, 0, 0, 4, 0, 0, 0, 0));
        assertThat(reward.score(sample(calls(ALARM)), calls(ALARM, "open_map{}"))
                        .terms())
                .as("order alone: 1 of 2; values alone: 1")
                .isEqualTo(Terms.of(5, 10, 30, 4, 0, 0, 7, -8));
    }

    @Test
    void settingsOutOfRangeAreRejected() {
        Map<String, Double> weights = RewardSettings.PAPER.weights();
        refused(Terms.of(-1, 3, 2, 1), 0.5, 0.5, "weights.trig = -1.0 must be at least 0");
        refused(Terms.of(1, 3, 2, 1, 6, Double.NaN), 0.5, 0.5, "weights.fp = NaN must be at least 0");
        refused(Terms.of(1, 3, 2, Double.POSITIVE_INFINITY), 0.5, 0.5, "weights.schema = Infinity must be at most 1e9");
        assertThatThrownBy(() -> new RewardSettings.TriggerCredit(1, 1, Double.NaN, 0))
                .hasMessageContaining("trigger-credit.fp = NaN must be from -1e9 to 1e9");
        refused(Terms.of(1, 0, 0, 1), 0.5, 0.5, "weights: func + args = 0 must be greater than 0");
        refused(Map.of("func", 1.0, "function", 1.0), 0.5, 0.5, "weights = function must be one of [trig, func, args,");
        refused(weights, 1.5, 0.5, "order-share = 1.5 must be in [0, 1]");
        refused(weights, 0.5, Double.NaN, "value-share = NaN must be in [0, 1]");
    }

    private static void refused(Map<String, Double> weights, double order, double values, String message) {
        RewardSettings.TriggerCredit credit = RewardSettings.PAPER.triggerCredit();
        assertThatThrownBy(() -> new RewardSettings(weights, credit, order, values, 1))
                .hasMessageContaining(message);
    }

    @Test
    void termWithoutAWeightCountsZero() {
        StructuredReward reward = new StructuredReward(
                new RewardSettings(Map.of("func", 3.0), RewardSettings.PAPER.triggerCredit(), 0.5, 0.5, 1),
                RewardCases.POOL);
        assertThat(reward.score(ACTING, calls(ALARM)).total())
                .isEqualTo(reward.score(ACTING, calls(ALARM)).terms().get("func"));
        assertThat(reward.score(SILENT, calls(ALARM)).total()).isZero();
    }
}

package dev.prpf.eval.score;

import static dev.prpf.eval.score.Cases.abstained;
import static dev.prpf.eval.score.Cases.call;
import static dev.prpf.eval.score.Cases.calls;
import static dev.prpf.eval.score.Cases.gated;
import static dev.prpf.eval.score.Cases.malformed;
import static dev.prpf.eval.score.Cases.prediction;
import static dev.prpf.eval.score.Cases.reasoned;
import static dev.prpf.eval.score.Cases.score;
import static dev.prpf.eval.score.Cases.screens;
import static dev.prpf.eval.score.Cases.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.eval.judge.Judge;
import dev.prpf.par.cascade.Prediction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests each clause of the contract of {@code eval score --json} with values calculated by hand. */
class ScorerTest {

    private static Metrics of(Sample sample, Prediction prediction) {
        return score(List.of(sample), prediction).overall();
    }

    private static Map<String, Object> json(Metrics metrics) {
        return new ObjectMapper()
                .convertValue(JsonRecords.tree(metrics), new TypeReference<LinkedHashMap<String, Object>>() {});
    }

    private static Metrics metricsOf(Map<String, Metrics> groups, String key) {
        return Objects.requireNonNull(groups.get(key), key);
    }

    @Test
    void aRightSilenceScoresFullMarks() {
        Metrics metrics = of(text("s"), gated("s"));
        assertThat(json(metrics))
                .containsEntry("n", 1)
                .containsEntry("n_silent", 1)
                .containsEntry("n_silent_matched", 1)
                .containsEntry("malformed", 0)
                .containsEntry("type_acc", 100.0)
                .containsEntry("sr", 100.0)
                .containsEntry("sr_act", null)
                .containsEntry("ftr", 0.0)
                .containsEntry("ftr_matched", 0.0)
                .containsEntry("precision", 100.0)
                .containsEntry("recall", 100.0)
                .containsEntry("f1", 100.0);
    }

    @Test
    void theContractsKeysComeInItsOrder() {
        assertThat(json(of(text("s"), gated("s"))).keySet())
                .containsExactly(
                        "n",
                        "n_silent",
                        "n_silent_matched",
                        "malformed",
                        "type_acc",
                        "sr",
                        "sr_act",
                        "names_act",
                        "ftr",
                        "ftr_matched",
                        "precision",
                        "recall",
                        "f1");
    }

    @Test
    void aMetricOverNothingIsNullNotZero() {
        assertThat(json(of(text("s", calls("a")), reasoned("s", calls("a")))))
                .containsEntry("ftr", null)
                .containsEntry("ftr_matched", null)
                .containsEntry("sr_act", 100.0);
    }

    @Test
    void anEmptyGoldSetIsRefused() {
        assertThatThrownBy(() -> score(List.of()))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("holds no samples");
    }

    @Test
    void malformedIsNeverARightSilence() {
        Metrics metrics = of(text("s"), malformed("s"));
        assertThat(metrics.malformed()).isEqualTo(1);
        assertThat(metrics.get(Metric.TYPE_ACC)).isZero();
        assertThat(metrics.get(Metric.SR)).isZero();
        assertThat(metrics.get(Metric.PRECISION)).isZero();
        assertThat(metrics.get(Metric.RECALL)).isZero();
        assertThat(metrics.get(Metric.F1)).isZero();
    }

    @Test
    void malformedStandsInTheDenominatorOfFtrNotInItsNumerator() {
        List<Sample> gold = List.of(text("s1"), text("s2"));
        Metrics metrics =
                score(gold, malformed("s1"), reasoned("s2", calls("a"))).overall();
        assertThat(metrics.silent()).isEqualTo(2);
        assertThat(metrics.get(Metric.FTR)).isEqualTo(50.0);
        assertThat(metrics.silentMatched()).isEqualTo(2);
        assertThat(metrics.get(Metric.FTR_MATCHED)).isEqualTo(50.0);
    }

    @Test
    void aMalformedPredictionMatchesTheActingAnswerOverSilence() {
        Metrics metrics = of(text("s", calls(), calls("a")), malformed("s"));
        assertThat(metrics.silentMatched()).isZero();
        assertThat(metrics.get(Metric.FTR_MATCHED)).isNull();
    }

    @Test
    void silenceAsOneOfSeveralAnswersIsRightAndCountsInFtrMatchedOnly() {
        Metrics metrics = of(text("s", calls("a"), calls()), abstained("s"));
        assertThat(metrics.silent()).isZero();
        assertThat(metrics.silentMatched()).isEqualTo(1);
        assertThat(metrics.get(Metric.TYPE_ACC)).isEqualTo(100.0);
        assertThat(metrics.get(Metric.SR)).isEqualTo(100.0);
        assertThat(metrics.get(Metric.SR_ACT)).isEqualTo(100.0);
        assertThat(metrics.get(Metric.FTR)).isNull();
        assertThat(metrics.get(Metric.FTR_MATCHED)).isEqualTo(0.0);
    }

    @Test
    void anActingPredictionWithoutOverlapMatchesTheActingAnswer() {
        Metrics metrics = of(text("s", calls(), calls("a")), reasoned("s", calls("b")));
        assertThat(metrics.silentMatched()).isZero();
        assertThat(metrics.get(Metric.FTR)).isNull();
        assertThat(metrics.get(Metric.F1)).isZero();
    }

    @Test
    void theTwoFalseTriggerRatesHaveTheirOwnDenominators() {
        List<Sample> gold =
                List.of(text("s1"), text("s2"), text("mixed1", calls("a"), calls()), text("act", calls("a")));
        Metrics metrics = score(
                        gold, gated("s1"), reasoned("s2", calls("a")), gated("mixed1"), reasoned("act", calls("a")))
                .overall();
        assertThat(metrics.silent()).isEqualTo(2);
        assertThat(metrics.get(Metric.FTR)).isEqualTo(50.0);
        assertThat(metrics.silentMatched()).isEqualTo(3);
        assertThat(metrics.get(Metric.FTR_MATCHED)).isCloseTo(100.0 / 3, within(1e-12));
    }

    @Test
    void aPredictionOfSilenceWhereActionIsDueHasNoOverlap() {
        Metrics metrics = of(text("s", calls("a")), gated("s"));
        assertThat(metrics.get(Metric.PRECISION)).isZero();
        assertThat(metrics.get(Metric.RECALL)).isZero();
        assertThat(metrics.get(Metric.F1)).isZero();
        assertThat(metrics.get(Metric.SR_ACT)).isZero();
    }

    @Test
    void typeAccWantsTheSameNamesInTheSameOrder() {
        Sample sample = text("s", calls("a", "b"));
        assertThat(of(sample, reasoned("s", calls("a", "b"))).get(Metric.TYPE_ACC))
                .isEqualTo(100.0);
        Metrics reordered = of(sample, reasoned("s", calls("b", "a")));
        assertThat(reordered.get(Metric.TYPE_ACC)).isZero();
        assertThat(reordered.get(Metric.F1)).isEqualTo(100.0);
    }

    @Test
    void precisionAndRecallAreOverSetsOfNames() {
        Metrics metrics = of(text("s", calls("a", "b", "c")), reasoned("s", calls("a", "a", "d")));
        assertThat(metrics.get(Metric.PRECISION)).isEqualTo(50.0);
        assertThat(metrics.get(Metric.RECALL)).isCloseTo(100.0 / 3, within(1e-12));
        assertThat(metrics.get(Metric.F1)).isCloseTo(40.0, within(1e-12));
    }

    @Test
    void f1IsTheMeanOfTheSamplesF1NotTheF1OfTheMeans() {
        List<Sample> gold = List.of(text("s1", calls("a")), text("s2", calls("a", "b", "c", "d")));
        Metrics metrics = score(gold, reasoned("s1", calls("a", "b", "c", "d")), reasoned("s2", calls("a")))
                .overall();
        assertThat(metrics.get(Metric.PRECISION)).isEqualTo(62.5);
        assertThat(metrics.get(Metric.RECALL)).isEqualTo(62.5);
        assertThat(metrics.get(Metric.F1)).isCloseTo(40.0, within(1e-12));
    }

    @Test
    void onlyTheFirstRecommendationIsThePrediction() {
        Sample sample = text("s", calls("a"));
        Metrics right = of(sample, prediction("s", Prediction.Route.REASONED, List.of(calls("a"), calls("b"))));
        Metrics wrong = of(sample, prediction("s", Prediction.Route.REASONED, List.of(calls("b"), calls("a"))));
        assertThat(right.get(Metric.SR)).isEqualTo(100.0);
        assertThat(wrong.get(Metric.SR)).isZero();
    }

    @Test
    void aFirstRecommendationWithoutCallsIsSilence() {
        Metrics metrics = of(text("s"), prediction("s", Prediction.Route.REASONED, List.of(calls(), calls("a"))));
        assertThat(metrics.get(Metric.SR)).isEqualTo(100.0);
        assertThat(metrics.get(Metric.FTR)).isEqualTo(0.0);
    }

    @Test
    void successNeedsEqualParametersTypeAccDoesNot() {
        Sample sample = text("s", call("a", "{\"city\":\"Wuhan\"}"));
        Metrics metrics = of(sample, reasoned("s", call("a", "{\"city\":\"Beijing\"}")));
        assertThat(metrics.get(Metric.TYPE_ACC)).isEqualTo(100.0);
        assertThat(metrics.get(Metric.F1)).isEqualTo(100.0);
        assertThat(metrics.get(Metric.SR)).isZero();
    }

    @Test
    void anyValidAnswerMayMakeASuccess() {
        Sample sample = text("s", call("a", "{\"city\":\"Wuhan\"}"), call("a", "{\"city\":\"Beijing\"}"));
        assertThat(of(sample, reasoned("s", call("a", "{\"city\":\"Beijing\"}")))
                        .get(Metric.SR))
                .isEqualTo(100.0);
    }

    @Test
    void srActIsOverTheSamplesThatWantIntervention() {
        List<Sample> gold = List.of(text("s1"), text("a1", calls("a")), text("a2", calls("b")));
        Metrics metrics = score(gold, gated("s1"), reasoned("a1", calls("a")), gated("a2"))
                .overall();
        assertThat(metrics.get(Metric.SR)).isCloseTo(200.0 / 3, within(1e-12));
        assertThat(metrics.get(Metric.SR_ACT)).isEqualTo(50.0);
    }

    @Test
    void namesActAsksForCallsOfRightFunctionsOnly() {
        List<Sample> gold =
                List.of(text("s1"), text("a1", calls("a", "b")), text("a2", calls("b")), text("a3", calls("c")));
        Metrics metrics = score(
                        gold, gated("s1"), reasoned("a1", calls("a")), reasoned("a2", calls("b", "c")), gated("a3"))
                .overall();
        assertThat(metrics.get(Metric.NAMES_ACT)).as("only a1").isCloseTo(100.0 / 3, within(1e-12));
        assertThat(metrics.denominator(Metric.NAMES_ACT)).isEqualTo(3);
    }

    @Test
    void groupsAreTheModalitiesAndDifficultiesThatOccur() {
        List<Sample> gold = List.of(text("t"), screens("m", 3, calls("a")));
        Scores scores = score(gold, gated("t"), gated("m"));
        assertThat(scores.byModality()).containsOnlyKeys("text", "multimodal");
        assertThat(scores.byDifficulty()).containsOnlyKeys("1", "3");
        assertThat(metricsOf(scores.byModality(), "text").get(Metric.SR)).isEqualTo(100.0);
        assertThat(metricsOf(scores.byDifficulty(), "3").get(Metric.SR)).isZero();
        assertThat(scores.byScenario()).isEmpty();
    }

    @Test
    void scenariosComeFromTheRecordThenFromTheFirstCallThenNone() {
        ScenarioCatalog catalog = new ScenarioCatalog(
                List.of(new Scenario("Shopping", "购物"), new Scenario("Smart Home", "智能家居")),
                Map.of("a", "Shopping", "b", "Smart Home"));
        Sample own = new Sample(
                "own", 1, null, "Smart Home", Cases.CONTEXT, text("x").trajectory(), List.of());
        List<Sample> gold = List.of(own, text("call", calls("a")), text("silent"));
        Map<String, Prediction> silence =
                Pairing.of(gold, "g", List.of(gated("own"), gated("call"), gated("silent")), "p");
        Scores scores = Scorer.standard(catalog).score(gold, silence, Cases.pool("a", "b"));
        assertThat(scores.byScenario().keySet()).containsExactly("Shopping", "Smart Home", "none");
        assertThat(metricsOf(scores.byScenario(), "Smart Home").get(Metric.TYPE_ACC))
                .isEqualTo(100.0);
    }

    /** Records its cases and gives the same verdict on each. */
    private record FixedJudge(Verdict verdict, List<Case> seen) implements Judge {
        @Override
        public String id() {
            return "fixed";
        }

        @Override
        public List<Verdict> judge(List<Case> cases) {
            seen.addAll(cases);
            return cases.stream().map(one -> verdict).toList();
        }
    }

    private static Scores scored(Judge judge) {
        List<Sample> gold =
                List.of(text("s1"), text("s2"), text("s3", calls("a")), text("s4", calls("a"), calls(), calls("b")));
        Map<String, Prediction> predictions = Pairing.of(
                gold,
                "g",
                List.of(gated("s1"), reasoned("s2", calls("a")), abstained("s3"), reasoned("s4", calls("c"))),
                "p");
        return new Scorer(null, judge, new Bootstrap(5, 1, 95)).score(gold, predictions, Cases.pool("a"));
    }

    @Test
    void theJudgeIsAskedOnceAboutPairsThatBothActAlone() {
        FixedJudge judge = new FixedJudge(new Judge.Verdict(true, "the same"), new ArrayList<>());
        Scores scores = scored(judge);
        assertThat(judge.seen())
                .extracting(one -> one.sample().id(), Judge.Case::predicted, Judge.Case::answer)
                .containsExactly(tuple("s4", calls("c"), calls("a")), tuple("s4", calls("c"), calls("b")));
        assertThat(scores.samples())
                .extracting(SampleScore::success)
                .as("silence equals silence; s4 is right since the judge says so")
                .containsExactly(true, false, false, true);
        assertThat(scores.judge()).isEqualTo("fixed");
    }

    @Test
    void anAbstentionIsLeftOutOfSrCountedAndWarnedOf() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        ch.qos.logback.classic.Logger logger = (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(Scorer.class);
        logger.addAppender(log);
        Scores scores;
        try {
            scores = scored(new FixedJudge(new Judge.Verdict(null, "cannot tell"), new ArrayList<>()));
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .contains("the judge fixed abstained on 1 of the 1 judged samples; SR excludes them");
        assertThat(scores.samples()).extracting(SampleScore::abstained).containsExactly(false, false, false, true);
        assertThat(scores.overall().get(Metric.SR))
                .as("one of three: s4 is left out")
                .isEqualTo(100.0 / 3);
        assertThat(scores.overall().denominator(Metric.SR)).isEqualTo(3);
        assertThat(scores.overall().get(Metric.SR_ACT)).as("s3 alone").isZero();
        assertThat(scores.overall().denominator(Metric.SR_ACT)).isEqualTo(1);
        assertThat(scores.overall().abstained()).isEqualTo(1);
        assertThat(scores.overall().get(Metric.TYPE_ACC)).as("needs no judge").isEqualTo(25.0);
        assertThat(scores.verdictCounts()).isEqualTo(new Scores.VerdictCounts(1, 1));
        assertThat(JsonRecords.tree(scores).at("/overall/n_abstained").intValue())
                .isEqualTo(1);
        assertThat(scores.errors().outcomes().get("text"))
                .containsEntry(ErrorAnalysis.Outcome.UNJUDGED, 1)
                .containsEntry(ErrorAnalysis.Outcome.FUNCTION_ERROR, 0);
    }

    @Test
    void whereNobodyAbstainsTheKeyIsNotThere() {
        Scores scores = scored(new FixedJudge(new Judge.Verdict(false, "other"), new ArrayList<>()));
        assertThat(JsonRecords.tree(scores).at("/overall/n_abstained").isMissingNode())
                .isTrue();
        assertThat(scores.overall().denominator(Metric.SR)).isEqualTo(4);
        assertThat(scores.samples())
                .extracting(SampleScore::judged)
                .as("who needs no judge has none")
                .containsExactly(false, false, false, true);
    }
}

package dev.prpf.eval.score;

import static dev.prpf.eval.score.Cases.call;
import static dev.prpf.eval.score.Cases.calls;
import static dev.prpf.eval.score.Cases.gated;
import static dev.prpf.eval.score.Cases.reasoned;
import static dev.prpf.eval.score.Cases.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.ensemble.TextAnalyzer;
import dev.prpf.mpp.ensemble.TfIdfGate;
import dev.prpf.par.cascade.Prediction;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BaselinePredictionsTest {
    private static final List<Sample> GOLD = List.of(text("g1"), text("g2", calls("a")));

    @Test
    void alwaysSilentIsRightWhereSilenceIs() {
        Scores scores = Cases.score(GOLD, BaselinePredictions.alwaysSilent(GOLD).toArray(Prediction[]::new));
        assertThat(scores.overall().get(Metric.TYPE_ACC)).isEqualTo(50.0);
        assertThat(scores.overall().get(Metric.FTR)).isEqualTo(0.0);
    }

    @Test
    void alwaysTriggerGivesTheMostFrequentSequenceWithItsParameters() {
        List<Sample> train = List.of(
                text("t0"),
                text("t1"),
                text("t2"),
                text("t3", call("a", "{\"x\":1}"), call("a", "{\"x\":2}")),
                text("t4", call("a", "{\"x\":2.0,\"y\":\"\"}")),
                text("t5", calls("b")));
        List<Prediction> predictions = BaselinePredictions.alwaysTrigger(train, GOLD);
        assertThat(predictions).extracting(Prediction::id).containsExactly("g1", "g2");
        assertThat(predictions)
                .allSatisfy(prediction -> assertThat(prediction.scored()).isEqualTo(call("a", "{\"x\":2}")));
    }

    @Test
    void alwaysTriggerCountsASampleOnceAndTakesTheFirstOfATie() {
        List<Sample> train = List.of(text("t1", calls("b")), text("t2", calls("a"), calls("a"), calls("a")));
        assertThat(BaselinePredictions.alwaysTrigger(train, GOLD).get(0).scored())
                .isEqualTo(calls("b"));
    }

    @Test
    void alwaysTriggerNeedsSomethingToRepeat() {
        assertThatThrownBy(() -> BaselinePredictions.alwaysTrigger(List.of(text("t")), GOLD))
                .hasMessageContaining("none of the 1 samples");
    }

    @Test
    void randomFunctionKeepsTheGateAndDrawsFromTheCandidates() {
        FunctionPool pool = Cases.pool("a", "b");
        List<Prediction> gate = IntStream.range(0, 200)
                .mapToObj(i -> i % 2 == 0 ? gated("s" + i) : reasoned("s" + i, calls("zzz")))
                .toList();
        List<Prediction> predictions = BaselinePredictions.randomFunction(gate, unused -> CandidatePool.whole(pool), 3);
        assertThat(predictions).hasSize(200);
        for (int i = 0; i < 200; i++) {
            assertThat(predictions.get(i).scored()).hasSize(i % 2);
        }
        long a = predictions.stream()
                .filter(prediction -> calls("a").equals(prediction.scored()))
                .count();
        assertThat(a).isBetween(30L, 70L);
        assertThat(BaselinePredictions.randomFunction(gate, unused -> CandidatePool.whole(pool), 3))
                .isEqualTo(predictions);
        Prediction unusable = Cases.prediction("s0", Prediction.Route.SILENT, null);
        assertThat(BaselinePredictions.randomFunction(List.of(unusable), unused -> CandidatePool.whole(pool), 3))
                .as("a malformed answer of the perceiver is none of the baseline's silences")
                .containsExactly(unusable);
    }

    @Test
    void mostSimilarRepeatsTheCallsOfTheNearestTrainingSample() {
        List<String> texts = List.of("asks for a taxi home", "asks for a pizza now", "reads the news", "reads a book");
        TfIdfGate gate = TfIdfGate.fit(texts, new boolean[] {true, true, false, false}, TextAnalyzer.WORDS);
        BaselinePredictions.Texts acting = new BaselinePredictions.Texts(
                List.of(text("t1", calls("taxi")), text("t2", calls("pizza"))),
                List.of("asks for a taxi asks", "asks for a pizza reads"));
        List<Prediction> predictions = BaselinePredictions.mostSimilar(
                gate, 0.5, acting, new BaselinePredictions.Texts(GOLD, List.of("reads the news", "asks for a")));
        assertThat(predictions).extracting(Prediction::id).containsExactly("g1", "g2");
        assertThat(predictions.get(0).scored()).isEmpty();
        assertThat(predictions.get(1).scored()).isEqualTo(calls("taxi"));
    }
}

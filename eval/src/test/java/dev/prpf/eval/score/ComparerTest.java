package dev.prpf.eval.score;

import static dev.prpf.eval.score.Cases.abstained;
import static dev.prpf.eval.score.Cases.call;
import static dev.prpf.eval.score.Cases.malformed;
import static dev.prpf.eval.score.Cases.reasoned;
import static dev.prpf.eval.score.Cases.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.statistics.Bootstrap;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Sample;
import dev.prpf.eval.judge.Judge;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.reward.RewardSettings;
import dev.prpf.par.reward.StructuredReward;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ComparerTest {
    private static final FunctionPool POOL = new FunctionPool(List.of(
            new FunctionSpec("book", "", List.of(), List.of(new ParameterSpec("seats", "", "int", true, null, null)))));
    private static final List<Sample> GOLD =
            List.of(text("a", call("book", "{\"seats\": 2}")), text("s"), text("t"), text("u"));

    private static Comparer comparer(Bootstrap bootstrap) {
        return new Comparer(
                Judge.standard(), new StructuredReward(RewardSettings.PAPER, POOL), ReasoningMode.NONE, bootstrap);
    }

    private static Map<String, Prediction> byId(Prediction... predictions) {
        Map<String, Prediction> byId = new LinkedHashMap<>();
        Arrays.stream(predictions).forEach(prediction -> byId.put(prediction.id(), prediction));
        return byId;
    }

    private static Prediction responded(String id, String response) {
        return new Prediction(id, Prediction.Route.REASONED, null, Map.of(), response, null);
    }

    private static Comparer.Paired row(Comparer.Comparison comparison, String key) {
        return Objects.requireNonNull(comparison.rows().get(key), key);
    }

    @Test
    void metricsAreTheScorersAndTheRewardIsTheResponses() {
        Map<String, Prediction> before = byId(
                responded("a", "no tags"),
                reasoned("s", call("book", "{\"seats\": 1}")),
                abstained("t"),
                abstained("u"));
        Map<String, Prediction> after =
                byId(reasoned("a", call("book", "{\"seats\": 2}")), abstained("s"), abstained("t"), abstained("u"));
        Comparer.Comparison comparison = comparer(Bootstrap.DEFAULT).compare(GOLD, POOL, before, after);

        assertThat(comparison.n()).isEqualTo(4);
        assertThat(row(comparison, "sr").before()).isEqualTo(50);
        assertThat(row(comparison, "sr").after()).isEqualTo(100);
        assertThat(row(comparison, "sr").difference()).isEqualTo(50);
        assertThat(row(comparison, "sr_act").n()).isEqualTo(1);
        assertThat(row(comparison, "sr_act").difference()).isEqualTo(100);
        assertThat(row(comparison, "ftr").n()).isEqualTo(3);
        assertThat(row(comparison, "ftr").difference()).isCloseTo(-100.0 / 3, within(1e-9));
        assertThat(row(comparison, "malformed").difference()).isEqualTo(-25);
        // malformed 0, false trigger -1.5 (0.5 less 0.5), right silence 2 + 0.5 + 6, right call 2 + 3 + 2.5 + 0.5 + 0.2
        assertThat(row(comparison, "reward").before()).isCloseTo((0 - 1.5 + 8.5 + 8.5) / 4, within(1e-9));
        assertThat(row(comparison, "reward").after()).isCloseTo((8.2 + 3 * 8.5) / 4, within(1e-9));
    }

    @Test
    void theIntervalIsOfPairsSoWhatBothShareCancels() {
        List<Sample> gold = new ArrayList<>();
        Map<String, Prediction> before = new LinkedHashMap<>();
        Map<String, Prediction> after = new LinkedHashMap<>();
        for (int i = 0; i < 200; i++) {
            gold.add(text("s" + i));
            boolean right = i % 2 == 0;
            before.put("s" + i, right ? abstained("s" + i) : reasoned("s" + i, call("book", "{\"seats\": 1}")));
            after.put(
                    "s" + i, right || i < 20 ? abstained("s" + i) : reasoned("s" + i, call("book", "{\"seats\": 1}")));
        }
        Comparer.Paired row = row(comparer(Bootstrap.DEFAULT).compare(gold, POOL, before, after), "sr");
        assertThat(row.difference()).isEqualTo(5);
        // 10 of 200 changed: standard error of the mean of pairs is 1.54; of unpaired halves it would be 5
        assertThat(Objects.requireNonNull(row.interval()).low()).isBetween(1.5, 2.5);
        assertThat(Objects.requireNonNull(row.interval()).high()).isBetween(7.5, 8.6);
    }

    @Test
    void theSameTwiceDiffersByNothingAndTheSameSeedGivesTheSame() {
        Map<String, Prediction> some = byId(malformed("a"), abstained("s"), abstained("t"), abstained("u"));
        Map<String, Prediction> texts =
                byId(responded("a", "<recommendations>["), abstained("s"), abstained("t"), abstained("u"));
        Comparer.Comparison comparison = comparer(Bootstrap.DEFAULT).compare(GOLD, POOL, texts, texts);
        assertThat(comparison.rows().values()).allSatisfy(row -> {
            assertThat(Objects.requireNonNull(row).difference()).isZero();
            assertThat(Objects.requireNonNull(row.interval()).low()).isZero();
            assertThat(Objects.requireNonNull(row.interval()).high()).isZero();
        });
        assertThat(comparer(Bootstrap.DEFAULT).compare(GOLD, POOL, texts, texts))
                .isEqualTo(comparison);
        assertThatThrownBy(() -> comparer(Bootstrap.DEFAULT).compare(GOLD, POOL, some, texts))
                .hasMessageContaining("prediction a is malformed and has no response")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void aMalformedAnswerOfThePerceiverEarnsNothing() {
        Map<String, Prediction> before = byId(
                abstained("a"), Cases.prediction("s", Prediction.Route.SILENT, null), abstained("t"), Cases.gated("u"));
        Map<String, Prediction> after = byId(abstained("a"), abstained("s"), abstained("t"), abstained("u"));
        Comparer.Comparison comparison = comparer(Bootstrap.DEFAULT).compare(GOLD, POOL, before, after);
        assertThat(row(comparison, "reward").difference())
                .as("a right silence's reward in one of four")
                .isCloseTo(8.5 / 4, within(1e-9));
        assertThat(row(comparison, "malformed").before()).isEqualTo(25);
        assertThat(row(comparison, "type_acc").before()).isEqualTo(50);
        assertThat(row(comparison, "sr").before()).isEqualTo(50);
    }

    @Test
    void aMetricWithoutSamplesIsNull() {
        List<Sample> silent = List.of(text("s"));
        Comparer.Comparison comparison =
                comparer(Bootstrap.DEFAULT).compare(silent, POOL, byId(abstained("s")), byId(abstained("s")));
        JsonNode json = JsonRecords.tree(comparison);
        assertThat(json.fieldNames()).toIterable().startsWith("n", "resamples", "seed", "judge", "reward", "type_acc");
        assertThat(json.get("sr_act").isNull()).isTrue();
        assertThat(json.at("/sr/n").intValue()).isEqualTo(1);
        assertThat(json.at("/sr/ci").isNull()).as("of one source").isTrue();
    }
}

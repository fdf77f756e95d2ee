package dev.prpf.par.reward;

import static dev.prpf.par.reward.RewardCases.calls;
import static dev.prpf.par.reward.RewardCases.sample;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseForm.ReasoningMode;
import dev.prpf.par.reward.ResponseScorer.RewardLine;
import dev.prpf.par.reward.ResponseScorer.Scored;
import dev.prpf.par.reward.RewardBreakdown.ConfusionOutcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The way from a sample's id and a response to its reward, whoever asks. */
class ResponseScorerTest {
    private static final StructuredReward REWARD = new StructuredReward(RewardSettings.PAPER, RewardCases.POOL);
    private static final Sample ACTING = sample(calls("set_alarm{\"time\":\"08:30\"}"));
    private static final Sample SILENT = sample("silent", List.of());
    private static final String REASONED = "<thinking>无</thinking><recommendations>[]</recommendations>";

    private static ResponseScorer scorer(@Nullable ReasoningMode reasoning) {
        return new ResponseScorer(REWARD, Map.of("s", ACTING, "silent", SILENT), reasoning);
    }

    @Test
    void scorerGivesTheRewardsValues() {
        ResponseScorer scorer = scorer(null);
        for (String response : List.of("无推荐", "oops", REASONED)) {
            Scored scored = scorer.score("silent", response);
            assertThat(scored.id()).isEqualTo("silent");
            assertThat(scored.reward()).isEqualTo(REWARD.score(SILENT, response, ResponseForm.ANY));
        }
        List<List<FunctionCall>> predicted = List.of(calls("open_map{}"), List.of());
        assertThat(scorer.score("s", predicted).reward()).isEqualTo(REWARD.score(ACTING, calls("open_map{}")));
        assertThat(scorer.score("s", List.of()).reward()).isEqualTo(REWARD.score(ACTING, List.of()));
    }

    @Test
    void theFormAskedForDecides() {
        assertThat(scorer(null).score("silent", REASONED).fault()).isNull();
        Scored scored = scorer(ReasoningMode.NONE).score("silent", REASONED);
        assertThat(Objects.requireNonNull(scored.fault()).why()).contains("<thinking> has no place");
        assertThat(scored.reward().outcome()).isNull();
    }

    @Test
    void lineIsRewardedByItsFields() {
        ResponseScorer scorer = scorer(null);
        assertThat(scorer.score(new ResponseLine("silent", "无推荐", null))
                        .reward()
                        .outcome())
                .isEqualTo(ConfusionOutcome.TN);
        assertThat(scorer.score(new ResponseLine("s", null, List.of())).reward().outcome())
                .isEqualTo(ConfusionOutcome.FN);
    }

    @Test
    void correctnessIsTheFilterOfGroups() {
        ResponseScorer scorer = scorer(null);
        assertThat(scorer.score("silent", List.of()).reward().correctness()).isEqualTo(1);
        assertThat(scorer.score("silent", List.of(calls("open_map{}"))).reward().correctness())
                .isZero();
        assertThat(scorer.score("s", List.of()).reward().correctness()).isZero();
        assertThat(scorer.score("s", "oops").reward().correctness()).isZero();
        assertThat(scorer.score("s", List.of(calls("set_alarm{\"time\":\"08:30\"}")))
                        .reward()
                        .correctness())
                .isEqualTo(1);
        assertThat(scorer.score("s", List.of(calls("set_alarm{\"time\":\"08:31\"}")))
                        .reward()
                        .correctness())
                .isGreaterThan(0.5)
                .isLessThan(1);
    }

    @Test
    void unknownIdIsTheCallersBug() {
        ResponseScorer scorer = scorer(null);
        assertThat(scorer.ids()).isEqualTo(Set.of("s", "silent"));
        assertThatThrownBy(() -> scorer.score("nobody", "x")).hasMessage("id \"nobody\" is not a sample's");
    }

    @Test
    void configurationIsCompleteExceptForSamples() {
        String before = scorer(null).configuration();
        assertThat(before).matches("[0-9a-f]{64}");
        assertThat(new ResponseScorer(REWARD, Map.of("s", ACTING), null).configuration())
                .as("samples do not count: an export holds some of a file's")
                .isEqualTo(before);
        Map<String, Double> weights = new LinkedHashMap<>(RewardSettings.PAPER.weights());
        weights.put("fp", 3.0);
        RewardSettings other = new RewardSettings(weights, RewardSettings.PAPER.triggerCredit(), 0.5, 0.5, 1);
        assertThat(ResponseScorer.configuration(new StructuredReward(other, RewardCases.POOL), null))
                .isNotEqualTo(before);
        FunctionPool less =
                new FunctionPool(RewardCases.POOL.functions().stream().skip(1).toList());
        assertThat(ResponseScorer.configuration(new StructuredReward(RewardSettings.PAPER, less), null))
                .isNotEqualTo(before);
        assertThat(scorer(ReasoningMode.NONE).configuration()).isNotEqualTo(before);
    }

    @Test
    void manyThreadsShareAScorer() {
        ResponseScorer scorer = scorer(null);
        List<Double> totals = IntStream.range(0, 2000)
                .parallel()
                .mapToObj(i -> scorer.score(i % 2 == 0 ? "s" : "silent", i % 3 == 0 ? "无推荐" : "oops" + i)
                        .reward()
                        .total())
                .toList();
        List<Double> alone = IntStream.range(0, 2000)
                .mapToObj(i -> scorer.score(i % 2 == 0 ? "s" : "silent", i % 3 == 0 ? "无推荐" : "oops" + i)
                        .reward()
                        .total())
                .toList();
        assertThat(totals).isEqualTo(alone);
    }

    @Test
    void answerLineFollowsTheContract() {
        assertThat(JsonRecords.write(RewardLine.of(scorer(null).score("silent", "oops"))))
                .isEqualTo("{\"id\":\"silent\",\"total\":0.0,\"terms\":{\"trig\":0.0,\"func\":0.0,\"args\":0.0,"
                        + "\"schema\":0.0,\"tn\":0.0,\"fp\":0.0,\"cov\":0.0,\"over\":0.0},\"quadrant\":null}");
    }
}

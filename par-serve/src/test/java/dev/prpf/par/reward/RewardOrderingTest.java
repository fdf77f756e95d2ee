package dev.prpf.par.reward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.response.ResponseWriter;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the order of rewards (PRPF A.4) for one gold answer, over random pools, answers and responses. For actions it is malformed < FN <
 * wrong functions < partly right < fully right. For silence it is FP < 0 <= malformed < TN. Responses are compared at equal numbers of
 * redundant calls, up to three (docs/REWARD.md says why).
 */
class RewardOrderingTest {
    private static final int SAMPLES = 300;
    private static final int MAX_REDUNDANT = 3;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whereActionIsDue(long seed) {
        RandomGold random = new RandomGold(seed);
        for (int i = 0; i < SAMPLES; i++) {
            random.nextPool();
            List<FunctionCall> gold = random.calls();
            Sample sample = RewardCases.sample("s", List.of(new Recommendation("", gold)));
            StructuredReward reward = new StructuredReward(RewardSettings.PAPER, random.pool());
            double missed = total(reward, sample, text(List.of()));
            double right = total(reward, sample, text(random.rewritten(gold)));
            assertThat(total(reward, sample, malformed(random, gold))).isLessThan(missed);
            for (int redundant = 0; redundant <= MAX_REDUNDANT; redundant++) {
                double wrong = total(reward, sample, text(random.foreign(gold, gold.size() + redundant)));
                List<FunctionCall> half = random.with(random.spoiled(gold), random.foreign(gold, redundant));
                double partly = total(reward, sample, text(half));
                assertThat(missed).as("FN < wrong functions").isLessThan(wrong);
                assertThat(wrong)
                        .as("wrong functions < partly right: %s for %s", half, gold)
                        .isLessThan(partly);
                assertThat(partly)
                        .as("partly < fully right: %s for %s", half, gold)
                        .isLessThan(right);
            }
            double few = total(reward, sample, text(random.foreign(gold, 1)));
            assertThat(few).isGreaterThan(missed);
            double more = total(reward, sample, text(random.with(gold, random.foreign(gold, 1))));
            assertThat(more).as("redundant calls are not fully right").isLessThan(right);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5})
    void whereSilenceIsDue(long seed) {
        RandomGold random = new RandomGold(seed);
        for (int i = 0; i < SAMPLES; i++) {
            random.nextPool();
            Sample sample = RewardCases.sample("s", List.of());
            StructuredReward reward = new StructuredReward(RewardSettings.PAPER, random.pool());
            List<FunctionCall> calls = random.calls();
            double malformed = total(reward, sample, malformed(random, calls));
            assertThat(total(reward, sample, text(calls))).isNegative();
            assertThat(malformed).isNotNegative();
            assertThat(malformed).isLessThan(total(reward, sample, text(List.of())));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {6, 7})
    void anyValidAnswerIsFullyRight(long seed) {
        RandomGold random = new RandomGold(seed);
        for (int i = 0; i < SAMPLES; i++) {
            random.nextPool();
            List<FunctionCall> first = random.calls();
            List<FunctionCall> second = random.spoiled(first);
            Sample sample =
                    RewardCases.sample("s", List.of(new Recommendation("", first), new Recommendation("", second)));
            StructuredReward reward = new StructuredReward(RewardSettings.PAPER, random.pool());
            assertThat(total(reward, sample, text(first))).isCloseTo(8.2, within(1e-9));
            assertThat(total(reward, sample, text(second))).isCloseTo(8.2, within(1e-9));
        }
    }

    private static String text(List<FunctionCall> calls) {
        List<Recommendation> recommendations = calls.isEmpty() ? List.of() : List.of(new Recommendation("i", calls));
        return ResponseWriter.write(new ParResponse.Parsed(null, null, null, recommendations));
    }

    private static String malformed(RandomGold random, List<FunctionCall> calls) {
        String text;
        do {
            text = random.damaged(text(random.silent() ? List.of() : calls));
        } while (ResponseParser.parse(text) instanceof ParResponse.Parsed);
        return text;
    }

    private static double total(StructuredReward reward, Sample sample, String text) {
        RewardBreakdown breakdown = reward.score(sample, text, ResponseForm.ANY);
        assertThat(breakdown.terms().values())
                .allSatisfy(term -> assertThat(term).isFinite());
        assertThat(breakdown.terms().values().stream()
                        .mapToDouble(Double::doubleValue)
                        .sum())
                .as("the terms add up")
                .isCloseTo(breakdown.total(), within(1e-9));
        return breakdown.total();
    }
}

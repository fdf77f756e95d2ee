package dev.prpf.par.reward;

import static dev.prpf.par.reward.RewardCases.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import dev.prpf.par.reward.ValueSimilarity.TextSimilarity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueSimilarityTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"abcd\" | \"abcd\" | 1",
                "\"abcd\" | \"abxd\" | 0.75",
                "\"ab\" | \"abcd\" | 0.5",
                "\"１２ \" | \"12\" | 1",
                "\"北京南站\" | \"北京西站\" | 0.75",
                "\"x\" | \"yz\" | 0",
                "3 | 3 | 1",
                "3 | 3.0 | 1",
                "3 | 4 | 0.75",
                "-3 | 3 | 0",
                "0 | 5 | 0",
                "100 | 99 | 0.99",
                "true | true | 1",
                "true | false | 0",
                "3 | \"3\" | 0",
                "true | \"true\" | 0",
                "[\"a\"] | \"a\" | 0",
                "{} | [] | 0",
                "[] | [] | 1",
                "[] | [1] | 0",
                "[1,2] | [1,2] | 1",
                "[1,2] | [2,1] | 0.5",
                "[\"a\",\"b\",\"c\"] | [\"a\",\"c\"] | 0.6666666666666666",
                "[\"c\",\"a\"] | [\"a\",\"c\"] | 0.5",
                "{\"a\":1,\"b\":2} | {\"b\":2,\"a\":1} | 1",
                "{\"a\":1} | {\"a\":1,\"b\":\"\"} | 1",
                "{\"a\":1} | {\"a\":1,\"b\":2} | 0.5",
                "{\"a\":1,\"c\":null,\"d\":3} | {\"a\":1,\"b\":2} | 0.3333333333333333",
                "{} | {} | 1",
                "{\"l\":[{\"a\":\"xy\"}]} | {\"l\":[{\"a\":\"xz\"}]} | 0.5",
            })
    void byType(String predicted, String gold, double similarity) {
        assertThat(of(predicted, gold)).isCloseTo(similarity, within(1e-12));
        assertThat(of(gold, predicted)).as("symmetric").isCloseTo(similarity, within(1e-12));
    }

    private static double of(String predicted, String gold) {
        return ValueSimilarity.of(json(predicted), json(gold), false, null);
    }

    @Test
    void nearIsAsBadAsFarInAnEnumeration() {
        assertThat(ValueSimilarity.of(json("\"daily\""), json("\"dairy\""), true, null))
                .isZero();
        assertThat(ValueSimilarity.of(json("\"daily\""), json("\" daily\""), true, null))
                .isEqualTo(1);
        assertThat(ValueSimilarity.of(json("7"), json("8"), true, null)).isZero();
        assertThat(ValueSimilarity.of(json("[\"Mon\",\"Tue\"]"), json("[\"Mon\",\"Tux\"]"), true, null))
                .isEqualTo(0.5);
    }

    @Test
    void aDictsFieldsMayBeEnumerationsToo() {
        JsonNode structure = json("{\"unit\":[\"km\",\"kg\"],\"inner\":{\"type\":\"dict\",\"value\":{\"mode\":"
                + "{\"type\":\"string\",\"value\":[\"on\",\"off\"]}}},\"free\":\"what it is\"}");
        assertThat(similar("{\"unit\":\"km\"}", "{\"unit\":\"kg\"}", structure)).isZero();
        assertThat(similar("{\"free\":\"km\"}", "{\"free\":\"kg\"}", structure)).isEqualTo(0.5);
        assertThat(similar("{\"inner\":{\"mode\":\"on\"}}", "{\"inner\":{\"mode\":\"off\"}}", structure))
                .isZero();
        assertThat(similar("{\"other\":\"on\"}", "{\"other\":\"of\"}", structure))
                .isEqualTo(0.5);
        assertThat(similar("[{\"unit\":\"km\"}]", "[{\"unit\":\"kg\"}]", structure))
                .as("a list's structure is that of its elements")
                .isZero();
    }

    private static double similar(String predicted, String gold, JsonNode structure) {
        return ValueSimilarity.of(json(predicted), json(gold), false, structure);
    }

    @Test
    void largeNumbersBeyondDoublePrecisionDiffer() {
        assertThat(of("9007199254740993", "9007199254740992")).isLessThan(1);
    }

    @Test
    void numbersBeyondADoubleAreFinite() {
        JsonNode infinite = DoubleNode.valueOf(Double.POSITIVE_INFINITY);
        assertThat(ValueSimilarity.of(infinite, json("1"), false, null)).isZero();
        assertThat(ValueSimilarity.of(infinite, infinite, false, null)).isEqualTo(1);
        assertThat(ValueSimilarity.of(json("1" + "0".repeat(400)), json("5"), false, null))
                .isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2026-03-05 | 2026-03-06 | 2/3",
                "2026-03-05 | 2026/3/5 | 3/3",
                "2026年3月5日 | 2026-03-05 | 3/3",
                "2026-03-05 08:30 | 2026-03-05T09:30:00 | 5/6",
                "2026年3月5日8点30分 | 2026-03-05 08:30 | 6/6",
                "3月5日 | 3月15号 | 1/2",
                "08:30 | 8:30 | 3/3",
                "08：30 | 07:30 | 2/3",
                "8点 | 08:00:00 | 3/3",
            })
    void datesByTheirParts(String predicted, String gold, String share) {
        String[] parts = share.split("/", -1);
        assertThat(TextSimilarity.of(predicted, gold))
                .isCloseTo(Double.parseDouble(parts[0]) / Double.parseDouble(parts[1]), within(1e-12));
    }

    @ParameterizedTest
    @CsvSource({
        "2026-13-05, 2026-12-05", // no month 13
        "08:30, 2026-03-05", // other parts
        "3.5, 3.6", // a number, not the fifth of March
        "08:75, 08:74",
        "2026-03.05, 2026-03.06",
        "12, 13",
        "08:30开会, 08:40开会"
    })
    void whatIsNoDateIsText(String predicted, String gold) {
        int longer = Math.max(predicted.length(), gold.length());
        double similarity = TextSimilarity.of(predicted, gold);
        assertThat(similarity * longer).as("whole edits").isCloseTo(Math.rint(similarity * longer), within(1e-9));
        assertThat(similarity).isLessThan(1);
    }
}

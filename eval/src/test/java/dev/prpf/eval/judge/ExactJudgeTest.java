package dev.prpf.eval.judge;

import static dev.prpf.eval.judge.Pairs.pair;
import static dev.prpf.eval.judge.Pairs.pool;
import static dev.prpf.eval.score.Cases.call;
import static dev.prpf.eval.score.Cases.calls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

class ExactJudgeTest {
    private final Judge judge = Judge.standard();

    private boolean equal(String predicted, String answer) {
        return equal(Pairs.NO_POOL, predicted, answer);
    }

    private boolean equal(FunctionPool pool, String predicted, String answer) {
        boolean forward = equal(pool, call("f", predicted), call("f", answer));
        boolean backward = equal(pool, call("f", answer), call("f", predicted));
        assertThat(forward).as("the judge is symmetric").isEqualTo(backward);
        return forward;
    }

    private boolean equal(FunctionPool pool, List<FunctionCall> predicted, List<FunctionCall> answer) {
        List<Judge.Verdict> verdicts = judge.judge(List.of(new Judge.Case(Pairs.sample("s"), pool, predicted, answer)));
        assertThat(verdicts).singleElement().satisfies(verdict -> {
            assertThat(verdict.abstained()).isFalse();
            assertThat(verdict.reason()).isNotBlank();
        });
        return Boolean.TRUE.equals(verdicts.get(0).equivalent());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | {\"p\":\"\"}",
                "{} | {\"p\":null}",
                "{} | {\"p\":\"  \"}",
                "{\"p\":\"\"} | {\"p\":null}",
                "{\"n\":3} | {\"n\":3.0}",
                "{\"n\":1e2} | {\"n\":100}",
                "{\"n\":0} | {\"n\":0.00}",
                "{\"s\":\"武汉 \"} | {\"s\":\" 武汉\"}",
                "{\"s\":\"１２：３０\"} | {\"s\":\"12:30\"}",
                "{\"a\":1,\"b\":2} | {\"b\":2,\"a\":1}",
                "{\"d\":{\"a\":1,\"b\":[1,{\"c\":2}]}} | {\"d\":{\"b\":[1.0,{\"c\":2}],\"a\":1}}",
                "{\"d\":{\"a\":1,\"b\":\"\"}} | {\"d\":{\"a\":1}}",
                "{\"l\":[1,null]} | {\"l\":[1.0,null]}",
                "{\"s\":\"Wuhan\"} | {\"s\":\"wuhan\"}",
                "{\"s\":\"ＷiFi\"} | {\"s\":\"WIFI\"}",
                "{\"d\":\"2026-06-04\"} | {\"d\":\"2026年6月4日\"}",
                "{\"d\":{\"from\":\"2026/6/4\"}} | {\"d\":{\"from\":\"2026年06月04日\"}}",
                "{\"l\":[\"5 km\",\"8点\"]} | {\"l\":[\"5公里\",\"08:00\"]}",
            })
    void equal_parameters(String predicted, String answer) {
        assertThat(equal(predicted, answer)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | {\"p\":\"x\"}",
                "{\"p\":\"x\"} | {\"q\":\"x\"}",
                "{\"n\":3} | {\"n\":4}",
                "{\"n\":3} | {\"n\":\"3\"}",
                "{\"n\":5} | {\"n\":\"5 km\"}",
                "{\"b\":true} | {\"b\":\"true\"}",
                "{\"b\":true} | {\"b\":false}",
                "{\"b\":false} | {}",
                "{\"n\":0} | {}",
                "{\"s\":\"a b\"} | {\"s\":\"a  b\"}",
                "{\"l\":[1,2]} | {\"l\":[2,1]}",
                "{\"l\":[1]} | {\"l\":[1,null]}",
                "{\"l\":[1]} | {\"l\":[1,1]}",
                "{\"l\":[]} | {}",
                "{\"l\":[\"a\"]} | {\"l\":\"a\"}",
                "{\"d\":{\"a\":1}} | {\"d\":{\"a\":2}}",
                "{\"s\":\"5 km\"} | {\"s\":\"5 m\"}",
                "{\"d\":\"2026-06-04\"} | {\"d\":\"2026-06-05\"}",
                "{\"P\":1} | {\"p\":1}",
            })
    void unequal_parameters(String predicted, String answer) {
        assertThat(equal(predicted, answer)).isFalse();
    }

    /** Pairs of different values, one pair a line, as JSON. */
    @ParameterizedTest
    @CsvFileSource(resources = "/different-values.tsv", delimiter = '\t', quoteCharacter = '\0')
    void differentValues_areNeverEqual(String one, String other) {
        assertThat(equal("{\"p\":" + one + "}", "{\"p\":" + other + "}")).isFalse();
        assertThat(equal("{\"p\":[" + one + "]}", "{\"p\":[" + other + "]}")).isFalse();
    }

    /** The promise of JUDGES.md: equal calls have equal effects, and paraphrases count as different. */
    @Test
    void itsSrIsALowerBound_asTheDocumentSays() throws IOException {
        assertThat(Path.of("../docs/JUDGES.md"))
                .content()
                .contains("the SR of the exact judge is a lower bound")
                .contains("never equates different values");
        List<String> pairs = Files.readAllLines(Path.of("src/test/resources/different-values.tsv"));
        assertThat(pairs).hasSizeGreaterThanOrEqualTo(200);
        assertThat(equal("{\"p\":\"明天下午三点\"}", "{\"p\":\"明天15:00\"}"))
                .as("a paraphrase of one value")
                .isFalse();
    }

    @Test
    void listsAreSetsWhereThePoolSaysSo() {
        FunctionPool choice = pool("f", "list", "mon", "tue", "wed");
        assertThat(equal(choice, "{\"p\":[\"mon\",\"WED\"]}", "{\"p\":[\"wed\",\"mon\",\"mon\"]}"))
                .as("a choice of several has no order")
                .isTrue();
        assertThat(equal(choice, "{\"p\":[\"mon\"]}", "{\"p\":[\"mon\",\"wed\"]}"))
                .isFalse();
        assertThat(equal(pool("f", "set"), "{\"p\":[\"b\",\"a\"]}", "{\"p\":[\"a\",\"b\"]}"))
                .isTrue();
        assertThat(equal(pool("f", "list"), "{\"p\":[\"b\",\"a\"]}", "{\"p\":[\"a\",\"b\"]}"))
                .as("a list without enumeration may be a route")
                .isFalse();
        assertThat(equal(choice, "{\"p\":{\"q\":[1,2]}}", "{\"p\":{\"q\":[2,1]}}"))
                .isFalse();
    }

    @Test
    void enumeratedStringsAreNames() {
        FunctionPool modes = pool("f", "string", "1 km", "1000 m");
        assertThat(equal(modes, "{\"p\":\"1 km\"}", "{\"p\":\"1000 m\"}")).isFalse();
        assertThat(equal(modes, "{\"p\":\"1 KM\"}", "{\"p\":\"１ km\"}")).isTrue();
        assertThat(equal(pool("f", "string"), "{\"p\":\"1 km\"}", "{\"p\":\"1000 m\"}"))
                .isTrue();
    }

    @Test
    void sequencesAreOrdered() {
        assertThat(equal(Pairs.NO_POOL, calls("a", "b"), calls("a", "b"))).isTrue();
        assertThat(equal(Pairs.NO_POOL, calls("a", "b"), calls("b", "a"))).isFalse();
        assertThat(equal(Pairs.NO_POOL, calls("a"), calls("a", "a"))).isFalse();
    }

    @Test
    void theReasonNamesTheFirstDifference() {
        List<Judge.Verdict> verdicts = judge.judge(List.of(
                pair("s", calls("a"), calls("a")),
                pair("s", calls("a"), calls("b", "c")),
                pair("s", call("f", "{\"x\":1,\"seats\":3}"), call("f", "{\"x\":1,\"seats\":\"3\"}")),
                pair("s", call("f", "{}"), call("f", "{\"seats\":2}"))));
        assertThat(verdicts)
                .extracting(Judge.Verdict::reason)
                .containsExactly(
                        "equal calls",
                        "calls [a], the answer calls [b, c]",
                        "f: seats = 3, the answer has \"3\"",
                        "f: seats = nothing, the answer has 2");
        assertThat(verdicts).extracting(Judge.Verdict::equivalent).containsExactly(true, false, false, false);
        assertThat(judge.id()).isEqualTo("exact");
    }

    @Test
    void namesAreTakenLetterByLetter() {
        assertThat(equal(Pairs.NO_POOL, calls("Book"), calls("book"))).isFalse();
    }

    @Test
    void numbersBeyondADoubleAreNoCrash() {
        assertThat(equal("{\"n\":1e999}", "{\"n\":1e999}")).isTrue();
        assertThat(equal("{\"n\":1e999}", "{\"n\":1}")).isFalse();
    }
}

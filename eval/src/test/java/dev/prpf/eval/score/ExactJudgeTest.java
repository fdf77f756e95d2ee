package dev.prpf.eval.score;

import static dev.prpf.eval.score.Cases.call;
import static dev.prpf.eval.score.Cases.calls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExactJudgeTest {
    private static final Sample SAMPLE = Cases.text("s");
    private final Judge judge = Judge.standard();

    private boolean equal(String predicted, String answer) {
        boolean forward = equal(call("f", predicted), call("f", answer));
        boolean backward = equal(call("f", answer), call("f", predicted));
        assertThat(forward).as("the judge is symmetric").isEqualTo(backward);
        return forward;
    }

    private boolean equal(List<FunctionCall> predicted, List<FunctionCall> answer) {
        List<Judge.Verdict> verdicts = judge.judge(List.of(new Judge.Case(SAMPLE, predicted, answer)));
        assertThat(verdicts).singleElement().satisfies(verdict -> {
            assertThat(verdict.abstained()).isFalse();
            assertThat(verdict.reason()).isNotBlank();
        });
        return verdicts.get(0).equivalent();
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
                "{\"b\":true} | {\"b\":\"true\"}",
                "{\"b\":true} | {\"b\":false}",
                "{\"b\":false} | {}",
                "{\"n\":0} | {}",
                "{\"s\":\"Wuhan\"} | {\"s\":\"wuhan\"}",
                "{\"s\":\"a b\"} | {\"s\":\"a  b\"}",
                "{\"l\":[1,2]} | {\"l\":[2,1]}",
                "{\"l\":[1]} | {\"l\":[1,null]}",
                "{\"l\":[]} | {}",
                "{\"l\":[\"a\"]} | {\"l\":\"a\"}",
                "{\"d\":{\"a\":1}} | {\"d\":{\"a\":2}}",
            })
    void unequal_parameters(String predicted, String answer) {
        assertThat(equal(predicted, answer)).isFalse();
    }

    @Test
    void sequencesAreOrdered() {
        assertThat(equal(calls("a", "b"), calls("a", "b"))).isTrue();
        assertThat(equal(calls("a", "b"), calls("b", "a"))).isFalse();
        assertThat(equal(calls("a"), calls("a", "a"))).isFalse();
    }

    @Test
    void oneVerdictACaseInOrder() {
        assertThat(judge.judge(List.of(
                        new Judge.Case(SAMPLE, calls("a"), calls("a")),
                        new Judge.Case(SAMPLE, calls("a"), calls("b")))))
                .extracting(Judge.Verdict::equivalent)
                .containsExactly(true, false);
        assertThat(judge.id()).isEqualTo("exact");
    }

    @Test
    void namesAreTakenLetterByLetter() {
        assertThat(equal(calls("Book"), calls("book"))).isFalse();
    }

    @Test
    void numbersBeyondADoubleAreNoCrash() {
        assertThat(equal("{\"n\":1e999}", "{\"n\":1e999}")).isTrue();
        assertThat(equal("{\"n\":1e999}", "{\"n\":1}")).isFalse();
    }
}

package dev.prpf.eval.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.eval.judge.VerdictReader.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VerdictReaderTest {
    private static Judge.Verdict verdict(String text) {
        return ((Reading.Read) VerdictReader.read(text, false)).verdict();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"reason\": \"same place\", \"equivalent\": true}",
                "  {\"equivalent\":true,\"reason\":\"same\\n place\"} ",
                "```json\n{\"reason\": \"same place\", \"equivalent\": true}\n```",
                "<think>{\"equivalent\": false} no …</think>\n{\"reason\": \"same place\", \"equivalent\": true}",
                "My verdict: {\"reason\": \"same place\", \"equivalent\": true}. Done.",
                "{\"reason\": \"same place\", \"equivalent\": true, \"confidence\": 0.9}"
            })
    void oneObjectIsAVerdict(String text) {
        assertThat(verdict(text)).isEqualTo(new Judge.Verdict(true, "same place"));
    }

    @Test
    void theModelMayAbstain() {
        assertThat(verdict("{\"reason\": \"the date is not given\", \"equivalent\": null}"))
                .isEqualTo(new Judge.Verdict(null, "the date is not given"));
        assertThat(verdict("{\"reason\": \"other city\", \"equivalent\": false}")
                        .equivalent())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | it holds no JSON object: \"\"",
                "Yes, they are equivalent. | it holds no JSON object: \"Yes, they are equivalent.\"",
                "<think>perhaps {\"reason\":\"a\",\"equivalent\":true} | its thoughts do not end: ",
                "} { | it holds no JSON object: \"} {\"",
                "{\"reason\": \"cut off | it holds no JSON object: \"{\"reason\": \"cut off\"",
                "{reason: 'x'} | it is not JSON: \"{reason: 'x'}\"",
                "{\"reason\":\"a\",\"equivalent\":true} {\"reason\":\"b\",\"equivalent\":false} | it is not JSON: ",
                "{\"reason\":\"a\",\"equivalent\":true,\"equivalent\":false} | it is not JSON: ",
                "{\"equivalent\": true} | its \"reason\" is no text: ",
                "{\"reason\": \" \", \"equivalent\": true} | its \"reason\" is no text: ",
                "{\"reason\": 5, \"equivalent\": true} | its \"reason\" is no text: ",
                "{\"reason\": \"a\"} | its \"equivalent\" is not true, false or null: ",
                "{\"reason\": \"a\", \"equivalent\": \"yes\"} | its \"equivalent\" is not true, false or null: ",
                "{\"reason\": \"a\", \"equivalent\": 1} | its \"equivalent\" is not true, false or null: ",
            })
    void anythingElseIsNoVerdict(String text, String why) {
        assertThat(VerdictReader.read(text, false))
                .isInstanceOfSatisfying(
                        Reading.Junk.class, junk -> assertThat(junk.why()).startsWith(why));
    }

    @Test
    void aTextThatWasCutMustEndWithItsObject() {
        String draft = "{\"reason\": \"same place\", \"equivalent\": true}";
        String more = draft + " Wait, the dates";
        assertThat(VerdictReader.read(more, false)).isInstanceOf(Reading.Read.class);
        assertThat(VerdictReader.read(more, true))
                .isInstanceOfSatisfying(Reading.Junk.class, junk -> assertThat(junk.why())
                        .startsWith("it goes on behind its JSON object: "));
        assertThat(VerdictReader.read(draft + "\n", true)).isInstanceOf(Reading.Read.class);
    }

    @Test
    void longJunkIsShownShort() {
        assertThat(((Reading.Junk) VerdictReader.read("no ".repeat(1000), false)).why())
                .hasSizeLessThan(150);
    }
}

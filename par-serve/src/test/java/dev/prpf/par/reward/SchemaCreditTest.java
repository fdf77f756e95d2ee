package dev.prpf.par.reward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.RandomResponses;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.reward.StructuredReward.SchemaCredit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaCreditTest {
    private static final String CALL = "{\"name\":\"f\",\"parameters\":{}}";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | 0",
                "I would set an alarm. | 0",
                "[] | 0",
                "<recommendations></recommendations> | 0.25", // only the tags
                "<recommendations>[{</recommendations> | 0.25",
                "<recommendations>{\"a\":1}</recommendations> | 0.5", // tags and JSON
                "<recommendations>[{\"a\":1}]</recommendations> | 0.75", // an entry without calls has no broken call
                "<recommendations>[{\"instruction\":\"i\",\"function\":[{\"name\":\"f\"}]}]</recommendations> | 0.75",
                "<recommendations>[{\"function\":[{\"name\":\"f\"}]}]</recommendations> | 0.5",
                "<recommendations>[1]</recommendations> | 0.75",
                "<recommendations>[] | 0.75", // all but the tags
                "[]</recommendations> | 0",
                "ok <recommendations>[]</recommendations> | 0.75", // only stray text
                "<recommendations>[]</recommendations><thinking>x</thinking> | 0.75",
                "<thinking>x</thinking><recommendations>[{]</recommendations> | 0.25",
                "<thinking><recommendations>[{]</recommendations> | 0",
                "<function></function> | 0.25",
                "<rec>r</rec><function>{\"a\":1}</function> | 0.5",
                "<rec>无推荐</rec><function>{\"model_recommendation\":[" + CALL + "]}</function> | 0.75", // says none
                "<function>{\"model_recommendation\":[{\"name\":\"f\"}]}</function> | 0.75",
                "<function>{\"model_recommendation\":[{\"name\":\"f\"}]}</function><rec>r</rec> | 0.5",
            })
    void quarters(String text, double credit) {
        assertThat(ResponseParser.parse(text)).isInstanceOf(ParResponse.Malformed.class);
        assertThat(SchemaCredit.ofMalformed(text, ResponseForm.ANY)).isEqualTo(credit);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[,]", "[],", "{\"a\":1,\"a\":2}", "[\"\\ud800\"]"})
    void jsonBeyondTheBounds_isNoJson(String block) {
        String deep = block.equals("[,]") ? "[".repeat(65) + "]".repeat(65) : block;
        String large = deep.equals("[],") ? "[" + "[],".repeat(30_000) + "0]" : deep;
        assertThat(SchemaCredit.ofMalformed("<recommendations>" + large + "</recommendations>", ResponseForm.ANY))
                .isEqualTo(0.25);
    }

    /** Responses of another form than the text's first tag: only the tags of their own form count. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // form, credit in it, credit where any form may be meant
                "BARE | <think>t</think><recommendations>[]</recommendations> | 0.75 | 0",
                "TEXT | <think>t</think><recommendations>[]</recommendations> | 0.75 | 0",
                "SCREENS | <rec>r</rec><recommendations>{}</recommendations> | 0.5 | 0",
                "TEXT | <think>t</think><thinking>x</thinking><recommendations>[{]</recommendations> | 0.25 | 0",
                "BARE | <function>{`model_recommendation`:[]}</function> | 0 | 0.75",
                "TEXT | <function>{`model_recommendation`:[]}</function> | 0 | 0.75",
                "SCREENS | <rec>r</rec><function>{`a`:1}</function> | 0 | 0.5",
                "BARE | <thinking>x</thinking><recommendations>[{]</recommendations> | 0.25 | 0.25",
                "FUNCTION | <recommendations>[]</recommendations> | 0 | 0.75",
                "REC_FUNCTION | <thinking>x</thinking><rec>r</rec><function>{`a`:1}</function> | 0.5 | 0",
                "THINK_FUNCTION | ok <function>{`model_recommendation`:[]}</function> | 0.75 | 0",
            })
    void theFormsOwnTagsCount(ResponseForm form, String written, double credit, double creditOfAny) {
        String text = written.replace('`', '"');
        assertThat(ResponseParser.parse(text, form)).isInstanceOf(ParResponse.Malformed.class);
        assertThat(SchemaCredit.ofMalformed(text, form)).isEqualTo(credit);
        assertThat(SchemaCredit.ofMalformed(text, ResponseForm.ANY)).isEqualTo(creditOfAny);
    }

    @Test
    void duplicateKeysAreInvalidJson() {
        String twice = "<recommendations>[{\"instruction\":\"a\",\"instruction\":\"b\",\"function\":[" + CALL
                + "]}]</recommendations>";
        assertThat(SchemaCredit.ofMalformed(twice, ResponseForm.ANY)).isEqualTo(0.25);
    }

    @Test
    void damagedTextNeverEarnsFullCredit() {
        RandomResponses responses = new RandomResponses(11);
        int malformed = 0;
        for (int i = 0; i < 2000; i++) {
            String text = responses.damaged(ResponseWriter.write(responses.next()));
            if (ResponseParser.parse(text) instanceof ParResponse.Malformed) {
                malformed++;
                assertThat(SchemaCredit.ofMalformed(text, ResponseForm.ANY))
                        .as(text)
                        .isBetween(0.0, 0.75);
            }
        }
        assertThat(malformed).isGreaterThan(500);
    }
}

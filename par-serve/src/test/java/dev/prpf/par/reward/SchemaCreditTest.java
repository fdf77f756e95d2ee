package dev.prpf.par.reward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.RandomResponses;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.response.ResponseWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
                "<recommendations></recommendations> | 0.25", // the tags alone
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
        assertThat(SchemaCredit.ofMalformed(text)).isEqualTo(credit);
    }

    @Test
    void duplicateKeysAreNoJson() {
        String twice = "<recommendations>[{\"instruction\":\"a\",\"instruction\":\"b\",\"function\":[" + CALL
                + "]}]</recommendations>";
        assertThat(SchemaCredit.ofMalformed(twice)).isEqualTo(0.25);
    }

    @Test
    void aRandomDamageNeverEarnsFullCreditAndNeverThrows() {
        RandomResponses responses = new RandomResponses(11);
        int malformed = 0;
        for (int i = 0; i < 2000; i++) {
            String text = responses.damaged(ResponseWriter.write(responses.next()));
            if (ResponseParser.parse(text) instanceof ParResponse.Malformed) {
                malformed++;
                assertThat(SchemaCredit.ofMalformed(text)).as(text).isBetween(0.0, 0.75);
            }
        }
        assertThat(malformed).isGreaterThan(500);
    }
}

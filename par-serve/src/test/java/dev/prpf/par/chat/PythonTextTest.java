package dev.prpf.par.chat;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PythonTextTest {
    private static JsonNode json(String text) throws JsonProcessingException {
        return new ObjectMapper().readTree(text);
    }

    /** The right column is Python 3.12's repr. */
    @ParameterizedTest
    @CsvSource({
        "0.0, 0.0",
        "-0.0, -0.0",
        "1.0, 1.0",
        "0.1, 0.1",
        "-3.14, -3.14",
        "100000.0, 100000.0",
        "0.30000000000000004, 0.30000000000000004",
        "1e15, 1000000000000000.0",
        "9999999999999998.0, 9999999999999998.0",
        "1e16, 1e+16",
        "1e22, 1e+22",
        "1.5e300, 1.5e+300",
        "0.0001, 0.0001",
        "0.00012345, 0.00012345",
        "0.00001, 1e-05",
        "1.5e-7, 1.5e-07",
        "2e-3, 0.002",
        "2.0e-3, 0.002",
        "5e-324, 5e-324",
        "1.7976931348623157e308, 1.7976931348623157e+308"
    })
    void floatsAreWrittenAsByPython(String value, String expected) {
        assertThat(PythonText.real(Double.parseDouble(value))).isEqualTo(expected);
    }

    @Test
    void everyFloatIsReadBackAsItself() {
        Random random = new Random(3);
        for (int i = 0; i < 2_000; i++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (Double.isFinite(value)) {
                assertThat(Double.parseDouble(PythonText.real(value))).isEqualTo(value);
            }
        }
    }

    @Test
    void jsonKeepsOrderAndEscapesOnlyWhatItMust() throws JsonProcessingException {
        JsonNode value = json("{\"b\": [1, 2.50, true, null, 123456789012345678901234567890], \"a\": {}, \"\": []}");

        assertThat(PythonText.json(value))
                .isEqualTo("{\"b\": [1, 2.5, true, null, 123456789012345678901234567890], \"a\": {}, \"\": []}");
        assertThat(PythonText.json(
                        json("\"<to> 'a' & \\\"b\\\" \\\\ / 你好 \\u2028 \\u007f \\n\\r\\t\\b\\f\\u0000\\u001f\"")))
                .isEqualTo("\"<to> 'a' & \\\"b\\\" \\\\ / 你好 \u2028 \u007f \\n\\r\\t\\b\\f\\u0000\\u001f\"");
        assertThat(PythonText.json(json("[1e400, -1e400, -0]"))).isEqualTo("[Infinity, -Infinity, 0]");
    }

    @Test
    void strIsPythonsOwnForm() throws JsonProcessingException {
        assertThat(PythonText.str(json("\"as it 'is'\\n\""))).isEqualTo("as it 'is'\n");
        assertThat(PythonText.str(json("true"))).isEqualTo("True");
        assertThat(PythonText.str(json("null"))).isEqualTo("None");
        assertThat(PythonText.str(json("1e400"))).isEqualTo("inf");
        assertThat(PythonText.str(json("{\"k\": [false, \"it's\", \"\\\"\", \"'\\\"\"], \"é\": null}")))
                .isEqualTo("{'k': [False, \"it's\", '\"', '\\'\"'], 'é': None}");
    }

    @Test
    void whatCannotBePrintedIsEscapedInsideAList() throws JsonProcessingException {
        assertThat(PythonText.str(
                        json("[\"\\u0000\\u007f\\u0085\\u00a0\\u200b\\u3000\\ue000 \\t\\\\🎷\\udb40\\udc01\"]")))
                .isEqualTo("['\\x00\\x7f\\x85\\xa0\\u200b\\u3000\\ue000 \\t\\\\🎷\\U000e0001']");
    }
}

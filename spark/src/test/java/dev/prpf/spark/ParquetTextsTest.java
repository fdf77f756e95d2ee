package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ParquetTextsTest {
    private static final String CALL = "{\"name\":\"f\",\"parameters\":%s}";
    private static final String ARGUMENTS = "{\"parameters\":\"[1,2]\",\"calls\":\"[3]\",\"n\":1}";

    private static String restored(String row, ParquetColumns columns) {
        return ParquetColumns.restored(row, columns.nested(), columns.always());
    }

    private static String predictions(String calls) {
        return restored("{\"id\":\"a\",\"calls\":" + calls + "}", ParquetColumns.PREDICTIONS);
    }

    private static String text(String json) {
        return "\"" + json.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private static String calls(String parameters) {
        return "[[" + CALL.formatted(parameters) + "]]";
    }

    @Test
    void argumentsOfCallsStayTexts() {
        String expected = "{\"id\":\"a\",\"calls\":" + calls(ARGUMENTS) + "}";
        assertThat(predictions(calls(ARGUMENTS))).isEqualTo(expected);
        assertThat(predictions(calls(text(ARGUMENTS)))).isEqualTo(expected);
        assertThat(predictions(text(calls(ARGUMENTS)))).isEqualTo(expected);
    }

    @Test
    void contentOfATextIsNotParsedAgain() {
        String calls = calls(text("{}"));
        assertThat(predictions(text(calls))).isEqualTo("{\"id\":\"a\",\"calls\":" + calls + "}");
    }

    @Test
    void textIsParsedOnlyUnderKeysThatTheSchemaNests() {
        assertThat(restored(
                        "{\"reference_information\":{\"trace\":\"[{}]\"},\"note\":\"[1]\"}", ParquetColumns.RECORDS))
                .isEqualTo("{\"reference_information\":{\"trace\":[{}]},\"note\":\"[1]\"}");
    }

    @Test
    void nullColumnBecomesNullKeyWhereNullHasMeaning() {
        assertThat(restored("{\"id\":\"a\"}", ParquetColumns.PREDICTIONS)).isEqualTo("{\"id\":\"a\",\"calls\":null}");
    }
}

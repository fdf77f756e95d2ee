package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonTextColumnsTest {
    private static final String CALL = "{\"name\":\"f\",\"parameters\":%s}";
    private static final String ARGUMENTS = "{\"parameters\":\"[1,2]\",\"calls\":\"[3]\",\"n\":1}";

    private static String predictions(String calls) {
        return JsonTextColumns.of(ParquetColumns.PREDICTIONS.columns(), "calls")
                .restored("{\"id\":\"a\",\"calls\":" + calls + "}");
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
    void textIsParsedOnlyWhereTheSchemaHasAStruct() {
        JsonTextColumns records = JsonTextColumns.of(ParquetColumns.RECORDS.columns(), null);
        assertThat(records.restored("{\"reference_information\":{\"trace\":\"[{}]\"},\"trace\":\"[1]\"}"))
                .isEqualTo("{\"reference_information\":{\"trace\":[{}]},\"trace\":\"[1]\"}");
    }

    @Test
    void nullColumnBecomesNullKeyWhereNullHasMeaning() {
        JsonTextColumns predictions = JsonTextColumns.of(ParquetColumns.PREDICTIONS.columns(), "calls");
        assertThat(predictions.restored("{\"id\":\"a\"}")).isEqualTo("{\"id\":\"a\",\"calls\":null}");
    }
}

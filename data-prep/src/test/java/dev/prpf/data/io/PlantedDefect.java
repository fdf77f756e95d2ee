package dev.prpf.data.io;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change to a valid record and the finding it must give.
 *
 * @param at the changed pointer
 * @param json the new value, or null to remove it
 * @param rule the broken rule
 * @param found the pointer of the finding
 */
record PlantedDefect(String at, @Nullable String json, String rule, String found) {
    private static final String META = "/benchmark_metadata/";
    private static final String REF = "/reference_information/";
    private static final String FIND = "/recommendations/0/functions/0";
    private static final String BOOK = "/recommendations/0/functions/1";
    private static final String PARAMS = BOOK + "/parameters/";

    static final List<PlantedDefect> FATAL = List.of(
            at(META + "id", null, "missing-field"),
            at(META + "id", "7", "field-type"),
            at(META + "id", "\" \"", "blank-text"),
            at(META + "id", "null", "field-type"),
            at(META + "difficulty_level", null, "missing-field"),
            at(META + "difficulty_level", "\"2\"", "field-type"),
            at(META + "difficulty_level", "2.0", "field-type"),
            at(META + "difficulty_level", "0", "difficulty-range"),
            at(META + "difficulty_level", "99999999999999999999", "difficulty-range"),
            at(META + "scenario", "\"Cooking\"", "unknown-scenario"),
            at(META + "scenario", "3", "field-type"),
            at(META + "split", "[]", "field-type"),
            at("/benchmark_metadata", null, "missing-field"),
            at("/benchmark_metadata", "\"x\"", "field-type"),
            at("/reference_information", null, "missing-field"),
            at("/reference_information", "[]", "field-type"),
            at(REF + "profile", null, "missing-field"),
            at(REF + "profile", "null", "field-type"),
            at(REF + "phone", "{}", "field-type"),
            at(REF + "world", "12", "field-type"),
            at(REF + "trace", null, "missing-field"),
            at(REF + "trace", "\"a step\"", "field-type"),
            at(REF + "trace", "[]", "empty-trace"),
            at(REF + "trace/0", "5", "field-type"),
            at(REF + "trace/0", "null", "field-type"),
            at(REF + "trace/1/source", null, "missing-field"),
            at(REF + "trace/1/source", "\"video\"", "unknown-source"),
            at(REF + "trace/1/text", null, "missing-field"),
            at(REF + "trace/1/text", "1", "field-type"),
            at(REF + "trace/2/picture", null, "missing-field"),
            at(REF + "trace/2/picture", "\"\"", "blank-text"),
            at(REF + "trace/2/picture", "\"/etc/a.png\"", "image-path"),
            at(REF + "trace/2/picture", "\"C:\\\\a.png\"", "image-path"),
            at(REF + "trace/2/picture", "\"a/../../b.png\"", "image-path"),
            at(REF + "trace/2/picture", "\"a\\u0000.png\"", "image-path"),
            at("/recommendations", null, "missing-answers"),
            at("/recommendations", "null", "field-type"),
            at("/recommendations", "\"silence\"", "field-type"),
            at("/recommendations/0", "\"book\"", "answer-shape"),
            at("/recommendations/0", "{\"instruction\": \"i\"}", "answer-shape"),
            at("/recommendations/0", "{\"name\": \"find\", \"parameters\": {}}", "answer-shape"),
            at("/recommendations/0/instruction", null, "missing-field"),
            at("/recommendations/0/instruction", "3", "field-type"),
            at("/recommendations/0/functions", "{}", "field-type"),
            at("/recommendations/0/functions", "null", "field-type"),
            at(FIND, "\"find\"", "field-type"),
            at(FIND + "/name", null, "missing-field"),
            at(FIND + "/name", "\"\"", "blank-text"),
            at(FIND + "/name", "[\"find\"]", "field-type"),
            at(FIND + "/name", "\"fynd\"", "unknown-function"),
            at(FIND + "/parameters", null, "missing-field"),
            at(FIND + "/parameters", "[]", "field-type"),
            at(FIND + "/parameters/tags", "[]", "missing-required-parameter"),
            at(PARAMS + "kind", null, "missing-required-parameter"),
            at(PARAMS + "kind", "\"\"", "missing-required-parameter"),
            at(PARAMS + "kind", "null", "missing-required-parameter"),
            at(PARAMS + "from", "\"  \"", "missing-required-parameter"),
            at(PARAMS + "kind", "\"rocket\"", "outside-enumeration"),
            at(PARAMS + "kind", "\"Bus\"", "outside-enumeration"),
            at(PARAMS + "kind", "1", "parameter-type"),
            at(PARAMS + "kind", "[\"bus\"]", "parameter-type"),
            at(PARAMS + "seats", "\"2\"", "parameter-type"),
            at(PARAMS + "seats", "2.0", "parameter-type"),
            at(PARAMS + "seats", "true", "parameter-type"),
            at(PARAMS + "stars", "3", "outside-enumeration"),
            at(PARAMS + "meal", "\"true\"", "parameter-type"),
            at(PARAMS + "meal", "1", "parameter-type"),
            at(PARAMS + "avoid", "\"toll\"", "parameter-type"),
            new PlantedDefect(PARAMS + "avoid", "[\"toll\", \"sea\"]", "outside-enumeration", PARAMS + "avoid/1"),
            new PlantedDefect(PARAMS + "names", "[\"a\", null]", "parameter-type", PARAMS + "names/1"),
            at(PARAMS + "who", "\"n\"", "parameter-type"),
            at(PARAMS + "who", "[]", "parameter-type"),
            at(PARAMS + "who/size", "3", "unknown-dict-field"),
            at(PARAMS + "who/age", "\"3\"", "parameter-type"),
            at(PARAMS + "who/seat", "\"roof\"", "outside-enumeration"),
            at(PARAMS + "who/seat", "{\"row\": 3}", "outside-enumeration"),
            at(PARAMS + "who/seat", "[\"aisle\"]", "outside-enumeration"),
            at(PARAMS + "who/age", "[3]", "parameter-type"),
            new PlantedDefect(PARAMS + "avoid", "[{\"toll\": 1}]", "outside-enumeration", PARAMS + "avoid/0"),
            new PlantedDefect(PARAMS + "avoid", "[[\"toll\"]]", "outside-enumeration", PARAMS + "avoid/0"),
            new PlantedDefect(PARAMS + "guests", "[\"n\"]", "parameter-type", PARAMS + "guests/0"),
            new PlantedDefect(PARAMS + "guests", "[{\"age\": \"3\"}]", "parameter-type", PARAMS + "guests/0/age"),
            new PlantedDefect(
                    PARAMS + "guests", "[{\"age\": 3, \"x\": 1}]", "unknown-dict-field", PARAMS + "guests/0/x"),
            at(PARAMS + "who/phone", null, "missing-dict-field"),
            at(PARAMS + "who/phone", "17", "parameter-type"),
            at(PARAMS + "colour", "\"red\"", "unknown-parameter"),
            at(PARAMS + "col~1our", "\"\"", "unknown-parameter"),
            new PlantedDefect("/recommendation", "[]", "ambiguous-answers", "/recommendation"));

    static final List<PlantedDefect> WARNINGS = List.of(
            at(REF + "trace/0", "\" \"", "blank-text"),
            at(REF + "trace/1/text", "\"\\n\"", "blank-text"),
            at("/recommendations/1/instruction", "\"\"", "blank-text"),
            at("/reference_information/phone", "\"\\ud83d\"", "broken-text"),
            at(PARAMS + "who/name", null, "missing-dict-field"),
            new PlantedDefect(PARAMS + "names", "[\"a\", \"\"]", "blank-text", PARAMS + "names/1"));

    private static PlantedDefect at(String pointer, @Nullable String json, String rule) {
        return new PlantedDefect(pointer, json, rule, pointer);
    }

    ObjectNode record(String id) {
        ObjectNode record = Records.sound(id);
        Records.set(record, at, json);
        return record;
    }

    @Override
    public String toString() {
        return at + " = " + json + ": " + rule;
    }
}

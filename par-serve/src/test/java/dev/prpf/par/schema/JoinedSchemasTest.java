package dev.prpf.par.schema;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JoinedSchemasTest {
    private static String repeated(int count, String prefix, String suffix) {
        return IntStream.range(0, count)
                .mapToObj(i -> prefix + (prefix.isEmpty() ? "" : Integer.toString(i, 36)) + suffix)
                .collect(Collectors.joining(","));
    }

    /** Joins named properties with values that every other property must have. */
    private static String bomb(int names, String further) {
        return "{'allOf':[{'properties':{" + repeated(names, "'", "':{}") + "}},{'additionalProperties':" + further
                + "},{'x':1}]}";
    }

    private static String values(int count) {
        return "{'enum':[" + repeated(count, "", "{}") + "]}";
    }

    private static void assertRefused(String schema, int seconds, String message) {
        JsonNode json = SchemaReaderTest.json(schema);
        assertTimeout(Duration.ofSeconds(seconds), () -> assertThatThrownBy(() -> SchemaReader.read(json))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(message));
    }

    @Test
    void valuesOfManyProperties_areRefusedWithinASecond() {
        assertRefused(bomb(3600, values(10_000)), 1, "reading the schema takes more than 262144 operations");
    }

    @Test
    void propertiesOfManyProperties_areRefusedWithinASecond() {
        assertRefused(bomb(60, bomb(400, values(2000))), 1, "takes more than");
        assertRefused(bomb(300, bomb(400, values(2000))), 1, "takes more than");
    }

    @Test
    void propertiesThatAreJoinedOften_areRefused() {
        String joins = repeated(100, "{'x", "':1}");
        assertRefused(
                "{'allOf':[{'properties':{" + repeated(1000, "'", "':{}") + "}}," + joins + "]}",
                1,
                "joining the schemas of allOf takes more than 8192 operations");
    }

    @Test
    void patternOfManyProperties_isRefused() {
        assertRefused(bomb(3600, "{'pattern':'^((a|bc)*d?)*$','maxLength':40}"), 5, "takes more than");
    }
}

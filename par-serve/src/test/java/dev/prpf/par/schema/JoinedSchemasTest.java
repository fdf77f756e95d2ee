package dev.prpf.par.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** The budget of operations refuses it long before the minute. */
    private static void assertRefused(String schema, String message) {
        JsonNode json = SchemaReaderTest.json(schema);
        assertTimeout(Duration.ofMinutes(1), () -> assertThatThrownBy(() -> SchemaReader.read(json))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(message));
    }

    @Test
    void valuesOfManyProperties_areRefused() {
        assertRefused(bomb(3600, values(10_000)), "reading the schema takes more than 262144 operations");
    }

    @Test
    void propertiesOfManyProperties_areRefused() {
        assertRefused(bomb(60, bomb(400, values(2000))), "takes more than");
        assertRefused(bomb(300, bomb(400, values(2000))), "takes more than");
    }

    @Test
    void propertiesThatAreJoinedOften_areRefused() {
        String joins = repeated(100, "{'x", "':1}");
        assertRefused(
                "{'allOf':[{'properties':{" + repeated(1000, "'", "':{}") + "}}," + joins + "]}",
                "joining the schemas of allOf takes more than 8192 operations");
    }

    @Test
    void patternOfManyProperties_isRefused() {
        assertRefused(bomb(3600, "{'pattern':'^((a|bc)*d?)*$','maxLength':40}"), "takes more than");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'minimum':1e999},{'minimum':2}|minimum is \"Infinity\", must be a number",
                "{'required':'a'},{'required':['b']}|required is \"a\", must be an array of names",
                "{'properties':['a']},{'properties':{}}|properties is [\"a\"], must be an object of schemas",
                "{'uniqueItems':'true'},{'uniqueItems':true}|uniqueItems is \"true\", must be true or false",
                "{'enum':'a'},{'enum':['a']}|enum is \"a\", must be an array of values",
                "{'nullable':1},{'type':'string'}|nullable is 1, must be true or false"
            })
    void keywordOfAnotherKind_isRefused(String schemas, String message) {
        assertThatThrownBy(() -> read(schemas))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(message);
    }

    @Test
    void equalNumbers_areJoined() {
        assertThat(read("{'enum':[1,2]},{'enum':[1.0,3]}")).isEqualTo(literals("1"));
        assertThat(read("{'const':[1]},{'const':[1.0]}")).isEqualTo(literals("[1]"));
        assertThat(read("{'enum':[1e999]},{'enum':[1,1e999]}")).isEqualTo(literals("1e999"));
        assertThat(SchemaReader.read(SchemaReaderTest.json("{'enum':[1,2],'const':1.0}"))
                        .root())
                .isEqualTo(literals("1"));
    }

    @Test
    void formatsThatAreAnnotations_areJoined() {
        Schema text = new Schema.Text(0, Schema.UNBOUNDED, null);
        assertThat(read("{'type':'string','format':'uri'},{'format':'uri-reference'}"))
                .isEqualTo(text);
        assertThat(read("{'type':'string','format':'date'},{'format':'my-date'}"))
                .isEqualTo(read("{'type':'string','format':'date'},{}"))
                .isNotEqualTo(text);
    }

    @Test
    void nullable_staysIfTheOtherHasNoRule() {
        Schema text = new Schema.Text(0, Schema.UNBOUNDED, null);
        assertThat(read("{'type':'string','nullable':true},{'description':'d'}"))
                .isEqualTo(new Schema.Union(List.of(text, literals("null"))));
        assertThat(read("{'type':'string','nullable':true},{'minLength':0}")).isEqualTo(text);
    }

    private static Schema read(String schemas) {
        return SchemaReader.read(SchemaReaderTest.json("{'allOf':[" + schemas + "]}"))
                .root();
    }

    private static Schema literals(String value) {
        return new Schema.Literals(List.of(SchemaReaderTest.json(value)));
    }
}

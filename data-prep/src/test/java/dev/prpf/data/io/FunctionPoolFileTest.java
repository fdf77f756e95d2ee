package dev.prpf.data.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FunctionPoolFileTest {
    private static final String POOL =
            """
            {"book": {"name": "book", "description": "d", "similar": ["find"], "parameters": {
               "kind": {"description": "k", "type": "string", "must_fill": "required", "value": ["bus", "taxi"]},
               "seats": {"description": "s", "type": "int", "must_fill": "optional", "value": "non-enumerable"},
               "who": {"description": "w", "type": "dict", "must_fill": "optional", "value": {"name": "his name"}},
               "rate": {"description": "r", "type": "float", "must_fill": "optional", "value": "cannot be enumerated"}}},
             "find": {"name": "find", "description": "f", "similar": [], "parameters": {}}}""";

    @TempDir
    private Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("pool.json"), text);
    }

    private List<Defect> defects(String text) throws IOException {
        List<Defect> defects = new ArrayList<>();
        FunctionPoolFile.read(file(text), defects::add);
        return defects;
    }

    @Test
    void readsFunctionsWithTheirParameters() throws IOException {
        FunctionPool pool = FunctionPoolFile.read(file(POOL));
        assertThat(pool.names()).containsExactly("book", "find");
        FunctionSpec book = Objects.requireNonNull(pool.get("book"));
        assertThat(book.similar()).containsExactly("find");
        assertThat(book.parameters()).extracting(ParameterSpec::name).containsExactly("kind", "seats", "who", "rate");
        assertThat(book.parameters()).extracting(ParameterSpec::required).containsExactly(true, false, false, false);
        assertThat(book.parameters().get(0).enumeration())
                .extracting(JsonNode::asText)
                .containsExactly("bus", "taxi");
        assertThat(book.parameters().get(1).enumeration()).isNull();
        assertThat(book.parameters().get(2).structure()).hasToString("{\"name\":\"his name\"}");
    }

    @Test
    void anUnknownTypeIsKeptWithAWarning() throws IOException {
        assertThat(defects(POOL))
                .extracting(Defect::path, Defect::rule, d -> d.severity().label())
                .containsExactly(org.assertj.core.groups.Tuple.tuple(
                        "/book/parameters/rate/type", "pool-unknown-type", "warning"));
        FunctionSpec book =
                Objects.requireNonNull(FunctionPoolFile.read(file(POOL)).get("book"));
        assertThat(book.parameters().get(3).type()).isEqualTo("float");
    }

    @Test
    void theSameWarningAtManyPlacesIsSaidOnceWithTheirNumber() throws IOException {
        String rate = "\"r%d\": {\"description\": \"r\", \"type\": \"%s\", \"must_fill\": \"optional\", \"value\":"
                + " \"non-enumerable\"}";
        StringBuilder rates = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            rates.append(", ").append(rate.formatted(i, "float"));
        }
        rates.append(", ").append(rate.formatted(40, "any"));
        String pool = POOL.replace("\"cannot be enumerated\"}", "\"cannot be enumerated\"}" + rates);
        List<Defect> defects = defects(pool);
        assertThat(defects).as("each place is a finding of its own").hasSize(42);
        assertThat(FunctionPoolFile.warnings(defects))
                .containsExactly(
                        "at /book/parameters/rate/type: \"float\": is not one of string, int, bool, list, dict; values"
                                + " are accepted unchanged [pool-unknown-type], and 40 more",
                        "at /book/parameters/r40/type: \"any\": is not one of string, int, bool, list, dict; values are"
                                + " accepted unchanged [pool-unknown-type]");
        assertThat(FunctionPoolFile.warnings(defects(pool.replace("[\"find\"]", "[\"f1\", \"f2\"]"))))
                .as("another value is another warning")
                .hasSize(4);
    }

    @Test
    void whatIsWrittenReadsBackEqual() throws IOException {
        FunctionPool pool = FunctionPoolFile.read(file(POOL));
        Path copy = directory.resolve("copy/pool.json");
        FunctionPoolFile.write(pool, copy);
        assertThat(FunctionPoolFile.read(copy).functions()).containsExactlyElementsOf(pool.functions());
        ObjectMapper json = new ObjectMapper();
        assertThat(json.readTree(copy.toFile()))
                .isEqualTo(json.readTree(POOL.replace("cannot be enumerated", "non-enumerable")));
    }

    @Test
    void everyDefectIsNamedWithItsPlace() throws IOException {
        String broken = POOL.replace("\"name\": \"find\"", "\"name\": \"fynd\"")
                .replace("\"must_fill\": \"required\"", "\"must_fill\": \"yes\"")
                .replace("\"type\": \"int\"", "\"type\": 3")
                .replace("[\"find\"]", "[\"absent\"]")
                .replace("\"value\": {\"name\": \"his name\"}", "\"value\": []");
        assertThat(defects(broken))
                .extracting(Defect::rule, Defect::path)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("pool-name-mismatch", "/find/name"),
                        org.assertj.core.groups.Tuple.tuple("pool-must-fill", "/book/parameters/kind/must_fill"),
                        org.assertj.core.groups.Tuple.tuple("pool-field-type", "/book/parameters/seats/type"),
                        org.assertj.core.groups.Tuple.tuple("pool-unknown-type", "/book/parameters/rate/type"),
                        org.assertj.core.groups.Tuple.tuple("pool-enumeration", "/book/parameters/who/value"));
        assertThatThrownBy(() -> FunctionPoolFile.read(directory.resolve("pool.json")))
                .isInstanceOf(PrpfException.class)
                .hasMessageContainingAll(
                        "pool.json", "at /find/name: \"fynd\"", "at /book/parameters/kind/must_fill: \"yes\"");
    }

    @Test
    void whatNoModelCanWriteIsRefused() throws IOException {
        String half = "\\ud83d";
        for (String name : List.of("find", "kind")) {
            assertThat(defects(POOL.replace("\"" + name + "\": {", "\"" + name + half + "\": {")))
                    .as(name)
                    .filteredOn(Defect::isFatal)
                    .extracting(Defect::rule)
                    .containsExactly("pool-malformed-json");
        }
        String values = "{\"f\": {\"name\": \"f\", \"description\": \"half: \\udc00\", \"similar\": [], \"parameters\":"
                + " {\"p\": {\"description\": \"\", \"type\": \"string\", \"must_fill\": \"optional\", \"value\":"
                + " [\"a\", \""
                + half
                + "\"]}}}}";
        assertThat(defects(values)).filteredOn(Defect::isFatal).singleElement().satisfies(defect -> {
            assertThat(defect.path()).isEqualTo("/f/parameters/p/value");
            assertThat(defect.message()).isEqualTo("has an unpaired surrogate in its values, so no model can write it");
        });
        assertThat(defects(values.replace(half, "\\ud83d\\ude00"))).noneMatch(Defect::isFatal);
    }

    @Test
    void anUnknownSimilarFunctionIsAWarning() throws IOException {
        assertThat(defects(POOL.replace("[\"find\"]", "[\"find\", \"absent\"]")))
                .extracting(Defect::path)
                .contains("/book/similar/1");
    }

    @Test
    void filesThatAreNoPoolAreNamed() throws IOException {
        assertThat(defects("[]")).extracting(Defect::rule).containsExactly("pool-not-an-object");
        assertThat(defects("{\"a\":")).extracting(Defect::rule).containsExactly("pool-truncated-json");
        assertThat(defects("")).extracting(Defect::rule).containsExactly("pool-empty-file");
        assertThat(defects("{} {}")).extracting(Defect::rule).containsExactly("pool-trailing-content");
        assertThat(defects(POOL.replace("\"find\": {", "\"book\": {")).get(0).rule())
                .isEqualTo("pool-duplicate-key");
        assertThatThrownBy(() -> FunctionPoolFile.read(directory.resolve("absent.json")))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("absent.json: cannot be read");
    }

    @Test
    void theEnglishPoolDiffersInDescriptionsAlone() {
        String english = FunctionPoolFile.text(FunctionPoolFile.shippedEnglish());
        assertThat(english).doesNotContainPattern("[\\p{IsHan}]");
        assertThat(withoutWords(FunctionPoolFile.shippedEnglish())).isEqualTo(withoutWords(FunctionPoolFile.shipped()));
    }

    /** Returns each function's names, types and values. */
    private static List<String> withoutWords(FunctionPool pool) {
        return pool.functions().stream()
                .map(function -> function.name()
                        + function.similar()
                        + function.parameters().stream()
                                .map(parameter -> parameter.name()
                                        + parameter.required()
                                        + parameter.type()
                                        + parameter.enumeration()
                                        + keys(parameter.structure()))
                                .toList())
                .toList();
    }

    private static List<String> keys(@Nullable JsonNode structure) {
        List<String> names = new ArrayList<>();
        if (structure != null) {
            structure.fieldNames().forEachRemaining(names::add);
        }
        return names;
    }
}

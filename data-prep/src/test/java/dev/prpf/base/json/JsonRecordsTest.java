package dev.prpf.base.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JsonRecordsTest {
    private record Metric(int sampleCount, double meanReward, @Nullable Float ftr, List<Float> perSeed) {
        Metric {
            if (sampleCount < 1) {
                throw new IllegalArgumentException("sample_count = " + sampleCount + " must be at least 1");
            }
        }
    }

    @Test
    void keysAreInSnakeCaseAndNumbersThatDoNotExistAreNull() {
        assertThat(JsonRecords.write(Map.of("m", new Metric(2, Double.NaN, null, List.of(0.1f, Float.NaN)))))
                .isEqualTo("{\"m\":{\"sample_count\":2,\"mean_reward\":null,\"ftr\":null,\"per_seed\":[0.1,null]}}");
        assertThat(JsonRecords.tree(new Metric(2, 1.5, 0.25f, List.of()))
                        .get("mean_reward")
                        .doubleValue())
                .isEqualTo(1.5);
    }

    private record Run(String name, @Nullable Metric metric) {}

    @Test
    void aKeyOfANestedRecordMayBeMissingWhereItIsSaidSo() {
        String text = "{\"name\":\"a\",\"metric\":{\"sample_count\":2,\"mean_reward\":1.0,\"per_seed\":[]}}";
        Run run = JsonRecords.read("f:1", "run", text, Run.class, "metric", "metric.ftr");
        assertThat(run).isEqualTo(new Run("a", new Metric(2, 1, null, List.of())));
        assertThatThrownBy(() -> JsonRecords.read("f:1", "run", text, Run.class, "metric"))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("ftr");
        assertThat(JsonRecords.read("f:1", "run", "{\"name\":\"a\"}", Run.class, "metric", "metric.ftr"))
                .isEqualTo(new Run("a", null));
    }

    private record Named(List<String> names, List<@Nullable String> others, List<Run> runs, JsonNode last) {}

    @Test
    void nullsAreReadWhereTheTypeIsNullable() {
        String text = "{\"names\":[\"a\"],\"others\":[null],\"runs\":[{\"name\":\"b\",\"metric\":null}],\"last\":null}";
        assertThat(JsonRecords.read("f:1", "list", text, Named.class).others()).containsOnlyNulls();
        for (String broken : List.of(
                text.replace("[\"a\"]", "null"), text.replace("\"a\"", "null"), text.replace("\"b\"", "null"))) {
            assertThatThrownBy(() -> JsonRecords.read("f:1", "list", broken, Named.class))
                    .isInstanceOf(InvalidDataException.class)
                    .hasMessageStartingWith("f:1: is no list: ")
                    .hasMessageEndingWith(" = null, must have a value");
        }
    }

    @Test
    void readingIsStrictAndNamesPlaceAndRule() {
        String whole = "{\"sample_count\":2,\"mean_reward\":1.0,\"ftr\":null,\"per_seed\":[]}";
        assertThat(JsonRecords.read("f:1", "metric", whole, Metric.class).sampleCount())
                .isEqualTo(2);
        refused(whole.replace("2", "0"), "f:1: is no metric: sample_count = 0 must be at least 1");
        refused(whole.replace("2", "2.5"), "f:1: is no metric: ");
        refused(
                whole.replace("}", ",\"fpr\":1}"),
                "f:1: is no metric: Unrecognized field \"fpr\"; known are [ftr, mean_reward, per_seed, sample_count]");
        refused(whole.replace("1.0", "\"x\""), "f:1: is no metric: \"mean_reward\": ");
        refused(whole.replace("\"ftr\":null,", ""), "ftr");
        refused(whole.replace("\"ftr\":null", "\"sample_count\":3"), "Duplicate field 'sample_count'");
        refused("null", "f:1: is no metric: null");
    }

    @Test
    void aMissingKeyCountsAsNullOnlyWhereItIsOptional() {
        String text = "{\"sample_count\":2,\"mean_reward\":1.0,\"per_seed\":[]}";
        assertThat(JsonRecords.read("f:1", "metric", text, Metric.class, "ftr").ftr())
                .isNull();
        assertThatThrownBy(() -> JsonRecords.read("f:1", "metric", "{}", Metric.class, "ftr"))
                .hasMessageContaining("sample_count");
        refused(text, "ftr");
    }

    @Test
    void numbers_nestedObjects_haveDottedKeysWithoutArraysAndTexts() throws IOException {
        String text = "{\"b\": 1, \"a\": {\"sr\": 56.5, \"name\": \"x\", \"none\": null}, \"curve\": [1, 2]}";
        assertThat(JsonRecords.numbers(new ObjectMapper().readTree(text)))
                .containsExactly(Map.entry("b", 1.0), Map.entry("a.sr", 56.5));
        assertThat(JsonRecords.numbers(MissingNode.getInstance())).isEmpty();
    }

    private static void refused(String text, String message) {
        assertThatThrownBy(() -> JsonRecords.read("f:1", "metric", text, Metric.class))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(message);
    }

    private record Rows(Iterator<String> rows) {}

    @Test
    void write_whoseIteratorFails_throwsItsExceptionUnchanged() {
        Iterator<String> failing = Stream.of("a", "b")
                .map(row -> {
                    if (row.equals("b")) {
                        throw new IllegalStateException("the database is busy");
                    }
                    return row;
                })
                .iterator();
        assertThatThrownBy(() -> JsonRecords.write(new ByteArrayOutputStream(), new Rows(failing)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the database is busy");
    }
}

package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.base.parquet.ParquetRows.MalformedParquetException;
import dev.prpf.base.parquet.SchemaComparison;
import dev.prpf.data.Sample;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Converts records of a ProactiveMobile file to Parquet rows and back. A null in a struct is an absent key. The parameters of
 * calls have no fixed schema and are strings of JSON; such strings are also accepted for other objects and lists.
 */
public final class RecordColumns {
    /** The rule for a string that should contain JSON and does not. */
    static final String JSON_COLUMN = "json-column";

    /** The written columns; {@code recommendations} is null for an unlabelled sample. */
    public static final Struct WRITTEN = ColumnType.of(Row.class);

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String METADATA = "benchmark_metadata";
    private static final String REFERENCE = "reference_information";
    private static final String TRACE = "trace";
    private static final String PARAMETERS = "parameters";
    private static final Set<String> ANSWERS = AnswersMapping.KNOWN.stream()
            .map(pointer -> pointer.getMatchingProperty())
            .collect(Collectors.toUnmodifiableSet());

    private RecordColumns() {}

    private record Row(Metadata benchmarkMetadata, Reference referenceInformation, List<Answer> recommendations) {}

    private record Metadata(String id, int difficultyLevel, String split, String scenario) {}

    private record Reference(String profile, String phone, String world, List<Step> trace) {}

    private record Step(String source, String text, String picture) {}

    private record Answer(String instruction, List<Call> functions) {}

    private record Call(String name, String parameters) {}

    public static ObjectNode row(Sample sample) {
        ObjectNode row = RecordJson.write(sample);
        ObjectNode reference = (ObjectNode) row.get(REFERENCE);
        ArrayNode steps = NODES.arrayNode();
        for (JsonNode step : reference.get(TRACE)) {
            steps.add(
                    step.isTextual() ? NODES.objectNode().put("source", "text").set("text", step) : step);
        }
        reference.set(TRACE, steps);
        for (JsonNode answer : row.path("recommendations")) {
            for (JsonNode call : answer.get("functions")) {
                ((ObjectNode) call).put(PARAMETERS, call.get(PARAMETERS).toString());
            }
        }
        return row;
    }

    /**
     * Returns the columns to read: all with JSON types. Others are ignored like further keys of a record, unless they belong to a
     * record.
     */
    static Set<String> choose(Path file, Struct found) {
        if (!found.fields().containsKey(METADATA) && !found.fields().containsKey(REFERENCE)) {
            throw new MalformedParquetException(
                    file,
                    "parquet-schema",
                    "the columns are " + found.fields().keySet() + ", records have \"" + METADATA + "\", \"" + REFERENCE
                            + "\" and the answers");
        }
        Set<String> read = new TreeSet<>();
        found.fields().forEach((name, type) -> {
            if (!type.hasForeign()) {
                read.add(name);
            }
        });
        Set<String> context = Set.of(METADATA, REFERENCE);
        List<String> wrong = new ArrayList<>(SchemaComparison.lenient(WRITTEN.only(context), found.only(context)));
        found.only(ANSWERS).fields().forEach((name, type) -> {
            if (type.hasForeign()) {
                wrong.add("column " + name + " is " + type + ", must be of types that JSON has");
            }
        });
        if (!wrong.isEmpty()) {
            throw new MalformedParquetException(file, "parquet-schema", String.join("; ", wrong));
        }
        return read;
    }

    /** Returns the record of a row; a string that should contain JSON and does not is reported and kept. */
    static ObjectNode record(ObjectNode row, Defect.Sink defects) {
        ObjectNode record = (ObjectNode) withoutNulls(row, "", defects);
        for (String column : record.propertyStream().map(Map.Entry::getKey).toList()) {
            if (column.equals(METADATA) || column.equals(REFERENCE) || ANSWERS.contains(column)) {
                parse(record, column, "", defects);
            }
        }
        if (record.get(REFERENCE) instanceof ObjectNode reference) {
            parse(reference, TRACE, "/" + REFERENCE, defects);
        }
        return record;
    }

    private static JsonNode withoutNulls(JsonNode value, String path, Defect.Sink defects) {
        if (value instanceof ObjectNode object) {
            object.properties().removeIf(field -> field.getValue().isNull());
            object.properties()
                    .forEach(field -> withoutNulls(field.getValue(), JsonText.member(path, field.getKey()), defects));
            parse(object, PARAMETERS, path, defects);
        } else if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                withoutNulls(value.get(i), path + "/" + i, defects);
            }
        } else if (value.isDouble() && !Double.isFinite(value.doubleValue())) {
            defects.fatal(
                    path, JsonTree.NON_FINITE, NODES.textNode(value.asText()), "is not JSON: a number must be finite");
        }
        return value;
    }

    /** Replaces a string by the JSON value it contains. */
    private static void parse(ObjectNode object, String key, String path, Defect.Sink defects) {
        JsonNode text = object.path(key);
        if (!text.isTextual()) {
            return;
        }
        String place = JsonText.member(path, key);
        try {
            byte[] json = text.textValue().getBytes(StandardCharsets.UTF_8);
            object.set(
                    key,
                    JsonTree.readStream(
                            new ByteArrayInputStream(json),
                            defect -> defects.accept(new Defect(
                                    place + defect.path(),
                                    defect.severity(),
                                    defect.rule(),
                                    defect.value(),
                                    defect.message()))));
        } catch (IOException | MalformedFileException e) {
            defects.fatal(place, JSON_COLUMN, text, "this text must hold JSON: " + e.getMessage());
        }
    }
}

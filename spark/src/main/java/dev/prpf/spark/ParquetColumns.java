package dev.prpf.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.base.parquet.SchemaComparison;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.spark.InputOptions.InputFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * The required columns of a kind of Parquet file, and its rows as JSON. Other columns are read too; the record's own rules judge them.
 *
 * @param columns required in every file; a list or a struct may be JSON text
 * @param nulls whether a null column is a key with null, also in structs, instead of an absent key
 * @param always the only column with such keys; or null
 */
record ParquetColumns(Struct columns, boolean nulls, @Nullable String always) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PARAMETERS = "parameters";
    /** Type of a list of structs with any columns. */
    private static final ListOf ANY = new ListOf(new Struct(Map.of()));

    /** ProactiveMobile's records, nested as in JSON. A step is a text, or an object in which some keys may be absent. */
    static final ParquetColumns RECORDS = of(Map.of(
            "benchmark_metadata",
            columns(Map.of("id", Scalar.STRING, "difficulty_level", Scalar.INTEGER)),
            "reference_information",
            columns(Map.of("profile", Scalar.STRING, "phone", Scalar.STRING, "world", Scalar.STRING, "trace", ANY))));

    static final ParquetColumns PREDICTIONS = new ParquetColumns(
            columns(Map.of("id", Scalar.STRING, "route", Scalar.STRING, "calls", new ListOf(ANY))), false, "calls");
    static final ParquetColumns CALLS = of(Map.of("id", Scalar.STRING, "question", new ListOf(ANY), "function", ANY));
    static final ParquetColumns CALL_ANSWERS = of(Map.of("id", Scalar.STRING, "ground_truth", ANY));
    static final ParquetColumns SFT_RECORDS = new ParquetColumns(ColumnType.of(SftRecord.class), true, null);
    static final ParquetColumns TEXTS = of(Map.of("text", Scalar.STRING));

    private static ParquetColumns of(Map<String, ColumnType> fields) {
        return new ParquetColumns(columns(fields), false, null);
    }

    private static Struct columns(Map<String, ColumnType> fields) {
        return new Struct(new TreeMap<>(fields));
    }

    /** Returns the rows of the files in order; 65, naming file, column and type, for a file with another schema. */
    JavaRDD<Numbered> rows(SparkSession spark, InputFiles input) {
        Map<String, Long> firstRow = new HashMap<>();
        long rows = 0;
        for (Path file : input.files()) {
            firstRow.put(file.toString(), rows);
            rows += checkedRows(file, SparkJob.context(spark).hadoopConfiguration());
        }
        boolean several = input.files().size() > 1;
        Set<String> nested = nested();
        String whole = always;
        Dataset<Row> json = spark.read()
                .option("mergeSchema", several)
                .parquet(input.files().stream().map(Path::toString).toArray(String[]::new))
                .drop(SftRecords.MESSAGES) // of an exported set, where the record holds them already
                .select(
                        col("_metadata.file_path"),
                        col("_metadata.row_index"),
                        to_json(struct(col("*")), Map.of("ignoreNullFields", String.valueOf(!nulls))));
        JavaRDD<Numbered> numbered = json.toJavaRDD().map(row -> {
            String file = new Path(URI.create(row.getString(0))).toString(); // Spark escapes spaces
            byte[] record = restored(row.getString(2), nested, whole).getBytes(StandardCharsets.UTF_8);
            return new Numbered(Objects.requireNonNull(firstRow.get(file), file) + row.getLong(1), record);
        });
        return several ? numbered.sortBy(Numbered::index, true, numbered.getNumPartitions()) : numbered;
    }

    /** Returns the keys of lists and objects that Parquet may hold as JSON text. */
    Set<String> nested() {
        Stream<String> own = columns.fields().entrySet().stream()
                .filter(column -> !(column.getValue() instanceof Scalar))
                .map(Map.Entry::getKey);
        return Stream.concat(Stream.of("trace", PARAMETERS), own).collect(Collectors.toSet());
    }

    /** Returns a row with its JSON texts parsed; text that is not JSON is kept for the record's rules to reject. */
    static String restored(String json, Set<String> nested, @Nullable String always) {
        if (always == null && nested.stream().noneMatch(key -> json.contains("\"" + key + "\":\""))) {
            return json;
        }
        try {
            JsonNode tree = JSON.readTree(json);
            restore(tree, nested);
            if (always != null && tree instanceof ObjectNode object) {
                object.putIfAbsent(always, object.nullNode());
            }
            return JSON.writeValueAsString(tree);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Spark wrote a row that is not JSON: " + json, e);
        }
    }

    /** Parses JSON texts, but not inside of a call's parameters, where texts are values. */
    private static void restore(JsonNode tree, Set<String> nested) {
        if (tree.isArray()) {
            tree.forEach(element -> restore(element, nested));
        }
        for (Map.Entry<String, JsonNode> member : tree.properties()) {
            if (nested.contains(member.getKey()) && member.getValue().isTextual()) {
                member.setValue(value(member.getValue()));
            } else if (!member.getKey().equals(PARAMETERS)) {
                restore(member.getValue(), nested);
            }
        }
    }

    private static JsonNode value(JsonNode text) {
        try {
            JsonNode value = JSON.readTree(text.textValue());
            return value.isContainerNode() ? value : text;
        } catch (JsonProcessingException e) {
            return text;
        }
    }

    private long checkedRows(Path file, Configuration configuration) {
        try (ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, configuration))) {
            ParquetMetadata schema = new ParquetMetadata(reader.getFileMetaData(), List.of());
            Struct found = ColumnType.listed(
                    new ParquetMetadataConverter().toParquetMetadata(1, schema).getSchema());
            List<String> wrong = SchemaComparison.containing(
                    columns, found.only(columns.fields().keySet()));
            if (!wrong.isEmpty()) {
                throw new InvalidDataException(file + ": " + String.join("; ", wrong) + "; its columns are "
                        + found.fields().keySet() + ", docs/SPARK.md lists the required ones");
            }
            return reader.getRecordCount();
        } catch (PrpfException e) {
            throw e;
        } catch (IOException | RuntimeException e) { // for a file that is not Parquet
            throw new InvalidDataException(file + ": cannot be read as Parquet: " + e.getMessage(), e);
        }
    }
}

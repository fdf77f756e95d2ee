package dev.prpf.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_json;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.base.parquet.SchemaComparison;
import dev.prpf.data.io.RecordColumns;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
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
 * @param nulls columns that are written as null in a row's JSON, instead of left out
 */
record ParquetColumns(Struct columns, Nulls nulls) {
    /** Type of a struct with any columns. */
    private static final Struct ANY = new Struct(Map.of());

    /** ProactiveMobile's records, nested as in JSON. */
    static final ParquetColumns RECORDS = new ParquetColumns(records(), Nulls.NONE);
    /** Predictions as {@code eval run} writes them. */
    static final ParquetColumns PREDICTIONS = new ParquetColumns(
            columns(Map.of("id", Scalar.STRING, "route", Scalar.STRING, "calls", new ListOf(new ListOf(ANY)))),
            new Nulls(false, "calls"));
    /** Records of function-calling suites. */
    static final ParquetColumns CALLS = new ParquetColumns(
            columns(Map.of("id", Scalar.STRING, "question", new ListOf(new ListOf(ANY)), "function", new ListOf(ANY))),
            Nulls.NONE);
    /** Gold answers of function-calling records. */
    static final ParquetColumns CALL_ANSWERS =
            new ParquetColumns(columns(Map.of("id", Scalar.STRING, "ground_truth", new ListOf(ANY))), Nulls.NONE);
    /** An exported SFT set; its records have all their keys. */
    static final ParquetColumns SFT_RECORDS = new ParquetColumns(ColumnType.of(SftRecord.class), new Nulls(true, null));
    /** Texts that {@code encode --texts} reads. */
    static final ParquetColumns TEXTS = new ParquetColumns(columns(Map.of("text", Scalar.STRING)), Nulls.NONE);

    /**
     * Columns in which null carries meaning.
     *
     * @param all whether all columns do, also those of structs
     * @param always the only such column of a row; or null
     */
    record Nulls(boolean all, @Nullable String always) {
        private static final Nulls NONE = new Nulls(false, null);
    }

    private static Struct columns(Map<String, ColumnType> fields) {
        return new Struct(new TreeMap<>(fields));
    }

    private static Struct records() {
        Map<String, ColumnType> written = RecordColumns.WRITTEN.fields();
        Struct metadata = (Struct) Objects.requireNonNull(written.get("benchmark_metadata"));
        Map<String, ColumnType> needed = new LinkedHashMap<>();
        needed.put("benchmark_metadata", metadata.only(Set.of("id", "difficulty_level")));
        needed.put("reference_information", reference(Objects.requireNonNull(written.get("reference_information"))));
        return new Struct(needed);
    }

    /** Returns the columns with free steps: texts, or objects in which some keys may be absent. */
    private static Struct reference(ColumnType written) {
        Map<String, ColumnType> fields = new LinkedHashMap<>(((Struct) written).fields());
        fields.put("trace", new ListOf(ANY));
        return new Struct(fields);
    }

    /**
     * Returns the rows of the files in order.
     *
     * @throws PrpfException 65, naming file, column and type, for a file with another schema; or if a file is not Parquet
     */
    JavaRDD<Numbered> rows(SparkSession spark, InputFiles input) {
        Map<String, Long> firstRow = new HashMap<>();
        Configuration configuration = SparkJob.context(spark).hadoopConfiguration();
        long rows = 0;
        for (Path file : input.files()) {
            firstRow.put(file.toString(), rows);
            rows += checkedRows(file, configuration);
        }
        String[] names = input.files().stream().map(Path::toString).toArray(String[]::new);
        boolean several = names.length > 1;
        JsonTextColumns texts = JsonTextColumns.of(columns, nulls.always());
        Map<String, String> options = Map.of("ignoreNullFields", String.valueOf(!nulls.all()));
        Dataset<Row> json = spark.read()
                .option("mergeSchema", several)
                .parquet(names)
                .drop(SftRecords.MESSAGES) // of an exported set, where the record holds them already
                .select(col("_metadata.file_path"), col("_metadata.row_index"), to_json(struct(col("*")), options));
        JavaRDD<Numbered> numbered = json.toJavaRDD().map(row -> numbered(row, firstRow, texts));
        return several ? numbered.sortBy(Numbered::index, true, numbered.getNumPartitions()) : numbered;
    }

    /** Checks the file and returns its number of rows. */
    private long checkedRows(Path file, Configuration configuration) {
        try (ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, configuration))) {
            ParquetMetadata schema = new ParquetMetadata(reader.getFileMetaData(), List.of());
            require(
                    file,
                    ColumnType.listed(new ParquetMetadataConverter()
                            .toParquetMetadata(1, schema)
                            .getSchema()));
            return reader.getRecordCount();
        } catch (PrpfException e) {
            throw e;
        } catch (IOException | RuntimeException e) { // for a file that is not Parquet
            throw new InvalidDataException(file + ": cannot be read as Parquet: " + e.getMessage(), e);
        }
    }

    private void require(Path file, Struct found) {
        List<String> wrong =
                SchemaComparison.containing(columns, found.only(columns.fields().keySet()));
        if (!wrong.isEmpty()) {
            throw new InvalidDataException(file + ": " + String.join("; ", wrong) + "; its columns are "
                    + found.fields().keySet() + ", docs/SPARK.md lists the required ones");
        }
    }

    private static Numbered numbered(Row row, Map<String, Long> firstRow, JsonTextColumns texts) {
        Long first = firstRow.get(new Path(URI.create(row.getString(0))).toString()); // Spark escapes spaces
        if (first == null) {
            throw new IllegalStateException(row.getString(0) + " is not one of " + firstRow.keySet());
        }
        String json = texts.restored(row.getString(2));
        return new Numbered(first + row.getLong(1), json.getBytes(StandardCharsets.UTF_8));
    }
}

package dev.prpf.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_json;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * What Parquet files of a kind must have, and their rows as JSON; columns beyond it are read too, and a record's own rules decide on them.
 *
 * @param columns that every file must have
 * @param always a key that a row's JSON has also where its column is null, and means so; or null
 */
record ParquetColumns(List<Column> columns, @Nullable String always) {
    /** ProactiveMobile's records, nested as in JSON. */
    static final ParquetColumns RECORDS = new ParquetColumns(
            List.of(
                    new Column("benchmark_metadata.id", Kind.TEXT),
                    new Column("benchmark_metadata.difficulty_level", Kind.INTEGER),
                    new Column("reference_information.profile", Kind.TEXT),
                    new Column("reference_information.phone", Kind.TEXT),
                    new Column("reference_information.world", Kind.TEXT),
                    new Column("reference_information.trace", Kind.NESTED)),
            null);
    /** Predictions as {@code eval run} writes them. */
    static final ParquetColumns PREDICTIONS = new ParquetColumns(
            List.of(new Column("id", Kind.TEXT), new Column("route", Kind.TEXT), new Column("calls", Kind.NESTED)),
            "calls");
    /** Texts to encode. */
    static final ParquetColumns TEXTS = new ParquetColumns(List.of(new Column("text", Kind.TEXT)), null);

    enum Kind {
        TEXT,
        INTEGER,
        NESTED;

        boolean fits(Type type) {
            return switch (this) {
                case TEXT ->
                    type.isPrimitive()
                            && type.asPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.BINARY
                            && type.getLogicalTypeAnnotation()
                                    instanceof LogicalTypeAnnotation.StringLogicalTypeAnnotation;
                case INTEGER ->
                    type.isPrimitive()
                            && List.of(PrimitiveTypeName.INT32, PrimitiveTypeName.INT64)
                                    .contains(type.asPrimitiveType().getPrimitiveTypeName());
                case NESTED -> !type.isPrimitive();
            };
        }
    }

    /** @param name with those of the columns that it is nested in, behind dots */
    record Column(String name, Kind kind) {
        /** @throws PrpfException 65 if the file has no such column, or one of another type */
        void require(MessageType schema, Path file) {
            GroupType within = schema;
            String[] path = name.split("\\.", -1);
            for (int i = 0; i < path.length; i++) {
                if (!within.containsField(path[i])) {
                    throw refused(
                            file,
                            "there is no such column, the file has "
                                    + schema.getFields().stream()
                                            .map(Type::getName)
                                            .toList());
                }
                Type type = within.getType(path[i]);
                boolean last = i == path.length - 1;
                if (last ? !kind.fits(type) : type.isPrimitive()) {
                    throw refused(file, "is " + type.toString().strip());
                }
                within = last ? within : type.asGroupType();
            }
        }

        private InvalidDataException refused(Path file, String found) {
            return new InvalidDataException(file + ": column " + name + " must be "
                    + kind.name().toLowerCase(Locale.ROOT) + ": " + found + "; docs/SPARK.md has the columns");
        }
    }

    /**
     * The rows of files of this kind, in their order.
     *
     * @throws PrpfException 65, naming file, column and type, for a file of another schema; or if one is no Parquet
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
        String kept = always;
        Dataset<Row> json = spark.read()
                .option("mergeSchema", several)
                .parquet(names)
                .select(col("_metadata.file_path"), col("_metadata.row_index"), to_json(struct(col("*"))));
        JavaRDD<Numbered> numbered = json.toJavaRDD().map(row -> numbered(row, firstRow, kept));
        return several ? numbered.sortBy(Numbered::index, true, numbered.getNumPartitions()) : numbered;
    }

    /** How many rows the file has. */
    private long checkedRows(Path file, Configuration configuration) {
        try (ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, configuration))) {
            MessageType schema = reader.getFileMetaData().getSchema();
            columns.forEach(column -> column.require(schema, file));
            return reader.getRecordCount();
        } catch (PrpfException e) {
            throw e;
        } catch (IOException | RuntimeException e) { // of a file that is no Parquet
            throw new InvalidDataException(file + ": cannot be read as Parquet: " + e.getMessage(), e);
        }
    }

    private static Numbered numbered(Row row, Map<String, Long> firstRow, @Nullable String always) {
        Long first = firstRow.get(new Path(URI.create(row.getString(0))).toString()); // Spark escapes spaces
        if (first == null) {
            throw new IllegalStateException(row.getString(0) + " is none of " + firstRow.keySet());
        }
        String json = JsonTextColumns.restored(row.getString(2), always);
        return new Numbered(first + row.getLong(1), json.getBytes(StandardCharsets.UTF_8));
    }
}

package dev.prpf.spark;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.TemporaryFolder;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.par.export.ExportFolder;
import dev.prpf.par.export.Trainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;

/** The folder of an export: the rows in a subfolder, then the files next to it, {@link ExportFolder#MANIFEST} last. */
record ExportOutput(SparkSession spark, String folder, Trainer trainer) {
    static final String TRAIN = "train";
    static final String GOLD = "gold";

    /** Writes JSON objects as JSON Lines, or as Parquet with these columns. */
    void rows(JavaRDD<String> rows, Struct columns) {
        String place = folder + "/" + TRAIN;
        if (trainer != Trainer.PARQUET) {
            rows.saveAsTextFile(place);
            return;
        }
        spark.read()
                .schema(fields(columns))
                .option("mode", "FAILFAST") // by default a row that does not fit becomes a row of nulls
                .json(spark.createDataset(rows.rdd(), Encoders.STRING()))
                .write()
                .parquet(place);
    }

    private static String fields(Struct columns) {
        return columns.fields().entrySet().stream()
                .map(field -> "`" + field.getKey() + "` " + sqlType(field.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static String sqlType(ColumnType type) {
        if (type instanceof Struct struct) {
            return "STRUCT<" + fields(struct) + ">";
        }
        return type instanceof ListOf list
                ? "ARRAY<" + sqlType(list.element()) + ">"
                : switch ((Scalar) type) {
                    case INTEGER -> "BIGINT";
                    case NUMBER -> "DOUBLE";
                    default -> type.toString();
                };
    }

    /** Makes the files of {@code writing} in a local folder, copies them next to the rows, and returns the names of rows and files. */
    List<String> further(Function<ExportFolder, List<String>> writing) {
        try (TemporaryFolder temporary = TemporaryFolder.open("prpf-export")) {
            Path here = temporary.path();
            List<String> names = writing.apply(new ExportFolder(here, trainer, true));
            List<String> files = new ArrayList<>(names);
            files.add(ExportFolder.MANIFEST);
            files.removeIf(name -> !Files.exists(here.resolve(name))); // the rows, which are written already
            for (String name : files) {
                OutputFolder.write(folder, name, Files.readAllBytes(here.resolve(name)), spark.sparkContext());
            }
            return names;
        } catch (IOException e) {
            throw new UnavailableException("cannot write --out " + folder + ": " + e.getMessage(), e);
        }
    }
}

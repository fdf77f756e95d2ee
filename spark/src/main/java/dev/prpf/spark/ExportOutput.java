package dev.prpf.spark;

import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.par.export.ExportFolder;
import dev.prpf.par.export.Trainer;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The folder of an export: the rows in a subfolder, then the files next to it, {@link ExportFolder#MANIFEST} last.
 *
 * @param folder on any file system that Hadoop supports
 */
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
                .schema(RowTypes.of(columns))
                .option("mode", "FAILFAST") // by default a row that does not fit becomes a row of nulls
                .json(spark.createDataset(rows.rdd(), Encoders.STRING()))
                .write()
                .parquet(place);
    }

    /** Writes samples as JSON Lines. */
    void gold(JavaRDD<String> samples) {
        samples.saveAsTextFile(folder + "/" + GOLD);
    }

    /**
     * Writes the files next to the rows and returns the names of all files.
     *
     * @param writing writes the files to a local folder
     */
    List<String> beside(Function<ExportFolder, List<String>> writing) {
        try {
            java.nio.file.Path here = Files.createTempDirectory("prpf-export");
            try {
                List<String> names = writing.apply(new ExportFolder(here, trainer, true));
                for (String name : names) {
                    copy(here.resolve(name));
                }
                copy(here.resolve(ExportFolder.MANIFEST));
                return names;
            } finally {
                FileUtil.fullyDelete(here.toFile());
            }
        } catch (IOException e) {
            throw new UnavailableException("cannot write --out " + folder + ": " + e.getMessage(), e);
        }
    }

    private void copy(java.nio.file.Path file) throws IOException {
        if (Files.exists(file)) { // rows are written already
            Configuration configuration = SparkJob.context(spark).hadoopConfiguration();
            Path target = new Path(folder, String.valueOf(file.getFileName()));
            FileSystem system = target.getFileSystem(configuration);
            system.copyFromLocalFile(false, true, new Path(file.toUri()), target);
        }
    }

    /** Spark's types for the columns of exports; all are nullable. */
    static final class RowTypes {
        private RowTypes() {}

        static StructType of(Struct columns) {
            List<StructField> fields = new ArrayList<>();
            columns.fields().forEach((name, type) -> fields.add(DataTypes.createStructField(name, of(type), true)));
            return DataTypes.createStructType(fields);
        }

        private static DataType of(ColumnType type) {
            if (type instanceof Struct struct) {
                return of(struct);
            }
            return type instanceof ListOf list
                    ? DataTypes.createArrayType(of(list.element()), true)
                    : switch ((Scalar) type) {
                        case STRING -> DataTypes.StringType;
                        case INTEGER -> DataTypes.LongType;
                        case NUMBER -> DataTypes.DoubleType;
                        case BOOLEAN -> DataTypes.BooleanType;
                        case NULL -> DataTypes.NullType;
                    };
        }
    }
}

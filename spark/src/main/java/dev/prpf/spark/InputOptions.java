package dev.prpf.spark;

import dev.prpf.base.error.PrpfException.UsageException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TextInputFormat;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Option;

/** The option {@code --partitions}, with which jobs read their inputs; a mixin. */
class InputOptions {
    @Option(names = "--partitions", paramLabel = "N", description = "Least number for JSON Lines (default: Spark's).")
    private int partitions;

    /** Returns the lines of JSON Lines (without blank ones) or the rows of Parquet in order, each as one JSON object. */
    JavaRDD<Numbered> lines(SparkSession spark, String input, ParquetColumns columns) {
        if (partitions < 0) {
            throw new UsageException("--partitions = " + partitions + ", must be at least 1");
        }
        JavaSparkContext context = SparkJob.context(spark);
        InputFiles files = InputFiles.of(input, context.hadoopConfiguration());
        if (files.parquet()) {
            return columns.rows(spark, files);
        }
        JobConf job = new JobConf(context.hadoopConfiguration());
        job.set("textinputformat.record.delimiter", "\n"); // by default a lone \r ends a line too
        FileInputFormat.setInputPaths(job, files.files().toArray(Path[]::new));
        int least = Math.max(partitions, context.defaultMinPartitions());
        return context.hadoopRDD(job, TextInputFormat.class, LongWritable.class, Text.class, least)
                .map(line -> line._2().copyBytes())
                .filter(line -> !new String(line, StandardCharsets.ISO_8859_1).isBlank())
                .zipWithIndex()
                .map(line -> new Numbered(line._2(), line._1()));
    }
}

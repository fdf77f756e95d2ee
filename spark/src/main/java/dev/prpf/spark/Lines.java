package dev.prpf.spark;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TextInputFormat;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** Reads the records of an input in order. */
final class Lines {
    private Lines() {}

    /**
     * Returns the lines of JSON Lines (without blank ones) or the rows of Parquet, each as one JSON object.
     *
     * @param columns required in Parquet
     * @param partitions least number of partitions of JSON Lines; 0 leaves it to Spark
     */
    static JavaRDD<Numbered> of(SparkSession spark, String input, ParquetColumns columns, int partitions) {
        JavaSparkContext context = SparkJob.context(spark);
        InputFiles files = InputFiles.of(input, context.hadoopConfiguration());
        return files.parquet() ? columns.rows(spark, files) : lines(context, files, partitions);
    }

    private static JavaRDD<Numbered> lines(JavaSparkContext context, InputFiles files, int partitions) {
        JobConf job = new JobConf(context.hadoopConfiguration());
        job.set("textinputformat.record.delimiter", "\n"); // by default a lone \r ends a line too
        FileInputFormat.setInputPaths(job, files.files().toArray(Path[]::new));
        int least = Math.max(partitions, context.defaultMinPartitions());
        return context.hadoopRDD(job, TextInputFormat.class, LongWritable.class, Text.class, least)
                .map(line -> line._2().copyBytes())
                .filter(line -> !isBlank(line))
                .zipWithIndex()
                .map(line -> new Numbered(line._2(), line._1()));
    }

    private static boolean isBlank(byte[] line) {
        for (byte one : line) {
            if (one != ' ' && one != '\t' && one != '\r') {
                return false;
            }
        }
        return true;
    }
}

package dev.prpf.spark;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.Sample;
import dev.prpf.data.io.Finding;
import dev.prpf.spark.SampleParser.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TextInputFormat;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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

    /** The files of an input, at least one, sorted by path: JSON Lines or, by their extension, Parquet. */
    record InputFiles(List<Path> files, boolean parquet) {
        private static final String PARQUET = ".parquet";

        /**
         * Finds the files of a file, a folder (recursively) or a pattern; 65 without any. Names that begin with {@code _} or {@code .} are
         * excluded, unless the path spells them out.
         */
        static InputFiles of(String given, Configuration configuration) {
            try {
                Path pattern = new Path(given);
                FileSystem system = pattern.getFileSystem(configuration);
                long named = hiddenParts(system.makeQualified(pattern));
                FileStatus[] matches = system.globStatus(pattern);
                List<Path> files = new ArrayList<>();
                for (FileStatus match : matches == null ? new FileStatus[0] : matches) {
                    RemoteIterator<LocatedFileStatus> below = system.listFiles(match.getPath(), true);
                    while (below.hasNext()) {
                        files.add(below.next().getPath());
                    }
                }
                files.removeIf(file -> hiddenParts(file) > named);
                files.sort(Comparator.comparing(Path::toString));
                return checked(given, files, system);
            } catch (IOException | IllegalArgumentException e) {
                throw new InvalidDataException(given + ": cannot be read: " + e.getMessage(), e);
            }
        }

        private static long hiddenParts(Path path) {
            return path.toUri().getPath().split("/[_.]", -1).length;
        }

        private static InputFiles checked(String given, List<Path> files, FileSystem system) throws IOException {
            if (files.isEmpty()) {
                throw new InvalidDataException(
                        given + ": there is no such file, or no file in it; name a file, a folder"
                                + " or a pattern of JSON Lines or Parquet files");
            }
            long parquet = files.stream()
                    .filter(file -> file.getName().endsWith(PARQUET))
                    .count();
            if (parquet != 0 && parquet != files.size()) {
                throw new InvalidDataException(given + ": " + parquet + " of its " + files.size() + " files end with "
                        + PARQUET + " and the others do not; give an input files of one kind");
            }
            if (parquet == 0) {
                try (InputStream in = system.open(files.get(0))) {
                    if (new String(in.readNBytes(256), StandardCharsets.UTF_8)
                            .strip()
                            .startsWith("[")) {
                        throw new InvalidDataException(files.get(0)
                                + ": holds a JSON array, which cannot be cut into partitions; write it as"
                                + " JSON Lines, a record a line: jq -c '.[]' FILE");
                    }
                }
            }
            return new InputFiles(files, parquet != 0);
        }
    }

    /** The options of jobs that may leave out unreadable records; a mixin. */
    static final class LenientInputOptions extends InputOptions {
        private static final Logger LOG = LoggerFactory.getLogger(LenientInputOptions.class);

        @Option(names = "--failed", paramLabel = "DIR", description = "Leave out unreadable records; list them there.")
        @Nullable
        String folder;

        /** Reports the defects of a line; none if the line is valid. */
        interface Reader extends BiConsumer<Numbered, Consumer<Finding>>, Serializable {}

        /** Returns the readable samples of an input; with {@code unique} ends with 65 at a duplicate id. */
        JavaRDD<Sample> samples(SparkSession spark, String input, SampleParser parser, boolean unique) {
            JavaRDD<Numbered> lines = lines(spark, input, ParquetColumns.RECORDS);
            settle(lines, input, parser::parse);
            if (unique) {
                parser.requireUnique(lines, input);
            }
            return lines.flatMap(line -> parser.readable(line).iterator());
        }

        /** Checks all lines before the work: lists the unreadable ones in the folder, or ends with 65 at the first. */
        void settle(JavaRDD<Numbered> lines, String source, Reader reader) {
            if (folder == null) {
                Problem.requireNone(lines.flatMap(line -> findings(line, reader).stream()
                        .limit(1)
                        .map(first -> new Problem(
                                line.index(),
                                line.refusal(source, first) + "; give --failed DIR to exclude such records"))
                        .iterator()));
                return;
            }
            OutputFolder.requireFree("--failed", folder, lines.context());
            JavaRDD<List<String>> failed = lines.map(line -> findings(line, reader).stream()
                            .map(finding -> finding.toJson().toString())
                            .toList())
                    .filter(found -> !found.isEmpty())
                    .persist(StorageLevel.MEMORY_AND_DISK());
            failed.flatMap(List::iterator).saveAsTextFile(folder);
            if (!failed.isEmpty()) {
                LOG.warn("{}: {} records cannot be read and are left out, see {}", source, failed.count(), folder);
            }
        }

        private static List<Finding> findings(Numbered line, Reader reader) {
            List<Finding> findings = new ArrayList<>();
            reader.accept(line, findings::add);
            return findings;
        }
    }
}

package dev.prpf.spark;

import dev.prpf.data.Sample;
import dev.prpf.data.check.Finding;
import dev.prpf.spark.SampleParser.Problem;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** The options of jobs that may leave out unreadable records; a mixin. */
final class LenientInputOptions extends InputOptions {
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
                            line.index(), line.refusal(source, first) + ", and --failed DIR leaves such records out"))
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

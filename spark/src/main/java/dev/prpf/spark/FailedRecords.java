package dev.prpf.spark;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.check.Finding;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** The option {@code --failed}, which leaves out unreadable records; a mixin. */
final class FailedRecords {
    private static final Logger LOG = LoggerFactory.getLogger(FailedRecords.class);

    @Option(
            names = "--failed",
            paramLabel = "DIR",
            description =
                    "Leave out records that cannot be read, and list them there as JSON Lines with id, path, rule and"
                            + " message (default: stop at the first).")
    private @Nullable String folder;

    /** Reports the defects of a line; none if the line is valid. */
    interface Reader extends BiConsumer<Numbered, Consumer<Finding>>, Serializable {}

    /** The findings about a line as JSON, and a message about the first one. */
    private record Failed(long index, List<String> findings, String first) implements Serializable, Comparable<Failed> {
        @Override
        public int compareTo(Failed other) {
            return Long.compare(index, other.index);
        }
    }

    /** Returns whether unreadable records are left out. */
    boolean isEnabled() {
        return folder != null;
    }

    /** @throws PrpfException 2 if the folder is not empty */
    void requireFree(JavaRDD<?> input) {
        if (folder != null) {
            OutputFolder.requireFree("--failed", folder, input.context().hadoopConfiguration());
        }
    }

    /**
     * Checks all lines before the work: lists the unreadable ones in the folder, or fails on the first.
     *
     * @param source the input of the lines, for the message
     * @return the number of unreadable lines
     * @throws PrpfException 65, naming the first unreadable line, without {@code --failed}
     */
    long settle(JavaRDD<Numbered> lines, Reader reader, String source) {
        JavaRDD<Failed> failed = lines.flatMap(line -> failed(line, reader)).persist(StorageLevel.MEMORY_AND_DISK());
        try {
            if (folder == null) {
                refuse(failed, source);
                return 0;
            }
            failed.flatMap(one -> one.findings().iterator()).saveAsTextFile(folder);
            long count = failed.count();
            if (count > 0) {
                LOG.warn("{}: {} records cannot be read and are left out, see {}", source, count, folder);
            }
            return count;
        } finally {
            failed.unpersist();
        }
    }

    private static Iterator<Failed> failed(Numbered line, Reader reader) {
        List<Finding> findings = new ArrayList<>();
        reader.accept(line, findings::add);
        if (findings.isEmpty()) {
            return Collections.emptyIterator();
        }
        Finding first = findings.get(0);
        String words = "record " + line.index() + (first.id() == null ? "" : " (id " + first.id() + ")") + ", "
                + first.defect().describe();
        List<String> written =
                findings.stream().map(finding -> finding.toJson().toString()).toList();
        return List.of(new Failed(line.index(), written, words)).iterator();
    }

    private static void refuse(JavaRDD<Failed> failed, String source) {
        List<Failed> first = failed.takeOrdered(1);
        if (!first.isEmpty()) {
            throw new InvalidDataException(source + ": " + first.get(0).first()
                    + "; validate lists every defect, and --failed DIR leaves such records out");
        }
    }
}

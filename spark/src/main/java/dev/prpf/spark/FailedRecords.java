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

/** {@code --failed}: what becomes of records that cannot be read; a mixin. */
final class FailedRecords {
    private static final Logger LOG = LoggerFactory.getLogger(FailedRecords.class);

    @Option(
            names = "--failed",
            paramLabel = "DIR",
            description =
                    "Leave out records that cannot be read, and write what is wrong with each there, a JSON object a"
                            + " line with id, path, rule and message (default: the first one ends the job).")
    private @Nullable String folder;

    /** Tells what is wrong with a line, nothing where it is sound. */
    interface Reader extends BiConsumer<Numbered, Consumer<Finding>>, Serializable {}

    /** Of a line: what is wrong, as it is written, and the first in words. */
    private record Failed(long index, List<String> findings, String first) implements Serializable, Comparable<Failed> {
        @Override
        public int compareTo(Failed other) {
            return Long.compare(index, other.index);
        }
    }

    /** Whether they are to be left out. */
    boolean asked() {
        return folder != null;
    }

    /** @throws PrpfException 2 if something is there */
    void requireFree(JavaRDD<?> input) {
        if (folder != null) {
            OutputFolder.requireFree("--failed", folder, input.context().hadoopConfiguration());
        }
    }

    /**
     * Looks at all lines before the work: writes those that fail to the folder, or refuses the first.
     *
     * @param source what the lines are of, for the message
     * @return how many fail
     * @throws PrpfException 65, naming the first that fails, where they are not to be left out
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

package dev.prpf.base.parquet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.ParquetShards;
import dev.prpf.base.parquet.ColumnType.Struct;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes a split as shards of about the same size; they are named when their number is known.
 *
 * @param folder the target folder
 * @param columns the columns of every row
 * @param largest size in bytes at which a shard is full
 */
public record ParquetShardWriter(Path folder, Struct columns, long largest) {
    /** The default shard size of {@code datasets}. */
    public static final long LARGEST = 500L << 20;

    /**
     * The written shards of a split.
     *
     * @param files names in the folder, at least one
     * @param rows number of all rows
     */
    public record Split(String name, List<String> files, long rows) {}

    /**
     * Writes all rows; without rows, writes one empty shard.
     *
     * @param split the prefix of the shards' names: {@code train}
     * @throws PrpfException 69 if they cannot be written, 65 for a text that is not valid Unicode; existing shards stay unchanged
     */
    public Split write(String split, Iterator<ObjectNode> rows) {
        List<Path> nameless = new ArrayList<>();
        try {
            AtomicLong written = new AtomicLong();
            do {
                Path shard = folder.resolve("." + split + "-" + nameless.size() + ".partial");
                AtomicFiles.write(shard, out -> {
                    ParquetOutput output = new ParquetOutput(out, columns);
                    for (; rows.hasNext() && output.size() < largest; written.incrementAndGet()) {
                        output.write(rows.next());
                    }
                    output.finish();
                });
                nameless.add(shard);
            } while (rows.hasNext());
            return new Split(split, named(split, nameless), written.get());
        } catch (IOException e) {
            throw IoFailure.writing(folder, e);
        } finally {
            nameless.forEach(shard -> IoFailure.whileWriting(shard, () -> Files.deleteIfExists(shard)));
        }
    }

    private List<String> named(String split, List<Path> shards) throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < shards.size(); i++) {
            names.add(ParquetShards.name(split, i, shards.size()));
            AtomicFiles.move(shards.get(i), folder.resolve(names.get(i)));
        }
        return names;
    }
}

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

/**
 * Writes a split as shards of about the same size, named when their number is known.
 *
 * @param folder where they go
 * @param columns of every row
 * @param largest bytes from which on a shard is full
 */
public record ParquetShardWriter(Path folder, Struct columns, long largest) {
    /** As large as {@code datasets} makes its shards. */
    public static final long LARGEST = 500L << 20;

    /**
     * What was written.
     *
     * @param files names in the folder, at least one
     * @param rows in all of them
     * @param bytes of their pages, uncompressed
     */
    public record Split(String name, List<String> files, long rows, long bytes) {
        public Split {
            files = List.copyOf(files);
        }
    }

    /**
     * Writes all rows; without a row the one shard has none.
     *
     * @param split the beginning of the shards' names: {@code train}
     * @throws PrpfException 69 if they cannot be written, 65 for a text that is no Unicode; the shards' places stay as they were
     */
    public Split write(String split, Iterator<ObjectNode> rows) {
        List<Path> nameless = new ArrayList<>();
        try {
            long written = 0;
            long bytes = 0;
            do {
                Path shard = folder.resolve("." + split + "-" + nameless.size() + ".partial");
                ParquetOutput.Size size = shard(shard, rows);
                nameless.add(shard);
                written += size.rows();
                bytes += size.bytes();
            } while (rows.hasNext());
            return new Split(split, named(split, nameless), written, bytes);
        } catch (IOException e) {
            throw IoFailure.writing(folder, e);
        } finally {
            nameless.forEach(shard -> IoFailure.whileWriting(shard, () -> Files.deleteIfExists(shard)));
        }
    }

    private ParquetOutput.Size shard(Path file, Iterator<ObjectNode> rows) {
        ParquetOutput.Size[] size = new ParquetOutput.Size[1];
        AtomicFiles.write(file, out -> {
            ParquetOutput output = new ParquetOutput(out, columns);
            while (rows.hasNext() && output.size() < largest) {
                output.write(rows.next());
            }
            size[0] = output.finish();
        });
        return size[0];
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

package dev.prpf.par.export;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.base.parquet.ParquetShardWriter;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** An export's Parquet files, and the card that says what is in them. */
final class ParquetFiles {
    private static final String CARD = "README.md";

    private final Path folder;
    private final List<ParquetShardWriter.Split> splits = new ArrayList<>();
    private Struct columns = new Struct(Map.of());

    ParquetFiles(Path folder) {
        this.folder = folder;
    }

    /** Removes those of an export that stands there. */
    static void clear(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> shards =
                    Files.newDirectoryStream(folder, "{train,test}-[0-9]*-of-[0-9]*.parquet")) {
                for (Path shard : shards) {
                    Files.delete(shard);
                }
            }
            Files.deleteIfExists(folder.resolve(CARD));
        }
    }

    /** Writes a split, whose columns are those of the other one; returns the names of its shards. */
    List<String> write(String split, Struct type, Iterator<ObjectNode> rows) {
        columns = type;
        IoFailure.whileWriting(folder, () -> Files.createDirectories(folder));
        ParquetShardWriter.Split written =
                new ParquetShardWriter(folder, columns, ParquetShardWriter.LARGEST).write(split, rows);
        splits.add(written);
        return written.files();
    }

    boolean hasSplits() {
        return !splits.isEmpty();
    }

    /** Writes the card; returns its name. */
    String card(String title) {
        AtomicFiles.writeText(folder.resolve(CARD), DatasetCard.of(title, columns, splits));
        return CARD;
    }
}

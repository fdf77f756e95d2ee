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

/** The Parquet files of an export, and their data set card. */
final class ParquetFiles {
    private static final String CARD = "README.md";

    private final Path folder;
    private final List<ParquetShardWriter.Split> splits = new ArrayList<>();
    private Struct columns = new Struct(Map.of());

    ParquetFiles(Path folder) {
        this.folder = folder;
    }

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

    /** Writes a split; returns the names of its shards. All splits have equal columns. */
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

    /** Writes the dataset card, from which {@code datasets} takes the splits; returns its name. */
    String card(String title) {
        StringBuilder card = new StringBuilder("---\nconfigs:\n- config_name: default\n  data_files:\n");
        splits.forEach(split -> card.append("  - split: %1$s\n    path: %1$s-*.parquet\n".formatted(split.name())));
        card.append("---\n# ").append(title).append("\n\nWritten by `prpf data export --to parquet`.\n\n");
        card.append("| split | rows | files |\n|---|---|---|\n");
        splits.forEach(split -> card.append("| %s | %s | %s |\n"
                .formatted(split.name(), split.rows(), split.files().size())));
        card.append("\n| column | type |\n|---|---|\n");
        columns.fields().forEach((name, type) -> card.append("| `%s` | `%s` |\n".formatted(name, type)));
        AtomicFiles.writeText(folder.resolve(CARD), card.toString());
        return CARD;
    }
}

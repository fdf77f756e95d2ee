package dev.prpf.par.export;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.base.parquet.ParquetShardWriter;
import dev.prpf.base.parquet.ParquetShardWriter.Split;
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

    /** Deletes the Parquet files of an existing export. */
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

    /** Writes the card; returns its name. */
    String card(String title) {
        AtomicFiles.writeText(folder.resolve(CARD), DatasetCard.of(title, columns, splits));
        return CARD;
    }

    /** The card of a data set in the Hugging Face hub's format: {@code datasets} reads splits and features from its head. */
    static final class DatasetCard {
        private DatasetCard() {}

        /** Returns the card's text. */
        static String of(String title, Struct columns, List<Split> splits) {
            StringBuilder card = new StringBuilder("---\nconfigs:\n- config_name: default\n  data_files:\n");
            splits.forEach(split -> card.append("  - split: ")
                    .append(split.name())
                    .append("\n    path: ")
                    .append(split.name())
                    .append("-*.parquet\n"));
            card.append("dataset_info:\n  features:\n");
            features(columns, "  ", card);
            card.append("  splits:\n");
            splits.forEach(split -> card.append("  - name: ")
                    .append(split.name())
                    .append("\n    num_bytes: ")
                    .append(split.bytes())
                    .append("\n    num_examples: ")
                    .append(split.rows())
                    .append('\n'));
            card.append("---\n# ").append(title).append("\n\nWritten by `prpf data export --to parquet`.\n\n");
            card.append("| split | rows | files |\n|---|---|---|\n");
            splits.forEach(split -> card.append("| ")
                    .append(split.name())
                    .append(" | ")
                    .append(split.rows())
                    .append(" | ")
                    .append(split.files().size())
                    .append(" |\n"));
            card.append("\n| column | type |\n|---|---|\n");
            columns.fields().forEach((name, type) -> card.append("| `")
                    .append(name)
                    .append("` | `")
                    .append(type)
                    .append("` |\n"));
            return card.toString();
        }

        private static void features(Struct columns, String indent, StringBuilder card) {
            columns.fields().forEach((name, type) -> {
                card.append(indent).append("- name: ").append(name).append('\n');
                feature(type, indent + "  ", card);
            });
        }

        private static void feature(ColumnType type, String indent, StringBuilder card) {
            if (type instanceof Struct struct) {
                card.append(indent).append("struct:\n");
                features(struct, indent, card);
            } else if (type instanceof ListOf list) {
                card.append(indent).append("list:");
                if (list.element() instanceof Struct struct) {
                    card.append('\n');
                    features(struct, indent, card);
                } else if (list.element() instanceof Scalar scalar) {
                    card.append(' ').append(dtype(scalar)).append('\n');
                } else {
                    card.append('\n');
                    feature(list.element(), indent + "  ", card);
                }
            } else if (type instanceof Scalar scalar) {
                card.append(indent).append("dtype: ").append(dtype(scalar)).append('\n');
            }
        }

        private static String dtype(Scalar scalar) {
            return switch (scalar) {
                case STRING -> "string";
                case INTEGER -> "int64";
                case NUMBER -> "float64";
                case BOOLEAN -> "bool";
                case NULL -> "'null'";
            };
        }
    }
}

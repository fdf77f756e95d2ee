package dev.prpf.base.parquet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.ParquetShards;
import dev.prpf.base.parquet.ColumnType.Struct;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import org.apache.commons.lang3.function.FailableSupplier;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.RecordReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of Parquet files one by one, shard after shard. Memory holds a row and the open pages of its columns. Pages that
 * exceed a limit are rejected before decompression.
 */
public final class ParquetRows implements AutoCloseable {
    private final Iterator<Path> files;
    private final BiFunction<Path, Struct, Set<String>> choice;
    private @Nullable OpenFile open;

    /**
     * One row of a file.
     *
     * @param file the shard of the row
     * @param index its index in the shard, from 0
     * @param json its values, with a key for every selected column
     */
    public record Row(Path file, long index, ObjectNode json) {
        /** Returns the row's location for messages. */
        public String place() {
            return file + ": row " + index;
        }
    }

    private ParquetRows(Iterator<Path> files, BiFunction<Path, Struct, Set<String>> choice) {
        this.files = files;
        this.choice = choice;
    }

    /**
     * Opens the files that {@link ParquetShards} finds.
     *
     * @param choice returns the names of the columns to read of a file, or throws {@link MalformedParquetException}
     * @throws PrpfException 65 if they are not the shards of one data set
     */
    public static ParquetRows open(Path source, BiFunction<Path, Struct, Set<String>> choice) {
        return new ParquetRows(ParquetShards.of(source).iterator(), choice);
    }

    /**
     * Returns the next row, or null after the last.
     *
     * @throws MalformedParquetException if a file is damaged, exceeds a limit or lacks the selected columns
     * @throws PrpfException 65 if a file cannot be opened
     */
    public @Nullable Row next() {
        while (true) {
            Row row = open == null ? null : open.next();
            if (row != null || !files.hasNext()) {
                return row;
            }
            close();
            open = new OpenFile(files.next());
        }
    }

    @Override
    public void close() {
        if (open != null) {
            open.close();
            open = null;
        }
    }

    private final class OpenFile implements AutoCloseable {
        private final Path file;
        private final FileChannel channel;
        private final ParquetFooter footer;
        private final ParquetSchema chosen;
        private final Iterator<RowGroup> groups;
        private @Nullable RecordReader<ObjectNode> reader;
        private long left;
        private long index;

        OpenFile(Path file) {
            this.file = file;
            try {
                this.channel = FileChannel.open(file);
            } catch (IOException e) {
                throw IoFailure.reading(file, e);
            }
            try {
                this.footer = sound("", () -> ParquetFooter.read(channel));
                this.groups = footer.groups().iterator();
                this.chosen =
                        footer.schema().only(choice.apply(file, footer.schema().columns()));
            } catch (RuntimeException e) {
                close();
                throw e;
            }
        }

        @Nullable
        Row next() {
            while (left == 0 && groups.hasNext()) {
                RowGroup group = groups.next();
                left = group.getNum_rows();
                reader = left == 0 ? null : sound("row " + index + ": ", () -> rows(group));
            }
            if (left == 0) {
                return null;
            }
            RecordReader<ObjectNode> rows = Objects.requireNonNull(reader);
            ObjectNode json = sound("row " + index + ": ", () -> rows.read());
            left--;
            return new Row(file, index++, json);
        }

        private RecordReader<ObjectNode> rows(RowGroup group) {
            return new ColumnIOFactory(footer.createdBy())
                    .getColumnIO(chosen.message(), footer.schema().message())
                    .getRecordReader(new RowGroupPages(channel, group), new RowAssembler(chosen));
        }

        /** Runs a step; decoders throw various exceptions for damaged data. */
        private <T> T sound(String place, FailableSupplier<T, IOException> step) {
            try {
                return step.get();
            } catch (IOException | RuntimeException | StackOverflowError e) { // Thrift recurses into nested data
                throw new MalformedParquetException(file, "malformed-parquet", place + reason(e));
            }
        }

        private static String reason(Throwable failure) {
            Throwable cause = failure;
            while (!(cause instanceof IOException || cause instanceof UncheckedIOException)
                    && cause.getCause() != null) {
                cause = cause.getCause();
            }
            return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                throw IoFailure.reading(file, e);
            }
        }
    }

    /** Thrown for a file that is not Parquet, is damaged, exceeds a limit, or lacks the requested columns. */
    public static final class MalformedParquetException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Path file;
        private final String rule;
        private final String reason;

        /**
         * @param rule stable kebab-case name of the broken rule
         * @param reason location in the file, value and rule in words
         */
        public MalformedParquetException(Path file, String rule, String reason) {
            super(file + ": " + reason + " [" + rule + "]");
            this.file = file;
            this.rule = rule;
            this.reason = reason;
        }

        public Path file() {
            return file;
        }

        public String rule() {
            return rule;
        }

        /** Returns the message without the file's name. */
        public String reason() {
            return reason;
        }

        /** Returns the failure with exit code 65. */
        public PrpfException outcome() {
            return new InvalidDataException(String.valueOf(getMessage()), this);
        }
    }
}

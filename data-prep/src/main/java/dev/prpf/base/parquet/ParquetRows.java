package dev.prpf.base.parquet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
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
import org.apache.commons.lang3.function.FailableSupplier;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.RecordReader;
import org.jspecify.annotations.Nullable;

/**
 * The rows of Parquet files, one at a time, shard after shard. Memory holds a row and the open pages of its columns, whatever the length of
 * files and row groups; what breaks a bound is refused before it is unpacked.
 */
public final class ParquetRows implements AutoCloseable {
    private final Iterator<Path> files;
    private final ColumnChoice choice;
    private @Nullable OpenFile open;

    /** Which columns of a file are read. */
    @FunctionalInterface
    public interface ColumnChoice {
        /**
         * The names of the columns to read.
         *
         * @throws MalformedParquetException if the file has not the right ones
         */
        Set<String> of(Path file, Struct columns);
    }

    /**
     * A row.
     *
     * @param file the shard it stands in
     * @param index its place there, from 0
     * @param json its values; a key for every column that was chosen
     */
    public record Row(Path file, long index, ObjectNode json) {
        /** For messages. */
        public String place() {
            return file + ": row " + index;
        }
    }

    private ParquetRows(Iterator<Path> files, ColumnChoice choice) {
        this.files = files;
        this.choice = choice;
    }

    /**
     * Opens what {@link ParquetShards} finds there.
     *
     * @throws PrpfException 65 if these are no shards of one data set
     */
    public static ParquetRows open(Path source, ColumnChoice choice) {
        return new ParquetRows(ParquetShards.of(source).iterator(), choice);
    }

    /**
     * The next row, or null after the last.
     *
     * @throws MalformedParquetException if a file is damaged, too large to unpack or has other columns than the choice asks for
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
                        footer.schema().only(choice.of(file, footer.schema().columns()));
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

        /** The decoders say in many ways that what they are given is damaged. */
        private <T> T sound(String place, FailableSupplier<T, IOException> step) {
            try {
                return step.get();
            } catch (IOException | RuntimeException | StackOverflowError e) { // Thrift calls itself for what is nested
                throw new MalformedParquetException(file, "malformed-parquet", place + reason(e));
            }
        }

        private static String reason(Throwable failure) {
            Throwable said = failure;
            while (!(said instanceof IOException || said instanceof UncheckedIOException) && said.getCause() != null) {
                said = said.getCause();
            }
            return said.getMessage() == null ? said.getClass().getSimpleName() : said.getMessage();
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
}

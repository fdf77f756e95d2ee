package dev.prpf.base.parquet;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Util;

/**
 * The footer of a file, checked against the file's length before any page is read.
 *
 * @param schema all columns
 * @param groups the row groups; all offsets lie inside the file
 * @param createdBy the writer, which decoders need to know; empty if missing
 */
record ParquetFooter(ParquetSchema schema, List<RowGroup> groups, String createdBy) {
    static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ENCRYPTED = "PARE".getBytes(StandardCharsets.US_ASCII);
    private static final int LARGEST = 64 << 20;
    private static final int MOST_COLUMNS = 1000;
    private static final int TAIL = 8;

    /**
     * Reads a file's footer.
     *
     * @throws IOException if it cannot be read or is inconsistent
     * @throws RuntimeException if it is not a footer
     */
    static ParquetFooter read(FileChannel channel) throws IOException {
        long size = channel.size();
        require(size >= MAGIC.length + TAIL, "is not Parquet: it has " + size + " bytes");
        byte[] tail = bytes(channel, size - TAIL, TAIL);
        byte[] end = Arrays.copyOfRange(tail, TAIL - MAGIC.length, TAIL);
        require(!Arrays.equals(end, ENCRYPTED), "is encrypted; write it without encryption");
        require(
                Arrays.equals(end, MAGIC) && Arrays.equals(bytes(channel, 0, MAGIC.length), MAGIC),
                "is not Parquet, or is truncated: it must begin and end with PAR1");
        int length = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt();
        long most = Math.min(LARGEST, size - TAIL - MAGIC.length);
        require(length > 0 && length <= most, "has a footer of " + length + " bytes, at most " + most + " are read");
        FileMetaData footer =
                Util.readFileMetaData(new ByteArrayInputStream(bytes(channel, size - TAIL - length, length)));
        require(
                footer.getSchemaSize() <= 3 * MOST_COLUMNS,
                "has a schema of " + footer.getSchemaSize() + " elements, at most " + 3 * MOST_COLUMNS + " are read");
        ParquetSchema schema = ParquetSchema.of(footer.getSchema());
        List<ColumnDescriptor> columns = schema.message().getColumns();
        List<RowGroup> groups = footer.getRow_groups().stream()
                .filter(group -> group.getNum_rows() != 0) // the offsets of an empty group are undefined
                .toList();
        for (RowGroup group : groups) {
            check(group, columns, size - TAIL - length);
        }
        return new ParquetFooter(schema, groups, footer.isSetCreated_by() ? footer.getCreated_by() : "");
    }

    private static void check(RowGroup group, List<ColumnDescriptor> columns, long end) throws IOException {
        require(
                group.getColumnsSize() == columns.size(),
                "has a row group of " + group.getColumnsSize() + " columns, its schema has " + columns.size());
        for (int i = 0; i < columns.size(); i++) {
            ColumnChunk chunk = group.getColumns().get(i);
            String name = String.join(".", columns.get(i).getPath());
            require(!chunk.isSetFile_path(), "keeps column " + name + " in another file, which is not followed");
            require(chunk.isSetMeta_data() && !chunk.isSetCrypto_metadata(), "has no plain metadata of column " + name);
            ColumnMetaData data = chunk.getMeta_data();
            require(
                    data.getPath_in_schema().equals(List.of(columns.get(i).getPath())),
                    "has column " + data.getPath_in_schema() + " where its schema has " + name);
            long start = start(data);
            boolean inside = start >= MAGIC.length
                    && data.getTotal_compressed_size() >= 0
                    && data.getTotal_compressed_size() <= end - start;
            require(inside, "says that column " + name + " lies outside of the file");
            boolean repeats = columns.get(i).getMaxRepetitionLevel() > 0;
            boolean enough =
                    repeats ? data.getNum_values() >= group.getNum_rows() : data.getNum_values() == group.getNum_rows();
            require(
                    enough && group.getNum_rows() >= 0,
                    "has " + data.getNum_values() + " values of column " + name + " for " + group.getNum_rows()
                            + " rows");
        }
    }

    /** Returns the offset of a column's first page. */
    static long start(ColumnMetaData data) {
        boolean dictionary = data.isSetDictionary_page_offset() && data.getDictionary_page_offset() > 0;
        return dictionary
                ? Math.min(data.getDictionary_page_offset(), data.getData_page_offset())
                : data.getData_page_offset();
    }

    private static void require(boolean sound, String reason) throws IOException {
        if (!sound) {
            throw new IOException(reason);
        }
    }

    private static byte[] bytes(FileChannel channel, long position, int length) throws IOException {
        return FileStretch.exactly(new FileStretch(channel, position, length), length);
    }

    /** An input stream over a range of a file; several can read from one channel in turns. */
    static final class FileStretch extends InputStream {
        private final FileChannel channel;
        private final long end;
        private long position;

        FileStretch(FileChannel channel, long position, long length) {
            this.channel = channel;
            this.position = position;
            this.end = position + length;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int wanted = (int) Math.min(length, end - position);
            if (wanted <= 0) {
                return length == 0 ? 0 : -1;
            }
            int read = channel.read(ByteBuffer.wrap(bytes, offset, wanted), position);
            position += Math.max(read, 0);
            return read;
        }

        /** Reads exactly {@code count} bytes of a stream. */
        static byte[] exactly(InputStream in, int count) throws IOException {
            byte[] bytes = in.readNBytes(count);
            if (bytes.length < count) {
                throw new EOFException(
                        "it is truncated: " + count + " bytes are needed, " + bytes.length + " are left");
            }
            return bytes;
        }
    }
}

package dev.prpf.base.parquet;

import dev.prpf.base.parquet.ColumnPages.PageCodec;
import dev.prpf.base.parquet.ParquetFooter.FileStretch;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/** Reads the pages of a row group on demand. Memory holds one page and one dictionary per column, at most {@value #LARGEST} bytes. */
final class RowGroupPages implements PageReadStore {
    static final long LARGEST = 512L << 20;

    private final FileChannel channel;
    private final long rows;
    private final Map<List<String>, ColumnMetaData> chunks = new HashMap<>();
    private long held;

    RowGroupPages(FileChannel channel, RowGroup group) {
        this.channel = channel;
        this.rows = group.getNum_rows();
        for (ColumnChunk chunk : group.getColumns()) {
            chunks.put(chunk.getMeta_data().getPath_in_schema(), chunk.getMeta_data());
        }
    }

    @Override
    public PageReader getPageReader(ColumnDescriptor descriptor) {
        return new ChunkPages(Objects.requireNonNull(chunks.get(List.of(descriptor.getPath()))), descriptor);
    }

    @Override
    public long getRowCount() {
        return rows;
    }

    private void hold(long bytes, String column) throws IOException {
        held += bytes;
        if (held > LARGEST) {
            throw new IOException("the pages that are open at column " + column + " take " + held + " bytes, at most "
                    + LARGEST + " are read; write it with smaller pages");
        }
    }

    /** The pages of one column. */
    private final class ChunkPages implements PageReader {
        private final ColumnMetaData chunk;
        private final ColumnDescriptor descriptor;
        private final Statistics<?> none;
        private final String column;
        private final InputStream in;
        private @Nullable PageHeader next;
        private long values;
        private long open;

        ChunkPages(ColumnMetaData chunk, ColumnDescriptor descriptor) {
            this.chunk = chunk;
            this.descriptor = descriptor;
            this.none = Statistics.getBuilderForReading(descriptor.getPrimitiveType())
                    .build();
            this.column = String.join(".", chunk.getPath_in_schema());
            this.in = new BufferedInputStream(
                    new FileStretch(channel, ParquetFooter.start(chunk), chunk.getTotal_compressed_size()));
        }

        @Override
        public long getTotalValueCount() {
            return chunk.getNum_values();
        }

        @Override
        public @Nullable DictionaryPage readDictionaryPage() {
            try {
                next = chunk.getTotal_compressed_size() == 0 ? null : Util.readPageHeader(in);
                if (next == null || next.getType() != PageType.DICTIONARY_PAGE) {
                    return null;
                }
                PageHeader header = next;
                next = null;
                hold(header.getUncompressed_page_size(), column); // until the end of the group
                return new DictionaryPage(
                        BytesInput.from(body(header, 0)),
                        header.getDictionary_page_header().getNum_values(),
                        encoding(header.getDictionary_page_header().getEncoding()));
            } catch (IOException e) {
                throw failure(e);
            }
        }

        @Override
        public @Nullable DataPage readPage() {
            try {
                while (values < chunk.getNum_values()) {
                    PageHeader header = next == null ? Util.readPageHeader(in) : next;
                    next = null;
                    if (header.getType() == PageType.DATA_PAGE || header.getType() == PageType.DATA_PAGE_V2) {
                        hold(header.getUncompressed_page_size() - open, column);
                        open = header.getUncompressed_page_size();
                        return header.getType() == PageType.DATA_PAGE ? first(header) : second(header);
                    }
                    FileStretch.exactly(in, header.getCompressed_page_size());
                }
                return null;
            } catch (IOException e) {
                throw failure(e);
            }
        }

        private UncheckedIOException failure(IOException e) {
            return new UncheckedIOException("column " + column + ": " + e.getMessage(), e);
        }

        private DataPage first(PageHeader page) throws IOException {
            DataPageHeader header = page.getData_page_header();
            count(header.getNum_values());
            byte[] bytes = body(page, 0);
            Encoding repetition = encoding(header.getRepetition_level_encoding());
            Encoding definition = encoding(header.getDefinition_level_encoding());
            Encoding encoding = encoding(header.getEncoding());
            if (encoding.name().startsWith("DELTA_")) {
                Encoding[] levels = {repetition, definition};
                decoded(
                        encoding,
                        DeltaPage.afterLevels(bytes, descriptor, levels, header.getNum_values()),
                        header.getNum_values());
            }
            return new DataPageV1(
                    BytesInput.from(bytes),
                    header.getNum_values(),
                    page.getUncompressed_page_size(),
                    none,
                    repetition,
                    definition,
                    encoding);
        }

        /** Reads a version 2 page, where uncompressed levels precede the values. */
        private DataPage second(PageHeader page) throws IOException {
            DataPageHeaderV2 header = page.getData_page_header_v2();
            count(header.getNum_values());
            int repetition = header.getRepetition_levels_byte_length();
            int definition = header.getDefinition_levels_byte_length();
            int levels = Math.addExact(repetition, definition);
            if (repetition < 0 || definition < 0 || levels > page.getUncompressed_page_size()) {
                throw new IOException("a page's levels have " + repetition + " and " + definition + " bytes");
            }
            byte[] bytes = header.isIs_compressed() ? body(page, levels) : raw(page);
            if (levels > bytes.length) {
                throw new IOException("a page is shorter than its levels");
            }
            Encoding encoding = encoding(header.getEncoding());
            decoded(encoding, ByteBuffer.wrap(bytes, levels, bytes.length - levels), header.getNum_values());
            return DataPageV2.uncompressed(
                    header.getNum_rows(),
                    header.getNum_nulls(),
                    header.getNum_values(),
                    BytesInput.from(bytes, 0, repetition),
                    BytesInput.from(bytes, repetition, definition),
                    encoding,
                    BytesInput.from(bytes, levels, bytes.length - levels),
                    none);
        }

        /** Counts the decoded numbers of a delta-encoded page, which are held as long as the page. */
        private void decoded(Encoding encoding, ByteBuffer bytes, int most) throws IOException {
            long held = new DeltaPage(encoding, most).decoded(bytes);
            hold(held, column);
            open += held;
        }

        private void count(int found) throws IOException {
            values += found;
            if (found <= 0 || values > chunk.getNum_values()) {
                throw new IOException("a page has " + found + " values, the column has " + chunk.getNum_values());
            }
        }

        /** Returns a page's bytes; the first {@code plain} are not compressed. */
        private byte[] body(PageHeader header, int plain) throws IOException {
            byte[] page = raw(header);
            int length = header.getUncompressed_page_size() - plain;
            if (plain > page.length || length < 0) {
                throw new IOException("a page is shorter than its levels");
            }
            byte[] values = length == 0 && plain == page.length
                    ? new byte[0]
                    : PageCodec.decompress(chunk.getCodec(), page, plain, length);
            if (plain == 0) {
                return values;
            }
            byte[] bytes = new byte[plain + length];
            System.arraycopy(page, 0, bytes, 0, plain);
            System.arraycopy(values, 0, bytes, plain, length);
            return bytes;
        }

        private byte[] raw(PageHeader header) throws IOException {
            byte[] page = FileStretch.exactly(in, header.getCompressed_page_size());
            CRC32 crc = new CRC32();
            crc.update(page);
            if (header.isSetCrc() && header.getCrc() != (int) crc.getValue()) {
                throw new IOException("a page's checksum is wrong: the file is damaged, download it again");
            }
            return page;
        }

        private Encoding encoding(org.apache.parquet.format.Encoding encoding) {
            return Encoding.valueOf(encoding.name());
        }
    }
}

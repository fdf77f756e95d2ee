package dev.prpf.base.parquet;

import io.airlift.compress.Compressor;
import io.airlift.compress.Decompressor;
import io.airlift.compress.lz4.Lz4Decompressor;
import io.airlift.compress.snappy.SnappyCompressor;
import io.airlift.compress.snappy.SnappyDecompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.statistics.SizeStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;

/** Buffers a column's compressed (Snappy) pages until its row group is written. */
final class ColumnPages implements PageWriter {
    private final ColumnDescriptor column;
    private final ByteArrayOutputStream dictionary = new ByteArrayOutputStream();
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private final Set<org.apache.parquet.format.Encoding> encodings = new LinkedHashSet<>();
    private long values;
    private long uncompressed;

    ColumnPages(ColumnDescriptor column) {
        this.column = column;
    }

    @Override
    public void writeDictionaryPage(DictionaryPage page) throws IOException {
        DictionaryPageHeader header = new DictionaryPageHeader(page.getDictionarySize(), encoding(page.getEncoding()));
        write(
                new PageHeader(PageType.DICTIONARY_PAGE, 0, 0).setDictionary_page_header(header),
                page.getBytes(),
                dictionary);
    }

    @Override
    public void writePage(
            BytesInput bytes,
            int valueCount,
            int rowCount,
            Statistics<?> statistics,
            Encoding repetition,
            Encoding definition,
            Encoding encoding)
            throws IOException {
        DataPageHeader header =
                new DataPageHeader(valueCount, encoding(encoding), encoding(definition), encoding(repetition));
        values += valueCount;
        write(new PageHeader(PageType.DATA_PAGE, 0, 0).setData_page_header(header), bytes, data);
    }

    @Override
    public void writePage(
            BytesInput bytes,
            int valueCount,
            int rowCount,
            Statistics<?> statistics,
            SizeStatistics sizes,
            GeospatialStatistics places,
            Encoding repetition,
            Encoding definition,
            Encoding encoding)
            throws IOException {
        writePage(bytes, valueCount, rowCount, statistics, repetition, definition, encoding);
    }

    private void write(PageHeader header, BytesInput input, ByteArrayOutputStream pages) throws IOException {
        ByteArrayOutputStream page = new ByteArrayOutputStream(Math.toIntExact(input.size()));
        input.writeAllTo(page);
        byte[] bytes = page.toByteArray();
        byte[] compressed = PageCodec.snappy(bytes);
        CRC32 crc = new CRC32();
        crc.update(compressed);
        int before = pages.size();
        Util.writePageHeader(
                header.setUncompressed_page_size(bytes.length)
                        .setCompressed_page_size(compressed.length)
                        .setCrc((int) crc.getValue()),
                pages);
        uncompressed += pages.size() - before + bytes.length;
        pages.write(compressed);
    }

    private org.apache.parquet.format.Encoding encoding(Encoding encoding) {
        org.apache.parquet.format.Encoding written = org.apache.parquet.format.Encoding.valueOf(encoding.name());
        encodings.add(written);
        return written;
    }

    /** Writes the pages at {@code position} of the file and returns their footer entry. */
    ColumnChunk writeTo(OutputStream out, long position) throws IOException {
        dictionary.writeTo(out);
        data.writeTo(out);
        ColumnMetaData metadata = new ColumnMetaData(
                Type.valueOf(
                        column.getPrimitiveType().getPrimitiveTypeName().name().replace("BINARY", "BYTE_ARRAY")),
                List.copyOf(encodings),
                List.of(column.getPath()),
                CompressionCodec.SNAPPY,
                values,
                uncompressed,
                size(),
                position + dictionary.size());
        if (dictionary.size() > 0) {
            metadata.setDictionary_page_offset(position);
        }
        return new ColumnChunk(position).setMeta_data(metadata);
    }

    long size() {
        return (long) dictionary.size() + data.size();
    }

    @Override
    public long getMemSize() {
        return size();
    }

    @Override
    public long allocatedSize() {
        return size();
    }

    @Override
    public String memUsageString(String prefix) {
        return prefix + " " + size() + " bytes";
    }

    @Override
    @Deprecated
    public void writePage(
            BytesInput bytes,
            int valueCount,
            Statistics<?> statistics,
            Encoding repetition,
            Encoding definition,
            Encoding encoding) {
        throw new UnsupportedOperationException("the rows of a page are always given");
    }

    @Override
    public void writePageV2(
            int rowCount,
            int nullCount,
            int valueCount,
            BytesInput repetition,
            BytesInput definition,
            Encoding encoding,
            BytesInput bytes,
            Statistics<?> statistics) {
        throw new UnsupportedOperationException("pages of the first version are written");
    }

    /** Compresses and decompresses pages in pure Java. Never writes more than the length in a page's header. */
    static final class PageCodec {
        private PageCodec() {}

        /**
         * Decompresses the bytes of a page.
         *
         * @param from start of the compressed bytes in {@code page}; they extend to its end
         * @param length the required length after decompression
         * @throws IOException for another length, or an unsupported codec
         */
        static byte[] decompress(CompressionCodec codec, byte[] page, int from, int length) throws IOException {
            return switch (codec) {
                case UNCOMPRESSED -> whole(Arrays.copyOfRange(page, from, page.length), page.length - from, length);
                case SNAPPY -> decompress(new SnappyDecompressor(), page, from, length);
                case ZSTD -> decompress(new ZstdDecompressor(), page, from, length);
                case LZ4_RAW -> decompress(new Lz4Decompressor(), page, from, length);
                case GZIP -> inflate(page, from, length);
                default ->
                    throw new IOException("is compressed by " + codec
                            + "; snappy, gzip, zstd, lz4_raw and no compression are read, write it with one of these");
            };
        }

        private static byte[] decompress(Decompressor decompressor, byte[] page, int from, int length)
                throws IOException {
            byte[] bytes = new byte[length];
            try {
                return whole(bytes, decompressor.decompress(page, from, page.length - from, bytes, 0, length), length);
            } catch (RuntimeException e) { // decompressors throw various types
                throw new IOException("a page cannot be decompressed: " + e.getMessage(), e);
            }
        }

        private static byte[] inflate(byte[] page, int from, int length) throws IOException {
            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(page, from, page.length - from))) {
                byte[] bytes = in.readNBytes(length);
                return whole(bytes, in.read() < 0 ? bytes.length : length + 1, length);
            }
        }

        private static byte[] whole(byte[] bytes, int found, int length) throws IOException {
            if (found != length) {
                throw new IOException("a page holds " + (found > length ? "more than " : "") + Math.min(found, length)
                        + " bytes where its header says " + length);
            }
            return bytes;
        }

        /** Compresses with Snappy, which every Parquet reader supports. */
        static byte[] snappy(byte[] bytes) {
            Compressor compressor = new SnappyCompressor();
            byte[] compressed = new byte[compressor.maxCompressedLength(bytes.length)];
            return Arrays.copyOf(
                    compressed, compressor.compress(bytes, 0, bytes.length, compressed, 0, compressed.length));
        }
    }
}

package dev.prpf.base.parquet;

import io.airlift.compress.Compressor;
import io.airlift.compress.Decompressor;
import io.airlift.compress.lz4.Lz4Decompressor;
import io.airlift.compress.snappy.SnappyCompressor;
import io.airlift.compress.snappy.SnappyDecompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.format.CompressionCodec;

/** Compresses and decompresses pages in pure Java. Never writes more than the length in a page's header. */
final class PageCodec {
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

    private static byte[] decompress(Decompressor decompressor, byte[] page, int from, int length) throws IOException {
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
        return Arrays.copyOf(compressed, compressor.compress(bytes, 0, bytes.length, compressed, 0, compressed.length));
    }
}

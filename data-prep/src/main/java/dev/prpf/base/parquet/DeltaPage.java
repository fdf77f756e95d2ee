package dev.prpf.base.parquet;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesReader;

/**
 * Checks the counts in a delta-encoded page before a decoder allocates memory for them (Parquet's Encodings.md). Numbers are a
 * count and blocks of deltas. Strings are two such number runs, the lengths of shared prefixes and of suffixes, and the suffixes.
 *
 * @param most the number of values in the page's header
 */
record DeltaPage(Encoding encoding, int most) {
    /** Writers use blocks of 128 values; the format has no limit, and decoders allocate a whole block. */
    private static final int LARGEST_BLOCK = 1 << 16;

    private static final int WIDEST = 64;

    /** Returns the size of the repetition or definition levels that precede the values of a version 1 page. */
    static int levels(ByteBuffer page, Encoding encoding, int highest, int values) throws IOException {
        if (highest == 0) {
            return 0;
        }
        if (encoding == Encoding.RLE) {
            require(page.remaining() >= Integer.BYTES, "a page is shorter than its levels");
            int length = page.order(ByteOrder.LITTLE_ENDIAN).getInt(page.position());
            require(length >= 0 && length <= page.remaining() - Integer.BYTES, "a page is shorter than its levels");
            return Integer.BYTES + length;
        }
        return BytesUtils.paddedByteCountFromBits(Math.multiplyExact(values, BytesUtils.getWidthFromMaxInt(highest)));
    }

    /** Returns the values of a version 1 page, after its levels. */
    static ByteBuffer afterLevels(byte[] page, ColumnDescriptor column, Encoding[] levels, int values)
            throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(page);
        int[] highest = {column.getMaxRepetitionLevel(), column.getMaxDefinitionLevel()};
        for (int i = 0; i < highest.length; i++) {
            int length = levels(rest, levels[i], highest[i], values);
            require(length <= rest.remaining(), "a page is shorter than its levels");
            rest.position(rest.position() + length);
        }
        return rest;
    }

    /**
     * Returns the bytes that a decoder allocates for numbers in addition to the page.
     *
     * @param values the page after its levels
     * @throws IOException if the counts are inconsistent
     */
    long decoded(ByteBuffer values) throws IOException {
        try {
            return switch (encoding) {
                case DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY -> numbers(values);
                case DELTA_BYTE_ARRAY -> shared(values.duplicate()) + rest(values);
                default -> 0;
            };
        } catch (BufferUnderflowException e) {
            throw new IOException("a page of " + encoding + " values ends inside of them", e);
        }
    }

    private long rest(ByteBuffer values) throws IOException {
        numbers(values);
        return numbers(values);
    }

    /** Checks the lengths of shared prefixes; no string may be longer than a row. */
    private long shared(ByteBuffer values) throws IOException {
        ByteBuffer lengths = values.duplicate();
        long bytes = numbers(values);
        int count = (int) (bytes / Long.BYTES);
        DeltaBinaryPackingValuesReader reader = new DeltaBinaryPackingValuesReader();
        if (count > 0) {
            reader.initFromPage(count, ByteBufferInputStream.wrap(lengths));
        }
        for (int i = 0; i < count; i++) {
            int length = reader.readInteger();
            require(
                    length >= 0 && length <= RowAssembler.LARGEST,
                    "a text shares " + length + " bytes with the one before, at most " + RowAssembler.LARGEST
                            + " are read");
        }
        return bytes;
    }

    /** Skips a run of numbers and returns its decoded size in bytes. */
    private long numbers(ByteBuffer values) throws IOException {
        long block = unsigned(values);
        long miniBlocks = unsigned(values);
        require(
                block > 0
                        && block <= LARGEST_BLOCK
                        && miniBlocks > 0
                        && miniBlocks <= block
                        && block % (8 * miniBlocks) == 0,
                "a page has blocks of " + block + " deltas in " + miniBlocks + " parts, at most " + LARGEST_BLOCK
                        + " in parts of a multiple of 8 are read");
        long count = unsigned(values);
        require(count >= 0 && count <= most, "a page says that it has " + count + " values, its header has " + most);
        unsigned(values); // first value
        int size = (int) (block / miniBlocks);
        for (long left = count - 1; left > 0; ) {
            left = skipBlock(values, left, new byte[(int) miniBlocks], size);
        }
        return count * Long.BYTES;
    }

    private static long skipBlock(ByteBuffer values, long before, byte[] widths, int size) throws IOException {
        unsigned(values); // minimum delta
        values.get(widths);
        long left = before;
        for (int i = 0; i < widths.length && left > 0; i++) {
            int bytes = size / 8 * widths[i];
            require(
                    widths[i] >= 0 && widths[i] <= WIDEST && bytes <= values.remaining(),
                    "a page ends inside of deltas of " + widths[i] + " bits");
            values.position(values.position() + bytes);
            left -= size;
        }
        return left;
    }

    /** Reads a variable-length number; a signed one as its bits. */
    private static long unsigned(ByteBuffer values) throws IOException {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = values.get();
            number |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new IOException("a page has a number of more than " + Long.SIZE + " bits");
    }

    private static void require(boolean sound, String reason) throws IOException {
        if (!sound) {
            throw new IOException(reason);
        }
    }
}

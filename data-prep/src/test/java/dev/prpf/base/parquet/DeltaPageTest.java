package dev.prpf.base.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.base.parquet.ParquetRows.MalformedParquetException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForLong;
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesWriter;
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayWriter;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;
import org.apache.parquet.io.api.Binary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests pages of delta-encoded values: valid ones are read, and impossible counts are rejected. */
class DeltaPageTest {
    private static final int ROWS = 300;
    private static final int SLAB = 1 << 16;
    private static final List<String> TEXTS = IntStream.range(0, ROWS)
            .mapToObj(i -> "text " + i / 10 + " of " + i)
            .toList();

    @TempDir
    private Path folder;

    private static byte[] bytes(ValuesWriter writer) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.getBytes().writeAllTo(out);
        return out.toByteArray();
    }

    private static byte[] numbers(long step) throws IOException {
        ValuesWriter writer = new DeltaBinaryPackingValuesWriterForLong(SLAB, SLAB, new HeapByteBufferAllocator());
        for (int i = 0; i < ROWS; i++) {
            writer.writeLong(i % 7 * step);
        }
        return bytes(writer);
    }

    private static byte[] texts(ValuesWriter writer) throws IOException {
        TEXTS.forEach(text -> writer.writeBytes(Binary.fromString(text)));
        return bytes(writer);
    }

    private static byte[] sharing() throws IOException {
        return texts(new DeltaByteArrayWriter(SLAB, SLAB, new HeapByteBufferAllocator()));
    }

    /** Encodes equal numbers with deltas of zero bits: blocks of {@code block} values in a few bytes each. */
    private static byte[] run(long block, long parts, long count, long first) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Stream.of(block, parts, count, first << 1).forEach(number -> varint(number, out));
        for (long left = count - 1; left > 0 && out.size() < SLAB; left -= block) {
            varint(0, out);
            out.writeBytes(new byte[(int) Math.min(parts, SLAB)]);
        }
        return out.toByteArray();
    }

    private static void varint(long number, ByteArrayOutputStream out) {
        long left = number;
        for (; left > 0x7f; left >>>= 7) {
            out.write((int) (left & 0x7f) | 0x80);
        }
        out.write((int) left);
    }

    private static byte[] behind(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Stream.of(parts).forEach(out::writeBytes);
        return out.toByteArray();
    }

    /** Creates a file with these values on one page; none is null. */
    private Path file(Encoding encoding, byte[] values, boolean second) throws IOException {
        boolean text = encoding != Encoding.DELTA_BINARY_PACKED;
        Path file = folder.resolve("delta.parquet");
        FileMetaData footer = footer(file, text ? Scalar.STRING : Scalar.INTEGER);
        byte[] levels = levels();
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        int size = (second ? 0 : Integer.BYTES) + levels.length + values.length;
        PageHeader header = new PageHeader(second ? PageType.DATA_PAGE_V2 : PageType.DATA_PAGE, size, size);
        if (second) {
            header.setData_page_header_v2(
                    new DataPageHeaderV2(ROWS, 0, ROWS, encoding, levels.length, 0).setIs_compressed(false));
        } else {
            header.setData_page_header(new DataPageHeader(ROWS, encoding, Encoding.RLE, Encoding.RLE));
        }
        Util.writePageHeader(header, page);
        if (!second) {
            page.writeBytes(ByteBuffer.allocate(Integer.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(levels.length)
                    .array());
        }
        page.writeBytes(levels);
        page.writeBytes(values);
        ColumnMetaData column =
                footer.getRow_groups().get(0).getColumns().get(0).getMeta_data();
        column.setCodec(CompressionCodec.UNCOMPRESSED)
                .setData_page_offset(ParquetFooter.MAGIC.length)
                .setTotal_compressed_size(page.size())
                .setTotal_uncompressed_size(page.size())
                .unsetDictionary_page_offset();
        ByteArrayOutputStream end = new ByteArrayOutputStream();
        Util.writeFileMetaData(footer, end);
        byte[] length = ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(end.size())
                .array();
        return Files.write(
                file, behind(ParquetFooter.MAGIC, page.toByteArray(), end.toByteArray(), length, ParquetFooter.MAGIC));
    }

    /** A run of ones: no value is null. */
    private static byte[] levels() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        varint(2L * ROWS, out);
        out.write(1);
        return out.toByteArray();
    }

    private static FileMetaData footer(Path file, Scalar type) throws IOException {
        try (OutputStream stream = Files.newOutputStream(file)) {
            ParquetOutput output = new ParquetOutput(stream, new Struct(Map.of("v", type)));
            for (int i = 0; i < ROWS; i++) {
                output.write(JsonNodeFactory.instance.objectNode());
            }
            output.finish();
        }
        byte[] whole = Files.readAllBytes(file);
        int length = ByteBuffer.wrap(whole)
                .order(ByteOrder.LITTLE_ENDIAN)
                .getInt(whole.length - ParquetFooter.MAGIC.length - Integer.BYTES);
        return Util.readFileMetaData(new ByteArrayInputStream(whole, whole.length - 8 - length, length));
    }

    private static List<JsonNode> read(Path file) {
        List<JsonNode> values = new ArrayList<>();
        try (ParquetRows rows =
                ParquetRows.open(file, (path, found) -> found.fields().keySet())) {
            for (ParquetRows.Row row = rows.next(); row != null; row = rows.next()) {
                values.add(row.json().get("v"));
            }
        }
        return values;
    }

    private void refused(Encoding encoding, byte[] values, String reason) throws IOException {
        for (boolean second : new boolean[] {false, true}) {
            Path file = file(encoding, values, second);
            assertThatThrownBy(() -> read(file))
                    .isInstanceOf(MalformedParquetException.class)
                    .hasMessageContaining("column v: ")
                    .hasMessageContaining(reason);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void soundPagesAreRead(boolean second) throws IOException {
        List<Long> expected =
                IntStream.range(0, ROWS).mapToObj(i -> i % 7 * 1_000_000_007L).toList();
        assertThat(read(file(Encoding.DELTA_BINARY_PACKED, numbers(1_000_000_007L), second)))
                .extracting(JsonNode::longValue)
                .isEqualTo(expected);
        assertThat(read(file(Encoding.DELTA_BYTE_ARRAY, sharing(), second)))
                .extracting(JsonNode::textValue)
                .isEqualTo(TEXTS);
        byte[] lengths = texts(new DeltaLengthByteArrayValuesWriter(SLAB, SLAB, new HeapByteBufferAllocator()));
        assertThat(read(file(Encoding.DELTA_LENGTH_BYTE_ARRAY, lengths, second)))
                .extracting(JsonNode::textValue)
                .isEqualTo(TEXTS);
    }

    @Test
    void aPageOfMoreValuesThanItsHeaderSaysIsRefused() throws IOException {
        for (Encoding encoding :
                List.of(Encoding.DELTA_BINARY_PACKED, Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY)) {
            refused(
                    encoding,
                    run(128, 4, Integer.MAX_VALUE, 0),
                    "a page says that it has " + Integer.MAX_VALUE + " values, its header has " + ROWS);
        }
        byte[] prefixes = run(128, 4, ROWS, 0);
        refused(
                Encoding.DELTA_BYTE_ARRAY,
                behind(prefixes, run(128, 4, 1L << 40, 0)),
                "a page says that it has " + (1L << 40) + " values");
    }

    @Test
    void blocksOfAnySizeAreRefused() throws IOException {
        refused(Encoding.DELTA_BINARY_PACKED, run(1 << 30, 1, ROWS, 0), "a page has blocks of 1073741824 deltas in 1");
        refused(Encoding.DELTA_BINARY_PACKED, run(128, 0, ROWS, 0), "a page has blocks of 128 deltas in 0 parts");
        refused(Encoding.DELTA_BINARY_PACKED, run(128, 1L << 40, ROWS, 0), "a page has blocks of 128 deltas in 1099");
        refused(Encoding.DELTA_BINARY_PACKED, run(100, 4, ROWS, 0), "a page has blocks of 100 deltas in 4 parts");
    }

    @Test
    void aTextOfAnyLengthIsRefused() throws IOException {
        refused(
                Encoding.DELTA_BYTE_ARRAY,
                behind(run(128, 4, ROWS, 2_000_000_000), run(128, 4, ROWS, 0)),
                "a text shares 2000000000 bytes with the one before, at most 67108864 are read");
    }

    @Test
    void aPageThatEndsInsideOfItsValuesIsRefused() throws IOException {
        byte[] whole = numbers(1);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            Path file = file(Encoding.DELTA_BINARY_PACKED, cut, length % 2 == 0);
            assertThatThrownBy(() -> read(file)).as("%s bytes", length).isInstanceOf(MalformedParquetException.class);
        }
    }
}

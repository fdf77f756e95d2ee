package dev.prpf.base.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.base.parquet.ParquetRows.MalformedParquetException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Util;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests damaged files, and files made to exhaust a reader. */
class ParquetDefectsTest {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final Struct ID = new Struct(Map.of("id", Scalar.STRING));

    @TempDir
    private Path folder;

    private Path file = Path.of("");
    private byte[] whole = {};

    @BeforeEach
    void write() throws IOException {
        file = folder.resolve("data.parquet");
        write(ID, NODES.objectNode().put("id", "first"), NODES.objectNode().put("id", "second"));
    }

    private void write(Struct columns, ObjectNode... rows) throws IOException {
        try (OutputStream stream = Files.newOutputStream(file)) {
            ParquetOutput output = new ParquetOutput(stream, columns);
            for (ObjectNode row : rows) {
                output.write(row);
            }
            output.finish();
        }
        whole = Files.readAllBytes(file);
    }

    private long read() {
        try (ParquetRows rows =
                ParquetRows.open(file, (path, found) -> found.fields().keySet())) {
            long count = 0;
            while (rows.next() != null) {
                count++;
            }
            return count;
        }
    }

    private void refused(String reason) {
        assertThatThrownBy(this::read)
                .isInstanceOf(MalformedParquetException.class)
                .hasMessageStartingWith(file + ": ")
                .hasMessageContaining(reason)
                .hasMessageEndingWith("[malformed-parquet]");
    }

    /** Changes the footer of the file. */
    private void footer(Consumer<FileMetaData> change) throws IOException {
        int length = ByteBuffer.wrap(whole, whole.length - 8, 4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .getInt();
        int start = whole.length - 8 - length;
        FileMetaData footer = Util.readFileMetaData(new ByteArrayInputStream(whole, start, length));
        change.accept(footer);
        ByteArrayOutputStream changed = new ByteArrayOutputStream();
        Util.writeFileMetaData(footer, changed);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(whole, 0, start);
        changed.writeTo(out);
        out.writeBytes(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(changed.size())
                .array());
        out.writeBytes(ParquetFooter.MAGIC);
        Files.write(file, out.toByteArray());
        whole = out.toByteArray();
    }

    private static ColumnMetaData column(FileMetaData footer) {
        return footer.getRow_groups().get(0).getColumns().get(0).getMeta_data();
    }

    /** Changes the first page's header without enlarging the only column. */
    private void page(Consumer<PageHeader> change) throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(whole, 4, whole.length - 4);
        PageHeader header = Util.readPageHeader(in);
        byte[] rest = in.readAllBytes();
        change.accept(header);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(whole, 0, 4);
        Util.writePageHeader(header, out);
        int longer = out.size() - (whole.length - rest.length);
        out.writeBytes(rest);
        whole = out.toByteArray();
        footer(footer -> column(footer).setTotal_compressed_size(column(footer).getTotal_compressed_size() + longer));
    }

    @Test
    void aSoundFileIsRead() {
        assertThat(read()).isEqualTo(2);
    }

    @Test
    void whatIsNoParquetIsSaid() throws IOException {
        Files.writeString(file, "{}");
        refused("is not Parquet: it has 2 bytes");
        Files.writeString(file, "{\"benchmark_metadata\": {}}");
        refused("is not Parquet, or is truncated: it must begin and end with PAR1");
        byte[] encrypted = Arrays.copyOf(whole, whole.length);
        encrypted[whole.length - 1] = 'E';
        Files.write(file, encrypted);
        refused("is encrypted; write it without encryption");
        assertThatThrownBy(() -> ParquetRows.open(folder.resolve("none.parquet"), (path, found) -> ID.fields()
                                .keySet())
                        .next())
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("none.parquet: cannot be read");
    }

    @Test
    void aFileIsCutOffWhereverItIs() throws IOException {
        for (int length = 0; length < whole.length; length += 7) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThatThrownBy(this::read).as("%s bytes", length).isInstanceOf(MalformedParquetException.class);
        }
    }

    /** Changes each byte of the file: it must be read, or rejected with a message. */
    @Test
    void anyDamageIsRefusedOrHarmless() throws IOException {
        for (int i = 0; i < whole.length; i++) {
            for (int flip : new int[] {0x01, 0x80, 0xff}) {
                byte[] damaged = Arrays.copyOf(whole, whole.length);
                damaged[i] ^= (byte) flip;
                Files.write(file, damaged);
                try {
                    read();
                } catch (MalformedParquetException refused) {
                    assertThat(refused).hasMessageStartingWith(file + ": ");
                }
            }
        }
    }

    @Test
    void aFooterOfAnyLengthIsCheckedBeforeItIsRead() throws IOException {
        byte[] long1 = Arrays.copyOf(whole, whole.length);
        long1[whole.length - 5] = 0x7f;
        Files.write(file, long1);
        refused("at most " + (whole.length - 12) + " are read");
    }

    @Test
    void aFooterThatNestsWithoutEndIsRefused() throws IOException {
        byte[] nested = new byte[3_000_000];
        Arrays.fill(nested, (byte) 0x1C); // a field of Thrift's compact protocol that holds a struct
        ByteBuffer bytes = ByteBuffer.allocate(nested.length + 12).order(ByteOrder.LITTLE_ENDIAN);
        byte[] magic = "PAR1".getBytes(StandardCharsets.US_ASCII);
        bytes.put(magic).put(nested).putInt(nested.length).put(magic);
        Files.write(file, bytes.array());
        refused("");
    }

    @Test
    void aDamagedPageHasAWrongSum() throws IOException {
        byte[] damaged = Arrays.copyOf(whole, whole.length);
        int text = new String(whole, StandardCharsets.ISO_8859_1).indexOf("first");
        damaged[text] = 'F';
        Files.write(file, damaged);
        refused("row 0: column id: a page's checksum is wrong: the file is damaged, download it again");
    }

    @Test
    void aColumnInAnotherFileIsNotFollowed() throws IOException {
        footer(footer -> footer.getRow_groups().get(0).getColumns().get(0).setFile_path("../secret"));
        refused("keeps column id in another file, which is not followed");
    }

    @Test
    void placesOutsideOfTheFileAreRefused() throws IOException {
        byte[] sound = whole;
        for (Consumer<ColumnMetaData> change : List.<Consumer<ColumnMetaData>>of(
                column -> column.setDictionary_page_offset(1L),
                column -> column.setTotal_compressed_size(Long.MAX_VALUE),
                column -> column.setTotal_compressed_size(-1))) {
            whole = sound;
            footer(footer -> change.accept(column(footer)));
            refused("says that column id lies outside of the file");
        }
        whole = sound;
        footer(footer -> column(footer).setPath_in_schema(List.of("other")));
        refused("has column [other] where its schema has id");
    }

    /** Row groups without rows and pages, which pyarrow, Spark and dask write for an empty shard. */
    @Test
    void aRowGroupOfNoRowsIsSkipped() throws IOException {
        footer(footer -> {
            RowGroup empty = footer.getRow_groups().get(0).deepCopy();
            empty.setNum_rows(0);
            empty.getColumns().get(0).getMeta_data().setNum_values(0).setData_page_offset(0);
            empty.getColumns().get(0).getMeta_data().setTotal_compressed_size(0);
            footer.getRow_groups().add(0, empty);
        });
        assertThat(read()).isEqualTo(2);
        footer(footer -> footer.getRow_groups().remove(1));
        assertThat(read()).isZero();
    }

    @Test
    void rowsWithoutValuesAreRefused() throws IOException {
        byte[] sound = whole;
        footer(footer -> footer.getRow_groups().get(0).setNum_rows(1L << 40));
        refused("has 2 values of column id for " + (1L << 40) + " rows");
        whole = sound;
        footer(footer -> {
            footer.getRow_groups().get(0).setNum_rows(-1);
            column(footer).setNum_values(-1);
        });
        refused("has -1 values of column id for -1 rows");
    }

    @Test
    void columnsThatAreNoTreeAreRefused() throws IOException {
        byte[] sound = whole;
        footer(footer -> footer.getSchema().get(0).setNum_children(5));
        refused("its list of columns ends inside of schema");
        whole = sound;
        footer(footer -> {
            List<SchemaElement> deep = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                deep.add(new SchemaElement("c")
                        .setRepetition_type(FieldRepetitionType.OPTIONAL)
                        .setNum_children(1));
            }
            deep.add(footer.getSchema().get(1));
            footer.setSchema(deep);
        });
        refused("its columns nest deeper than 64");
        whole = sound;
        footer(footer ->
                footer.setSchema(Collections.nCopies(4000, footer.getSchema().get(1))));
        refused("has a schema of 4000 elements, at most 3000 are read");
    }

    @Test
    void aPageThatUnpacksToMoreThanItsBoundIsNotUnpacked() throws IOException {
        page(header -> header.setUncompressed_page_size(Integer.MAX_VALUE));
        refused("row 0: column id: the pages that are open at column id take " + Integer.MAX_VALUE
                + " bytes, at most 536870912 are read; write it with smaller pages");
    }

    @Test
    void aPageHoldsWhatItsHeaderSays() throws IOException {
        page(header -> header.setUncompressed_page_size(header.getUncompressed_page_size() - 1));
        assertThatThrownBy(this::read)
                .isInstanceOf(MalformedParquetException.class)
                .hasMessageContaining("column id");
    }

    @Test
    void aRowThatUnpacksToMoreThanItsBoundIsRefused() throws IOException {
        ArrayNode many = NODES.arrayNode();
        for (int i = 0; i < 200; i++) {
            many.add("x".repeat(500_000)); // once in the dictionary
        }
        write(
                new Struct(Map.of("words", new ListOf(Scalar.STRING))),
                NODES.objectNode().set("words", many));
        assertThat(whole.length).isLessThan(1 << 20);
        refused("row 0: column words[]: the row is longer than 67108864 bytes, the most that is read");
    }

    @Test
    void anUnknownCodecIsNamed() throws IOException {
        footer(footer -> column(footer).setCodec(CompressionCodec.LZO));
        refused("column id: is compressed by LZO; snappy, gzip, zstd, lz4_raw and no compression are read");
    }

    @Test
    void bytesThatAreNoTextAreRefused() throws IOException {
        write(new Struct(Map.of("id", Scalar.STRING)), NODES.objectNode().put("id", "abc\u00e9"));
        int text = new String(whole, StandardCharsets.ISO_8859_1).indexOf("abc");
        whole[text + 3] = (byte) 0xff;
        page(header -> header.unsetCrc());
        refused("row 0: column id: a value is no text in UTF-8");
    }

    @Test
    void typesThatJsonLacksAreNamed() throws IOException {
        footer(footer -> footer.getSchema().get(1).setConverted_type(ConvertedType.BSON));
        assertThatThrownBy(() -> {
                    try (ParquetRows rows = ParquetRows.open(file, (path, found) -> {
                        throw new MalformedParquetException(
                                path, "parquet-schema", String.join("; ", SchemaComparison.exact(ID, found)));
                    })) {
                        rows.next();
                    }
                })
                .hasMessage(file + ": column id is bson, must be string [parquet-schema]");
    }
}

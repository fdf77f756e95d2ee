package dev.prpf.base.parquet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Util;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;

/** Writes one Parquet file with version 1 pages in Snappy, which every reader supports. Memory holds one row group. */
final class ParquetOutput {
    private static final long ROW_GROUP = 32L << 20;
    private static final String CREATED_BY = "prpf version 1";

    private final long rowGroup;
    private final DataOutputStream out;
    private final Struct columns;
    private final List<SchemaElement> elements;
    private final MessageColumnIO io;
    private final List<RowGroup> groups = new ArrayList<>();
    private Map<ColumnDescriptor, ColumnPages> pages = Map.of();
    private ColumnWriteStore store;
    private RecordConsumer consumer;
    private long position;
    private long rows;
    private long rowsInGroup;

    ParquetOutput(OutputStream stream, Struct columns) throws IOException {
        this(stream, columns, ROW_GROUP);
    }

    /** @param rowGroup size in bytes at which a row group is written */
    ParquetOutput(OutputStream stream, Struct columns, long rowGroup) throws IOException {
        this.rowGroup = rowGroup;
        this.out = new DataOutputStream(stream);
        this.columns = columns;
        this.elements = ParquetSchema.elements(columns);
        this.io = new ColumnIOFactory().getColumnIO(ParquetSchema.of(elements).message());
        this.store = store();
        this.consumer = io.getRecordWriter(store);
        write(ParquetFooter.MAGIC);
    }

    private ColumnWriteStore store() {
        Map<ColumnDescriptor, ColumnPages> begun = new LinkedHashMap<>();
        io.getType().getColumns().forEach(column -> begun.put(column, new ColumnPages(column)));
        pages = begun;
        return ParquetProperties.builder()
                .withWriterVersion(WriterVersion.PARQUET_1_0)
                .withDictionaryEncoding(true)
                .build()
                .newColumnWriteStore(io.getType(), column -> Objects.requireNonNull(begun.get(column)));
    }

    private void write(byte[] bytes) throws IOException {
        out.write(bytes);
        position += bytes.length;
    }

    /** Returns the bytes written so far plus the uncompressed buffered bytes. */
    long size() {
        return position + store.getBufferedSize();
    }

    /**
     * Writes a row to the file.
     *
     * @throws InvalidDataException for a text that is not valid Unicode
     * @throws IllegalArgumentException for a value of another type than its column
     */
    void write(ObjectNode row) throws IOException {
        consumer.startMessage();
        fields("", columns, row);
        consumer.endMessage();
        rows++;
        rowsInGroup++;
        if (store.getBufferedSize() >= rowGroup) {
            flush();
        }
    }

    private void fields(String path, Struct struct, JsonNode node) {
        int index = 0;
        for (Map.Entry<String, ColumnType> field : struct.fields().entrySet()) {
            String name = field.getKey();
            JsonNode value = node.path(name);
            if (!value.isNull() && !value.isMissingNode()) {
                consumer.startField(name, index);
                value(path + name, field.getValue(), value);
                consumer.endField(name, index);
            }
            index++;
        }
    }

    private void value(String path, ColumnType type, JsonNode value) {
        if (type instanceof Struct struct && value.isObject()) {
            consumer.startGroup();
            fields(path + ".", struct, value);
            consumer.endGroup();
        } else if (type instanceof ListOf list && value.isArray()) {
            list(path, list.element(), value);
        } else if (type == Scalar.STRING && value.isTextual()) {
            consumer.addBinary(text(path, value.textValue()));
        } else if (type == Scalar.INTEGER && value.canConvertToLong() && value.isIntegralNumber()) {
            consumer.addLong(value.longValue());
        } else if (type == Scalar.NUMBER && value.isNumber()) {
            consumer.addDouble(value.doubleValue());
        } else if (type == Scalar.BOOLEAN && value.isBoolean()) {
            consumer.addBoolean(value.booleanValue());
        } else {
            throw new IllegalArgumentException("column " + path + " is " + type + ", its value is " + value);
        }
    }

    private void list(String path, ColumnType element, JsonNode array) {
        consumer.startGroup();
        if (!array.isEmpty()) {
            consumer.startField("list", 0);
            for (JsonNode value : array) {
                consumer.startGroup();
                if (!value.isNull()) {
                    consumer.startField("element", 0);
                    value(path + "[]", element, value);
                    consumer.endField("element", 0);
                }
                consumer.endGroup();
            }
            consumer.endField("list", 0);
        }
        consumer.endGroup();
    }

    private Binary text(String path, String text) {
        try {
            return Binary.fromConstantByteBuffer(
                    StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)));
        } catch (CharacterCodingException e) {
            throw new InvalidDataException("row " + rows + ", column " + path
                    + " cannot be written: the text has an unpaired surrogate, which is not valid Unicode");
        }
    }

    private void flush() throws IOException {
        consumer.flush();
        store.flush();
        long before = position;
        List<ColumnChunk> chunks = new ArrayList<>();
        long uncompressed = 0;
        for (ColumnPages column : pages.values()) {
            ColumnChunk chunk = column.writeTo(out, position);
            chunks.add(chunk);
            position += column.size();
            uncompressed += chunk.getMeta_data().getTotal_uncompressed_size();
        }
        groups.add(new RowGroup(chunks, uncompressed, rowsInGroup)
                .setFile_offset(before)
                .setTotal_compressed_size(position - before));
        store.close();
        store = store();
        consumer = io.getRecordWriter(store);
        rowsInGroup = 0;
    }

    /** Writes the buffered rows and the footer; the stream stays open. */
    void finish() throws IOException {
        if (rowsInGroup > 0) {
            flush();
        }
        store.close();
        int before = out.size();
        Util.writeFileMetaData(new FileMetaData(1, elements, rows, groups).setCreated_by(CREATED_BY), out);
        out.writeInt(Integer.reverseBytes(out.size() - before));
        out.write(ParquetFooter.MAGIC);
        out.flush();
    }
}

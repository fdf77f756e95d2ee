package dev.prpf.base.parquet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Struct;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.io.api.RecordMaterializer;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.Type;

/** Assembles rows from the values of columns. Structs become objects with all their keys; a missing value is null. */
final class RowAssembler extends RecordMaterializer<ObjectNode> {
    /** Largest row in bytes, the limit of a JSON record. */
    static final long LARGEST = 64L << 20;

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int NODE = 16;

    private final StructConverter root;
    private ObjectNode row = NODES.objectNode();
    private long bytes;

    RowAssembler(ParquetSchema schema) {
        root = new StructConverter(schema.message(), schema.columns(), "", node -> row = (ObjectNode) node);
    }

    @Override
    public ObjectNode getCurrentRecord() {
        return row;
    }

    @Override
    public GroupConverter getRootConverter() {
        return root;
    }

    /** Adds to the row's size. A row may be far longer than its pages, because rows can repeat a dictionary's value. */
    private void count(long more, String path) {
        bytes += more + NODE;
        if (bytes > LARGEST) {
            throw new IllegalArgumentException(
                    "column " + path + ": the row is longer than " + LARGEST + " bytes, the most that is read");
        }
    }

    private Converter converter(Type type, ColumnType column, String path, Consumer<JsonNode> target) {
        if (column instanceof Struct struct) {
            return new StructConverter(type.asGroupType(), struct, path + ".", target);
        }
        return column instanceof ListOf list
                ? new ListConverter(type.asGroupType(), list.element(), path, target)
                : new ScalarConverter(path, target);
    }

    private final class StructConverter extends GroupConverter {
        private final List<String> names;
        private final List<Converter> fields = new ArrayList<>();
        private final Supplier<ObjectNode> empty;
        private final Consumer<JsonNode> target;
        private final String path;
        private ObjectNode node = NODES.objectNode();

        StructConverter(GroupType type, Struct columns, String path, Consumer<JsonNode> target) {
            this.names = List.copyOf(columns.fields().keySet());
            this.target = target;
            this.path = path;
            this.empty = () -> {
                ObjectNode object = NODES.objectNode();
                names.forEach(object::putNull);
                return object;
            };
            for (Map.Entry<String, ColumnType> field : columns.fields().entrySet()) {
                String name = field.getKey();
                fields.add(converter(
                        type.getType(fields.size()), field.getValue(), path + name, value -> node.set(name, value)));
            }
        }

        @Override
        public Converter getConverter(int field) {
            return fields.get(field);
        }

        @Override
        public void start() {
            bytes = path.isEmpty() ? 0 : bytes;
            count((long) NODE * names.size(), path);
            node = empty.get();
        }

        @Override
        public void end() {
            target.accept(node);
        }
    }

    private final class ListConverter extends GroupConverter {
        private final Converter repeated;
        private final Consumer<JsonNode> target;
        private final String path;
        private ArrayNode array = NODES.arrayNode();

        ListConverter(GroupType list, ColumnType element, String path, Consumer<JsonNode> target) {
            this.target = target;
            this.path = path;
            this.repeated = ParquetSchema.isWrapped(list)
                    ? new WrapperConverter(list.getType(0).asGroupType(), element)
                    : converter(list.getType(0), element, path + "[]", value -> array.add(value));
        }

        @Override
        public Converter getConverter(int field) {
            return repeated;
        }

        @Override
        public void start() {
            count(0, path);
            array = NODES.arrayNode();
        }

        @Override
        public void end() {
            target.accept(array);
        }

        /** The group around each element; it also exists for a null element. */
        private final class WrapperConverter extends GroupConverter {
            private final Converter element;
            private JsonNode value = NODES.nullNode();

            WrapperConverter(GroupType wrapper, ColumnType type) {
                this.element = converter(wrapper.getType(0), type, path + "[]", found -> value = found);
            }

            @Override
            public Converter getConverter(int field) {
                return element;
            }

            @Override
            public void start() {
                count(0, path);
                value = NODES.nullNode();
            }

            @Override
            public void end() {
                array.add(value);
            }
        }
    }

    private final class ScalarConverter extends PrimitiveConverter {
        private final String path;
        private final Consumer<JsonNode> target;

        ScalarConverter(String path, Consumer<JsonNode> target) {
            this.path = path;
            this.target = target;
        }

        private void give(JsonNode value) {
            count(0, path);
            target.accept(value);
        }

        @Override
        public void addBinary(Binary value) {
            count(value.length(), path);
            ByteBuffer utf8 = value.toByteBuffer();
            try {
                target.accept(NODES.textNode(
                        StandardCharsets.UTF_8.newDecoder().decode(utf8).toString()));
            } catch (CharacterCodingException e) {
                throw new IllegalArgumentException("column " + path + ": a value is no text in UTF-8");
            }
        }

        @Override
        public void addBoolean(boolean value) {
            give(NODES.booleanNode(value));
        }

        @Override
        public void addInt(int value) {
            give(NODES.numberNode(value));
        }

        /** Adds an int node if the value fits, as the JSON parser does, so that equal numbers are equal nodes. */
        @Override
        public void addLong(long value) {
            give((int) value == value ? NODES.numberNode((int) value) : NODES.numberNode(value));
        }

        @Override
        public void addFloat(float value) {
            addDouble(Double.parseDouble(Float.toString(value)));
        }

        @Override
        public void addDouble(double value) {
            give(NODES.numberNode(value));
        }
    }
}

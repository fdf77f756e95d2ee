package dev.prpf.base.parquet;

import dev.prpf.base.parquet.ColumnType.Foreign;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.ListType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Type.Repetition;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a file, as Parquet's schema and as JSON types. Types follow Parquet's LogicalTypes.md; a type without a JSON
 * counterpart is {@link Foreign}.
 *
 * @param message Parquet's schema
 * @param columns the JSON types, field by field of {@code message}
 */
record ParquetSchema(MessageType message, Struct columns) {
    private static final int MAX_DEPTH = 64;
    private static final Set<String> TEXTS = Set.of("UTF8", "STRING", "JSON", "ENUM");
    private static final Set<String> INTEGERS =
            Set.of("", "INT_8", "INT_16", "INT_32", "INT_64", "UINT_8", "UINT_16", "INTEGER");

    private record Column(Type type, ColumnType column) {}

    /**
     * Creates the schema from a footer's elements.
     *
     * @throws IllegalArgumentException if they do not form a tree of columns
     */
    static ParquetSchema of(List<SchemaElement> elements) {
        Iterator<SchemaElement> rest = elements.iterator();
        Column root = rest.hasNext() ? column(rest.next(), rest, 0) : null;
        if (root == null || rest.hasNext() || !(root.column instanceof Struct columns)) {
            throw new IllegalArgumentException("its list of columns is not a tree");
        }
        GroupType group = root.type.asGroupType();
        return new ParquetSchema(new MessageType(group.getName(), group.getFields()), columns);
    }

    ParquetSchema only(Set<String> names) {
        List<Type> fields = message.getFields().stream()
                .filter(field -> names.contains(field.getName()))
                .toList();
        return new ParquetSchema(new MessageType(message.getName(), fields), columns.only(names));
    }

    private static Column column(SchemaElement element, Iterator<SchemaElement> rest, int depth) {
        Repetition repetition =
                depth == 0 ? Repetition.REQUIRED : Repetition.valueOf(String.valueOf(element.getRepetition_type()));
        return element.isSetType() ? primitive(element, repetition) : group(element, repetition, rest, depth);
    }

    private static Column primitive(SchemaElement element, Repetition repetition) {
        PrimitiveTypeName name = PrimitiveTypeName.valueOf(
                element.getType().name().replaceFirst("^BYTE_ARRAY$", "BINARY")); // the library's name for it
        return new Column(
                new PrimitiveType(repetition, name, element.getType_length(), element.getName()),
                scalar(name, annotation(element)));
    }

    private static ColumnType scalar(PrimitiveTypeName name, String annotation) {
        Scalar scalar =
                switch (name) {
                    case BINARY -> TEXTS.contains(annotation) ? Scalar.STRING : null;
                    case INT32, INT64 -> INTEGERS.contains(annotation) ? Scalar.INTEGER : null;
                    case FLOAT, DOUBLE -> Scalar.NUMBER;
                    case BOOLEAN -> Scalar.BOOLEAN;
                    default -> null;
                };
        if (annotation.equals("UNKNOWN")) {
            return Scalar.NULL;
        }
        return scalar != null
                ? scalar
                : new Foreign((annotation.isEmpty() ? name.name() : annotation).toLowerCase(Locale.ROOT));
    }

    /** Returns the name of an element's converted type, or else of its logical type; empty without either. */
    private static String annotation(SchemaElement element) {
        if (element.isSetConverted_type()) {
            return element.getConverted_type().name();
        }
        if (!element.isSetLogicalType()) {
            return "";
        }
        LogicalType type = element.getLogicalType();
        return type.isSetINTEGER() && !type.getINTEGER().isIsSigned()
                ? "UINT_" + type.getINTEGER().getBitWidth()
                : type.getSetField().name();
    }

    private static Column group(SchemaElement element, Repetition repetition, Iterator<SchemaElement> rest, int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("its columns nest deeper than " + MAX_DEPTH);
        }
        List<Type> types = new ArrayList<>();
        Map<String, ColumnType> columns = new LinkedHashMap<>();
        for (int i = 0; i < element.getNum_children(); i++) {
            if (!rest.hasNext()) {
                throw new IllegalArgumentException("its list of columns ends inside of " + element.getName());
            }
            Column child = column(rest.next(), rest, depth + 1);
            types.add(child.type);
            if (columns.put(child.type.getName(), child.column) != null) {
                throw new IllegalArgumentException("it has two columns " + child.type.getName());
            }
        }
        GroupType type = new GroupType(repetition, element.getName(), types);
        return new Column(type, grouped(annotation(element), type, new Struct(columns)));
    }

    private static ColumnType grouped(String annotation, GroupType type, Struct fields) {
        ColumnType element = annotation.equals("LIST") ? element(type, fields) : null;
        boolean repeats = type.getFields().stream().anyMatch(field -> field.isRepetition(Repetition.REPEATED));
        if (element != null) {
            return new ListOf(element);
        }
        // The repeated field of a list or a map is read by its parent.
        return annotation.isEmpty() && !repeats
                ? fields
                : new Foreign(annotation.isEmpty() ? "repeated" : annotation.toLowerCase(Locale.ROOT));
    }

    /** Returns the element type of a list; null if the group is not a valid list. */
    private static @Nullable ColumnType element(GroupType list, Struct fields) {
        if (list.getFieldCount() != 1 || !list.getType(0).isRepetition(Repetition.REPEATED)) {
            return null;
        }
        ColumnType repeated = Objects.requireNonNull(fields.fields().get(list.getFieldName(0)));
        return isWrapped(list) && repeated instanceof Struct wrapper
                ? wrapper.fields().values().iterator().next()
                : repeated;
    }

    /** Returns whether a list's elements are wrapped in a group of their own; only old writers omit the group. */
    static boolean isWrapped(GroupType list) {
        Type repeated = list.getType(0);
        return !repeated.isPrimitive()
                && repeated.asGroupType().getFieldCount() == 1
                && !repeated.asGroupType().getType(0).isRepetition(Repetition.REPEATED)
                && !repeated.getName().equals("array")
                && !repeated.getName().equals(list.getName() + "_tuple");
    }

    /** Returns the footer's elements for columns: all are optional, lists are {@code list.element}. */
    static List<SchemaElement> elements(Struct columns) {
        List<SchemaElement> elements = new ArrayList<>();
        elements.add(
                new SchemaElement("schema").setNum_children(columns.fields().size()));
        columns.fields().forEach((name, type) -> add(name, type, elements));
        return elements;
    }

    private static void add(String name, ColumnType type, List<SchemaElement> elements) {
        SchemaElement element = new SchemaElement(name).setRepetition_type(FieldRepetitionType.OPTIONAL);
        elements.add(element);
        if (type instanceof Struct struct) {
            element.setNum_children(struct.fields().size());
            struct.fields().forEach((field, inner) -> add(field, inner, elements));
        } else if (type instanceof ListOf list) {
            element.setNum_children(1)
                    .setConverted_type(ConvertedType.LIST)
                    .setLogicalType(LogicalType.LIST(new ListType()));
            elements.add(new SchemaElement("list")
                    .setRepetition_type(FieldRepetitionType.REPEATED)
                    .setNum_children(1));
            add("element", list.element(), elements);
        } else {
            element.setType(
                    switch ((Scalar) type) {
                        case STRING -> org.apache.parquet.format.Type.BYTE_ARRAY;
                        case INTEGER, NULL -> org.apache.parquet.format.Type.INT64;
                        case NUMBER -> org.apache.parquet.format.Type.DOUBLE;
                        case BOOLEAN -> org.apache.parquet.format.Type.BOOLEAN;
                    });
            if (type == Scalar.STRING) {
                element.setConverted_type(ConvertedType.UTF8).setLogicalType(LogicalType.STRING(new StringType()));
            }
        }
    }
}

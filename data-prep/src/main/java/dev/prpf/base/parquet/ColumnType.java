package dev.prpf.base.parquet;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.parquet.format.SchemaElement;

/** Type of a column in terms of JSON; any value may be null. */
public sealed interface ColumnType {
    /** Returns whether the type contains one that JSON lacks. */
    boolean hasForeign();

    /** Types of single values. */
    enum Scalar implements ColumnType {
        STRING,
        INTEGER,
        NUMBER,
        BOOLEAN,
        /** No value at all: what Arrow makes of a column that is null in every row. */
        NULL;

        @Override
        public boolean hasForeign() {
            return false;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A list of values of one type. */
    record ListOf(ColumnType element) implements ColumnType {
        @Override
        public boolean hasForeign() {
            return element.hasForeign();
        }

        @Override
        public String toString() {
            return "list<" + element + ">";
        }
    }

    /** Named values, in order; a table is such a struct too. */
    record Struct(Map<String, ColumnType> fields) implements ColumnType {
        public Struct {
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }

        @Override
        public boolean hasForeign() {
            return fields.values().stream().anyMatch(ColumnType::hasForeign);
        }

        /** The columns of that name alone, in this order. */
        public Struct only(Set<String> names) {
            Map<String, ColumnType> left = new LinkedHashMap<>(fields);
            left.keySet().retainAll(names);
            return new Struct(left);
        }

        @Override
        public String toString() {
            return fields.entrySet().stream()
                    .map(field -> field.getKey() + ": " + field.getValue())
                    .collect(Collectors.joining(", ", "struct<", ">"));
        }
    }

    /** A type that JSON does not have, by the name that Parquet has for it. */
    record Foreign(String name) implements ColumnType {
        @Override
        public boolean hasForeign() {
            return true;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * The columns of a file.
     *
     * @param elements as its footer lists them
     * @throws IllegalArgumentException if they are no tree of columns
     */
    static Struct listed(List<SchemaElement> elements) {
        return ParquetSchema.of(elements).columns();
    }

    /**
     * The columns of a record as {@link dev.prpf.base.json.JsonRecords} writes it.
     *
     * @throws IllegalArgumentException for a component that has no column: of texts, enumerations, numbers, truth values, records and lists
     *     of those each has one
     */
    static Struct of(Class<?> record) {
        Map<String, ColumnType> fields = new LinkedHashMap<>();
        for (RecordComponent component : record.getRecordComponents()) {
            fields.put(
                    PropertyNamingStrategies.SnakeCaseStrategy.INSTANCE.translate(component.getName()),
                    of(component.getGenericType()));
        }
        return new Struct(fields);
    }

    private static ColumnType of(Type type) {
        if (type instanceof ParameterizedType list && list.getRawType().equals(List.class)) {
            return new ListOf(of(list.getActualTypeArguments()[0]));
        }
        if (type instanceof Class<?> named) {
            if (named.isRecord()) {
                return of(named);
            }
            if (named.equals(String.class) || named.isEnum()) {
                return Scalar.STRING;
            }
            if (Set.of(int.class, Integer.class, long.class, Long.class).contains(named)) {
                return Scalar.INTEGER;
            }
            if (Set.of(double.class, Double.class, float.class, Float.class).contains(named)) {
                return Scalar.NUMBER;
            }
            if (Set.of(boolean.class, Boolean.class).contains(named)) {
                return Scalar.BOOLEAN;
            }
        }
        throw new IllegalArgumentException(type + " has no column");
    }
}

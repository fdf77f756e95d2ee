package dev.prpf.base.parquet;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
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

/** The JSON type of a column; any value may be null. */
public sealed interface ColumnType {
    /** Returns whether the type contains a type without a JSON counterpart. */
    boolean hasForeign();

    /** Types of single values. */
    enum Scalar implements ColumnType {
        STRING,
        INTEGER,
        NUMBER,
        BOOLEAN,
        /** Arrow's type for a column that is null in every row. */
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

    /** Named values in order; a table is a struct, too. */
    record Struct(Map<String, ColumnType> fields) implements ColumnType {
        public Struct {
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }

        @Override
        public boolean hasForeign() {
            return fields.values().stream().anyMatch(ColumnType::hasForeign);
        }

        /** Returns only the columns with these names, in this order. */
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

    /** A type without a JSON counterpart, by its Parquet name. */
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
     * Returns the columns of a file.
     *
     * @throws IllegalArgumentException if they do not form a tree of columns
     */
    static Struct listed(List<SchemaElement> elements) {
        return ParquetSchema.of(elements).columns();
    }

    /**
     * Returns the columns of a record as {@link dev.prpf.base.json.JsonRecords} writes it.
     *
     * @throws IllegalArgumentException for a component other than strings, enumerations, numbers, booleans, records and lists of
     *     them
     */
    static Struct of(Class<?> record) {
        Map<String, ColumnType> fields = new LinkedHashMap<>();
        for (RecordComponent component : record.getRecordComponents()) {
            if (component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
                fields.putAll(of(component.getType()).fields());
            } else {
                fields.put(
                        PropertyNamingStrategies.SnakeCaseStrategy.INSTANCE.translate(component.getName()),
                        of(component.getGenericType()));
            }
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

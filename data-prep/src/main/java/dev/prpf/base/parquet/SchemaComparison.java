package dev.prpf.base.parquet;

import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import java.util.ArrayList;
import java.util.List;

/** Collects all defects of a file's columns. A column that is null in every row is never a defect. */
public final class SchemaComparison {
    private final boolean whole;
    private final boolean exact;
    private final List<String> wrong = new ArrayList<>();

    /**
     * @param whole whether all expected columns are required
     * @param exact whether other columns and JSON strings are defects
     */
    private SchemaComparison(boolean whole, boolean exact) {
        this.whole = whole;
        this.exact = exact;
    }

    /** Requires exactly these columns, in any order. */
    public static List<String> exact(Struct expected, Struct found) {
        return new SchemaComparison(true, true).defects(expected, found);
    }

    /**
     * Requires the expected types of the columns that exist; other columns are allowed. A string column may hold a struct or a
     * list as JSON.
     */
    public static List<String> lenient(Struct expected, Struct found) {
        return new SchemaComparison(false, false).defects(expected, found);
    }

    /** Compares like {@link #lenient} and requires all expected columns. */
    public static List<String> containing(Struct expected, Struct found) {
        return new SchemaComparison(true, false).defects(expected, found);
    }

    private List<String> defects(Struct expected, Struct found) {
        fields("", expected, found);
        return wrong;
    }

    private void fields(String path, Struct expected, Struct found) {
        expected.fields().forEach((name, type) -> {
            ColumnType seen = found.fields().get(name);
            if (seen != null) {
                compare(path + name, type, seen);
            } else if (whole) {
                wrong.add("column " + path + name + " is missing, must be " + type);
            }
        });
        found.fields().forEach((name, type) -> {
            if (!expected.fields().containsKey(name) && (exact || type.hasForeign())) {
                wrong.add("column " + path + name + " (" + type + ") "
                        + (exact
                                ? "is not known, must be one of "
                                        + expected.fields().keySet()
                                : "is of a type that JSON does not have; remove it"));
            }
        });
    }

    private void compare(String path, ColumnType expected, ColumnType found) {
        if (expected instanceof Struct struct && found instanceof Struct seen) {
            fields(path + ".", struct, seen);
        } else if (expected instanceof ListOf list && found instanceof ListOf seen) {
            compare(path + "[]", list.element(), seen.element());
        } else if (!fits(expected, found)) {
            wrong.add("column " + path + " is " + found + ", must be " + expected
                    + (exact || expected instanceof Scalar ? "" : " or a string of JSON"));
        }
    }

    private boolean fits(ColumnType expected, ColumnType found) {
        boolean json = !exact && !(expected instanceof Scalar) && found == Scalar.STRING;
        boolean whole = expected == Scalar.NUMBER && found == Scalar.INTEGER;
        return found == Scalar.NULL || found.equals(expected) || json || whole;
    }
}

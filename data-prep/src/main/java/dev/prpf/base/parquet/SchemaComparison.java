package dev.prpf.base.parquet;

import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import java.util.ArrayList;
import java.util.List;

/** What is wrong with a file's columns, all of it. A column that is null throughout is never wrong. */
public final class SchemaComparison {
    private final boolean whole;
    private final boolean exact;
    private final List<String> wrong = new ArrayList<>();

    /**
     * @param whole whether no column may be missing
     * @param exact whether there may be no other, and none of JSON as text
     */
    private SchemaComparison(boolean whole, boolean exact) {
        this.whole = whole;
        this.exact = exact;
    }

    /** The columns must be these, no more and no fewer, in any order. */
    public static List<String> exact(Struct expected, Struct found) {
        SchemaComparison comparison = new SchemaComparison(true, true);
        comparison.fields("", expected, found);
        return comparison.wrong;
    }

    /**
     * Of the expected columns those that are there must have their types; further ones may stand beside them. A string may stand for a struct
     * or a list, which it then holds as JSON.
     */
    public static List<String> lenient(Struct expected, Struct found) {
        SchemaComparison comparison = new SchemaComparison(false, false);
        comparison.fields("", expected, found);
        return comparison.wrong;
    }

    /** As {@link #lenient}, and all of the expected columns must be there. */
    public static List<String> containing(Struct expected, Struct found) {
        SchemaComparison comparison = new SchemaComparison(true, false);
        comparison.fields("", expected, found);
        return comparison.wrong;
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
                                : "is of a type that JSON does not have; leave it out"));
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

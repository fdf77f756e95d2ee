package dev.prpf.base.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.parquet.ColumnType.Foreign;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SchemaComparisonTest {
    private static final Foreign DATE = new Foreign("date");

    private static Struct table(ColumnType type) {
        return new Struct(Map.of("a", type));
    }

    @Test
    void theSameColumnsAreRight() {
        Struct table = table(new ListOf(table(Scalar.INTEGER)));
        assertThat(SchemaComparison.exact(table, table)).isEmpty();
        assertThat(SchemaComparison.lenient(table, table)).isEmpty();
    }

    @Test
    void whatIsNullThroughoutMayBeAnything() {
        assertThat(SchemaComparison.exact(table(table(Scalar.STRING)), table(Scalar.NULL)))
                .isEmpty();
        assertThat(SchemaComparison.exact(table(Scalar.NUMBER), table(Scalar.INTEGER)))
                .as("whole numbers are numbers")
                .isEmpty();
    }

    @Test
    void otherTypesAreNamedWithTheirPlace() {
        assertThat(SchemaComparison.exact(
                        table(new ListOf(table(Scalar.INTEGER))), table(new ListOf(table(Scalar.NUMBER)))))
                .containsExactly("column a[].a is number, must be integer");
        assertThat(SchemaComparison.exact(table(table(Scalar.STRING)), table(Scalar.STRING)))
                .containsExactly("column a is string, must be struct<a: string>");
        assertThat(SchemaComparison.lenient(table(table(Scalar.STRING)), table(Scalar.BOOLEAN)))
                .containsExactly("column a is boolean, must be struct<a: string> or a string of JSON");
        assertThat(SchemaComparison.lenient(table(Scalar.STRING), table(DATE)))
                .containsExactly("column a is date, must be string");
    }

    @Test
    void aStringMayStandForWhatItHoldsAsJson() {
        assertThat(SchemaComparison.lenient(table(table(Scalar.STRING)), table(Scalar.STRING)))
                .isEmpty();
        assertThat(SchemaComparison.lenient(table(new ListOf(Scalar.STRING)), table(Scalar.STRING)))
                .isEmpty();
        assertThat(SchemaComparison.lenient(table(Scalar.INTEGER), table(Scalar.STRING)))
                .containsExactly("column a is string, must be integer");
    }

    @Test
    void missingAndFurtherColumns() {
        Struct none = new Struct(Map.of());
        Struct further = new Struct(Map.of("b", DATE));
        assertThat(SchemaComparison.exact(table(Scalar.STRING), none))
                .containsExactly("column a is missing, must be string");
        assertThat(SchemaComparison.exact(none, further))
                .containsExactly("column b (date) is not known, must be one of []");
        assertThat(SchemaComparison.lenient(table(Scalar.STRING), none)).isEmpty();
        assertThat(SchemaComparison.lenient(none, table(Scalar.STRING))).isEmpty();
        assertThat(SchemaComparison.lenient(none, further))
                .containsExactly("column b (date) is of a type that JSON does not have; remove it");
    }

    @Test
    void whatIsNeededMustBeThereAndMoreMay() {
        Struct needed = table(table(Scalar.STRING));
        assertThat(SchemaComparison.containing(needed, new Struct(Map.of("b", Scalar.STRING))))
                .containsExactly("column a is missing, must be struct<a: string>");
        assertThat(SchemaComparison.containing(needed, table(new Struct(Map.of("b", Scalar.STRING)))))
                .containsExactly("column a.a is missing, must be string");
        assertThat(SchemaComparison.containing(needed, table(Scalar.STRING))).isEmpty();
        assertThat(SchemaComparison.containing(
                        needed, new Struct(Map.of("a", table(Scalar.STRING), "b", Scalar.NUMBER))))
                .isEmpty();
    }
}

package dev.prpf.spark;

import dev.prpf.base.parquet.ColumnType;
import dev.prpf.base.parquet.ColumnType.ListOf;
import dev.prpf.base.parquet.ColumnType.Scalar;
import dev.prpf.base.parquet.ColumnType.Struct;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The columns of exports as Spark has them; any value may be null. */
final class RowTypes {
    private RowTypes() {}

    static StructType of(Struct columns) {
        List<StructField> fields = new ArrayList<>();
        columns.fields().forEach((name, type) -> fields.add(DataTypes.createStructField(name, of(type), true)));
        return DataTypes.createStructType(fields);
    }

    private static DataType of(ColumnType type) {
        if (type instanceof Struct struct) {
            return of(struct);
        }
        return type instanceof ListOf list
                ? DataTypes.createArrayType(of(list.element()), true)
                : switch ((Scalar) type) {
                    case STRING -> DataTypes.StringType;
                    case INTEGER -> DataTypes.LongType;
                    case NUMBER -> DataTypes.DoubleType;
                    case BOOLEAN -> DataTypes.BooleanType;
                    case NULL -> DataTypes.NullType;
                };
    }
}

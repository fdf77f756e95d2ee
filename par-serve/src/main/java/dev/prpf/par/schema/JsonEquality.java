package dev.prpf.par.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;

/** Compares JSON values by the rules of JSON Schema: numbers of equal value are equal in any notation. */
public final class JsonEquality {
    private JsonEquality() {}

    /** Returns a key that equals the keys of all equal values and no other. */
    public static Object key(JsonNode value) {
        if (value.isNumber()) {
            boolean finite =
                    !value.isFloatingPointNumber() || value.isBigDecimal() || Double.isFinite(value.doubleValue());
            return finite ? value.decimalValue().stripTrailingZeros() : (Object) value.doubleValue();
        } else if (value.isArray()) {
            return value.valueStream().map(JsonEquality::key).toList();
        } else if (value.isObject()) {
            Map<String, Object> fields = new HashMap<>();
            value.properties().forEach(field -> fields.put(field.getKey(), key(field.getValue())));
            return fields;
        }
        return value;
    }
}

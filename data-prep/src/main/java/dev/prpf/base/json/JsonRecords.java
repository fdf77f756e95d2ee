package dev.prpf.base.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import dev.prpf.base.error.InvalidDataException;
import java.io.IOException;

/**
 * Records as JSON: keys are the components in snake case, in their order; a component that is null is written as null, and so is a number
 * that is not finite (a metric that does not exist is null, never 0). Reading is strict: an unknown, missing or duplicate key, a value of
 * another type and whatever the record's constructor refuses are errors.
 */
public final class JsonRecords {
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .addModule(new SimpleModule()
                    .addSerializer(Double.class, new FiniteNumber<>(Double.class))
                    .addSerializer(double.class, new FiniteNumber<>(Double.class))
                    .addSerializer(Float.class, new FiniteNumber<>(Float.class))
                    .addSerializer(float.class, new FiniteNumber<>(Float.class)))
            .build();

    private JsonRecords() {}

    /** Writes a number that is not finite as null. */
    private static final class FiniteNumber<N extends Number> extends StdSerializer<N> {
        private static final long serialVersionUID = 1L;

        FiniteNumber(Class<N> type) {
            super(type);
        }

        @Override
        public void serialize(N value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            if (!Double.isFinite(value.doubleValue())) {
                generator.writeNull();
            } else if (value instanceof Float single) {
                generator.writeNumber(single);
            } else {
                generator.writeNumber(value.doubleValue());
            }
        }
    }

    /** The value on one line, without its end; a record, or a map or list with records in it. */
    public static String write(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a value that cannot be written as JSON: " + value, e);
        }
    }

    /** The value as a tree. */
    public static JsonNode tree(Object value) {
        return JSON.valueToTree(value);
    }

    /**
     * Reads one record.
     *
     * @param place of the text, for the message
     * @param what it is, for the message: "rollout group"
     * @throws InvalidDataException if it is no such record
     */
    public static <T extends Record> T read(String place, String what, String text, Class<T> type) {
        try {
            T record = JSON.readValue(text, type);
            if (record == null) {
                throw new InvalidDataException(place + ": is no " + what + ": null");
            }
            return record;
        } catch (ValueInstantiationException e) {
            String why =
                    e.getCause() instanceof IllegalArgumentException rule ? rule.getMessage() : e.getOriginalMessage();
            throw new InvalidDataException(place + ": is no " + what + ": " + why);
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(place + ": is no " + what + ": "
                    + e.getOriginalMessage().replaceFirst("; `DeserializationFeature.*", ""));
        }
    }
}

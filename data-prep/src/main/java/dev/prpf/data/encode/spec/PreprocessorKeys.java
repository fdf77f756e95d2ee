package dev.prpf.data.encode.spec;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Rejects keys of a {@code preprocessor_config.json} that would change pixels in a way that this program does not support.
 */
final class PreprocessorKeys {
    /** Keys that name classes and containers. */
    private static final Set<String> NEUTRAL = Set.of(
            "image_processor_type",
            "feature_extractor_type",
            "processor_class",
            "_processor_class",
            "_valid_processor_keys",
            "default_to_square",
            "data_format",
            "input_data_format",
            "return_tensors",
            "device",
            "disable_grouping");

    /** Steps that must not be disabled. */
    private static final Set<String> STEPS = Set.of("do_resize", "do_rescale", "do_normalize", "do_convert_rgb");

    private PreprocessorKeys() {}

    /**
     * Rejects keys that may change pixels in an unsupported way.
     *
     * @param read the keys that the caller reads
     * @throws IllegalArgumentException naming the key
     */
    static void refuseOthers(JsonNode root, Set<String> read) {
        TreeSet<String> unknown = new TreeSet<>();
        for (Map.Entry<String, JsonNode> field : root.properties()) {
            JsonNode value = field.getValue();
            boolean off = value.isNull() || (value.isBoolean() && !value.asBoolean());
            if (STEPS.contains(field.getKey()) && off && !value.isNull()) {
                throw new IllegalArgumentException(
                        field.getKey() + " = false, must be true: vision encoders need this step");
            }
            boolean known =
                    STEPS.contains(field.getKey()) || read.contains(field.getKey()) || NEUTRAL.contains(field.getKey());
            if (!known && !off) {
                unknown.add(field.getKey());
            }
        }
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("unknown keys " + unknown + ", which may change the pixels; known are "
                    + new TreeSet<>(read) + " and " + new TreeSet<>(STEPS));
        }
        double factor = number(root, "rescale_factor", 1 / 255.0);
        if (Math.abs(factor * 255 - 1) > 1e-9) {
            throw new IllegalArgumentException("rescale_factor = " + factor + ", must be 1/255");
        }
    }

    /** @throws IllegalArgumentException if the value is not a number */
    static double number(JsonNode root, String key, double otherwise) {
        JsonNode value = root.path(key);
        if (value.isMissingNode() || value.isNull()) {
            return otherwise;
        }
        if (!value.isNumber()) {
            throw new IllegalArgumentException(key + " = " + value + ", must be a number");
        }
        return value.asDouble();
    }

    /** Returns the array's numbers; other elements become NaN. */
    static List<Double> numbers(JsonNode array, List<Double> otherwise) {
        if (array.isMissingNode() || array.isNull()) {
            return otherwise;
        }
        Double[] values = new Double[array.size()];
        Arrays.setAll(values, i -> array.get(i).asDouble(Double.NaN));
        return List.of(values);
    }

    /** @throws IllegalArgumentException if the values of the three channels are invalid */
    static void requireChannels(List<Double> mean, List<Double> std) {
        if (mean.size() != 3
                || std.size() != 3
                || !mean.stream().allMatch(Double::isFinite)
                || std.stream().anyMatch(d -> !(d > 0))) {
            throw new IllegalArgumentException("image_mean = " + mean + ", image_std = " + std
                    + ": each must hold three numbers, those of image_std above 0");
        }
    }
}

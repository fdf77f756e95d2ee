package dev.prpf.data.encode.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.commons.lang3.StringUtils;

/**
 * The preprocessing of an image for a Qwen-VL vision encoder. It is resized to sides that are multiples of {@code patch * merge}
 * and a limited area (transformers' {@code smart_resize}), normalised per channel and split into patches.
 *
 * @param patch P, a patch's side in pixels
 * @param merge side of the square of patches that form one token
 * @param frames T, the repetitions of an image in the patch embedding
 * @param minPixels minimum area after resizing
 * @param maxPixels maximum area after resizing
 * @param mean red, green, blue, of values from 0 to 1
 * @param std red, green, blue
 * @param backend the library that defines the resizing
 */
public record VisionPreprocessing(
        int patch,
        int merge,
        int frames,
        long minPixels,
        long maxPixels,
        List<Double> mean,
        List<Double> std,
        Backend backend) {
    /** Libraries with the same filter and different rounding of its weights: the last bits of some values in a thousand differ. */
    public enum Backend {
        /** {@code Qwen2VLImageProcessorFast}, used by Qwen3.5. */
        TORCHVISION("Qwen2VLImageProcessorFast"),
        /** {@code Qwen2VLImageProcessor} before transformers 5, or without torchvision. */
        PIL("Qwen2VLImageProcessor");

        private final String type;

        Backend(String type) {
            this.type = type;
        }

        private static Backend of(JsonNode root) {
            String type = root.path("image_processor_type").asText(PIL.type);
            return switch (type) {
                case "Qwen2VLImageProcessorFast" -> TORCHVISION;
                case "Qwen2VLImageProcessor", "Qwen2VLImageProcessorPil" -> PIL;
                default ->
                    throw new IllegalArgumentException(
                            "image_processor_type = " + type + ", must be " + TORCHVISION.type + " or " + PIL.type
                                    + ", the processors of the Qwen-VL family; others make other patches");
            };
        }
    }

    private static final Set<String> READ = Set.of(
            StringUtils.split(
                    """
            size min_pixels max_pixels patch_size merge_size temporal_patch_size image_mean image_std resample
            rescale_factor"""));
    /** Defaults of missing keys, from transformers' {@code Qwen2VLImageProcessor}. */
    private static final VisionPreprocessing PUBLISHED = new VisionPreprocessing(
            14,
            2,
            2,
            56 * 56,
            28 * 28 * 1280,
            List.of(0.48145466, 0.4578275, 0.40821073),
            List.of(0.26862954, 0.26130258, 0.27577711),
            Backend.PIL);

    /** Exceeds the largest accepted image; a larger area is a mistake and may not fit into memory. */
    private static final long MAX_PIXELS = 100_000_000;

    public VisionPreprocessing {
        requireSmall("patch_size", patch, 1024);
        requireSmall("merge_size", merge, 16);
        requireSmall("temporal_patch_size", frames, 16);
        long token = (long) patch * merge * patch * merge;
        if (minPixels < 1 || maxPixels < minPixels || maxPixels < token || minPixels > MAX_PIXELS) {
            throw new IllegalArgumentException("size = {shortest_edge: " + minPixels + ", longest_edge: " + maxPixels
                    + "}: areas in pixels, must be 1 to longest_edge, at most " + MAX_PIXELS
                    + " the first, and at least a token's " + token + " the second");
        }
        mean = List.copyOf(mean);
        std = List.copyOf(std);
        PreprocessorKeys.requireChannels(mean, std);
    }

    /** Creates the preprocessing with the backend of Qwen3.5. */
    public VisionPreprocessing(
            int patch, int merge, int frames, long minPixels, long maxPixels, List<Double> mean, List<Double> std) {
        this(patch, merge, frames, minPixels, maxPixels, mean, std, Backend.TORCHVISION);
    }

    private static void requireSmall(String key, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(key + " = " + value + ", must be 1 to " + most);
        }
    }

    /**
     * Reads the settings from {@code preprocessor_config.json}.
     *
     * @param file the file's name for messages
     * @throws PrpfException 65, naming the key, for an unknown key or an unsupported value
     */
    public static VisionPreprocessing read(String file, JsonNode root) {
        try {
            PreprocessorKeys.refuseOthers(root, READ);
            if (PreprocessorKeys.number(root, "resample", 3) != 3) {
                throw new IllegalArgumentException("resample = " + root.path("resample") + ", must be 3 (bicubic)");
            }
            JsonNode size = size(root);
            return new VisionPreprocessing(
                    Math.toIntExact(whole(root, "patch_size", PUBLISHED.patch)),
                    Math.toIntExact(whole(root, "merge_size", PUBLISHED.merge)),
                    Math.toIntExact(whole(root, "temporal_patch_size", PUBLISHED.frames)),
                    whole(root, "min_pixels", whole(size, "shortest_edge", PUBLISHED.minPixels)),
                    whole(root, "max_pixels", whole(size, "longest_edge", PUBLISHED.maxPixels)),
                    PreprocessorKeys.numbers(root.path("image_mean"), PUBLISHED.mean),
                    PreprocessorKeys.numbers(root.path("image_std"), PUBLISHED.std),
                    Backend.of(root));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new InvalidDataException(file + ": " + e.getMessage(), e);
        }
    }

    private static JsonNode size(JsonNode root) {
        JsonNode size = root.path("size");
        for (String key : (Iterable<String>) size::fieldNames) {
            if (!key.equals("shortest_edge") && !key.equals("longest_edge")) {
                throw new IllegalArgumentException(
                        "size = " + size + ", must have shortest_edge and longest_edge (areas in pixels) and no other");
            }
        }
        return size;
    }

    private static long whole(JsonNode object, String key, long otherwise) {
        JsonNode value = object.path(key);
        if (value.isMissingNode() || value.isNull()) {
            return otherwise;
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new IllegalArgumentException(key + " = " + value + ", must be a whole number");
        }
        return value.asLong();
    }

    /** Returns {@code preprocessor_config.json}, readable by transformers. */
    public ObjectNode json() {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("image_processor_type", backend.type).put("processor_class", "Qwen3VLProcessor");
        List.of("do_convert_rgb", "do_resize", "do_rescale", "do_normalize").forEach(step -> root.put(step, true));
        root.putObject("size").put("shortest_edge", minPixels).put("longest_edge", maxPixels);
        root.put("resample", 3).put("rescale_factor", 1 / 255.0);
        root.put("patch_size", patch).put("merge_size", merge).put("temporal_patch_size", frames);
        mean.forEach(root.putArray("image_mean")::add);
        std.forEach(root.putArray("image_std")::add);
        return root;
    }

    /** Returns the side in pixels of the square that forms one token. */
    public int factor() {
        return patch * merge;
    }

    /**
     * Rejects keys of a {@code preprocessor_config.json} that would change pixels in a way that this program does not support.
     */
    static final class PreprocessorKeys {
        /** Keys that name classes and containers. */
        private static final Set<String> NEUTRAL = Set.of(
                StringUtils.split(
                        """
                image_processor_type feature_extractor_type processor_class _processor_class _valid_processor_keys
                default_to_square data_format input_data_format return_tensors device disable_grouping"""));

        /** Steps that must not be disabled. */
        private static final Set<String> STEPS = Set.of("do_resize", "do_rescale", "do_normalize", "do_convert_rgb");

        private PreprocessorKeys() {}

        /**
         * Rejects keys that may change pixels in an unsupported way.
         *
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
                boolean known = STEPS.contains(field.getKey())
                        || read.contains(field.getKey())
                        || NEUTRAL.contains(field.getKey());
                if (!known && !off) {
                    unknown.add(field.getKey());
                }
            }
            if (!unknown.isEmpty()) {
                throw new IllegalArgumentException(
                        "unknown keys " + unknown + ", which may change the pixels; known are " + new TreeSet<>(read)
                                + " and " + new TreeSet<>(STEPS));
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
}

package dev.prpf.data.encode.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.util.List;
import java.util.Set;

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
            "size",
            "min_pixels",
            "max_pixels",
            "patch_size",
            "merge_size",
            "temporal_patch_size",
            "image_mean",
            "image_std",
            "resample",
            "rescale_factor");
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
}

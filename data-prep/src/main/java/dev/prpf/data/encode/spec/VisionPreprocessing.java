package dev.prpf.data.encode.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.util.List;
import java.util.Set;

/**
 * What becomes of a picture before a tower of the Qwen-VL family sees it: it is resized to sides that are multiples of {@code patch *
 * merge} and an area within limits (transformers' {@code smart_resize}), normalised by channel and cut into patches.
 *
 * @param patch P, a patch's side in pixels
 * @param merge a side of the square of patches that become one token
 * @param frames T, how often a picture is repeated for the patch embedding
 * @param minPixels the smallest area after resizing
 * @param maxPixels the largest
 * @param mean red, green, blue, of values from 0 to 1
 * @param std red, green, blue
 * @param backend whose resize
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
    /** Libraries that resize with the same filter and round its weights differently: of some values in a thousand the last bits differ. */
    public enum Backend {
        /** {@code Qwen2VLImageProcessorFast}, as Qwen3.5 is published. */
        TORCHVISION("Qwen2VLImageProcessorFast"),
        /** {@code Qwen2VLImageProcessor}, as it was before transformers 5 and is without torchvision. */
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
                                    + ", which the Qwen-VL family has; other processors make other patches");
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
    /** What files leave out: the values of transformers' {@code Qwen2VLImageProcessor}. */
    private static final VisionPreprocessing PUBLISHED = new VisionPreprocessing(
            14,
            2,
            2,
            56 * 56,
            28 * 28 * 1280,
            List.of(0.48145466, 0.4578275, 0.40821073),
            List.of(0.26862954, 0.26130258, 0.27577711),
            Backend.PIL);

    /** More than the largest picture that is read has; an area beyond it is a mistake that would not fit into memory. */
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

    /** As Qwen3.5 is published. */
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
     * Reads {@code preprocessor_config.json}.
     *
     * @param file its name, for messages
     * @throws PrpfException 65, naming the key, for what is unknown or would make other pixels than ours
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

    /** As {@code preprocessor_config.json}, which transformers reads, too. */
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

    /** Pixels of a side of the square that becomes one token. */
    public int factor() {
        return patch * merge;
    }
}

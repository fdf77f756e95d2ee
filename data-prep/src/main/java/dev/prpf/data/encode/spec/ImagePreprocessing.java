package dev.prpf.data.encode.spec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.encode.spec.VisionPreprocessing.PreprocessorKeys;
import java.util.List;
import java.util.Set;

/**
 * The preprocessing of an image for a vision encoder: resize as in PIL, center crop, then (value / 255 - mean) / standard
 * deviation per channel.
 *
 * @param keepsAspect whether the shorter side is resized to {@code edge} and the longer one in proportion; else both to
 *     {@code edge}
 * @param edge pixels after resizing
 * @param side side of the center crop, at most {@code edge}
 * @param filter the resizing filter
 * @param mean red, green, blue
 * @param std red, green, blue
 */
public record ImagePreprocessing(
        boolean keepsAspect, int edge, int side, Filter filter, List<Double> mean, List<Double> std) {
    /** PIL's resampling filters; both widen their kernel when an image shrinks. */
    public enum Filter {
        BILINEAR,
        BICUBIC;

        private static Filter of(JsonNode resample) {
            return switch (resample.asInt(3)) {
                case 2 -> BILINEAR;
                case 3 -> BICUBIC;
                default ->
                    throw new IllegalArgumentException(
                            "resample = " + resample + ", must be 3 (bicubic) or 2 (bilinear)");
            };
        }
    }

    private static final int PUBLISHED_SIDE = 224;

    private static final Set<String> READ =
            Set.of("size", "crop_size", "image_mean", "image_std", "resample", "rescale_factor", "do_center_crop");

    public ImagePreprocessing {
        if (side < 1 || edge < side) {
            throw new IllegalArgumentException("crop_size = " + side + ", size = " + edge + ": must be 1 to size");
        }
        PreprocessorKeys.requireChannels(mean, std);
    }

    /** Returns CLIP's published values for images of this side. */
    public static ImagePreprocessing clip(int side) {
        List<Double> mean = List.of(0.48145466, 0.4578275, 0.40821073);
        List<Double> std = List.of(0.26862954, 0.26130258, 0.27577711);
        return new ImagePreprocessing(true, side, side, Filter.BICUBIC, mean, std);
    }

    /** Returns SigLIP's published values for images of this side: the whole image, without its aspect ratio. */
    public static ImagePreprocessing siglip(int side) {
        List<Double> half = List.of(0.5, 0.5, 0.5);
        return new ImagePreprocessing(false, side, side, Filter.BICUBIC, half, half);
    }

    /**
     * Reads the settings from {@code preprocessor_config.json}.
     *
     * @param file the file's name for messages
     * @param clip whether missing keys have CLIP's values; else SigLIP's
     * @throws PrpfException 65, naming the key, for an unknown key or an unsupported value
     */
    public static ImagePreprocessing read(String file, JsonNode root, boolean clip) {
        try {
            PreprocessorKeys.refuseOthers(root, READ);
            ImagePreprocessing published = clip ? clip(PUBLISHED_SIDE) : siglip(PUBLISHED_SIDE);
            JsonNode size = root.path("size");
            boolean keepsAspect = size.isObject() ? size.has("shortest_edge") : clip;
            int edge = edge("size", size, keepsAspect && size.isObject() ? "shortest_edge" : "height");
            boolean crops = root.path("do_center_crop").asBoolean(clip);
            if (!crops && keepsAspect) {
                throw new IllegalArgumentException("do_center_crop = false, size = " + size
                        + ": without a crop the size must be {\"height\": a number, \"width\": the same}");
            }
            return new ImagePreprocessing(
                    keepsAspect,
                    edge,
                    crops ? edge("crop_size", root.path("crop_size"), "height") : edge,
                    Filter.of(root.path("resample")),
                    PreprocessorKeys.numbers(root.path("image_mean"), published.mean()),
                    PreprocessorKeys.numbers(root.path("image_std"), published.std()));
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(file + ": " + e.getMessage());
        }
    }

    /** Reads a length: a number as in old files (224), or the shortest edge, or a height and the same width. */
    private static int edge(String key, JsonNode node, String part) {
        if (node.isMissingNode() || node.isNull()) {
            return PUBLISHED_SIDE;
        }
        JsonNode value = node.isObject() ? node.path(part) : node;
        JsonNode width = node.path("width");
        boolean square = (part.equals("height") && node.isObject()) ? width.equals(value) : width.isMissingNode();
        if (!value.isInt() || !square) {
            throw new IllegalArgumentException(key + " = " + node + ", must be a number"
                    + (key.equals("size") ? ", {\"shortest_edge\": a number}" : "")
                    + " or {\"height\": a number, \"width\": the same}");
        }
        return value.asInt();
    }

    /** Returns the settings for encoder ids; for CLIP in the format of the first version, so that ids stay stable. */
    public String identity() {
        return keepsAspect && filter == Filter.BICUBIC
                ? "ClipPreprocessing[shortestEdge=" + edge + ", side=" + side + ", mean=" + mean + ", deviation=" + std
                        + "]"
                : toString();
    }
}

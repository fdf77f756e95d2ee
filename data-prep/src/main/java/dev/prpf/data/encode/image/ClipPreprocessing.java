package dev.prpf.data.encode.image;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What CLIP does to a picture before it looks: the shorter side is resized to {@code shortestEdge} pixels (bicubic, with antialiasing,
 * as PIL's), a square is cut from the middle, and (value / 255 - mean) / deviation is taken a channel.
 *
 * @param shortestEdge of the resized picture
 * @param side of the square, at most {@code shortestEdge}
 * @param mean red, green, blue
 * @param deviation red, green, blue
 */
record ClipPreprocessing(int shortestEdge, int side, List<Double> mean, List<Double> deviation) {
    private static final List<Double> MEAN = List.of(0.48145466, 0.4578275, 0.40821073);
    private static final List<Double> DEVIATION = List.of(0.26862954, 0.26130258, 0.27577711);
    private static final int BICUBIC = 3;

    /** Keys of {@code preprocessor_config.json} that name classes and containers and change no pixel. */
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

    private static final Set<String> READ =
            Set.of("size", "crop_size", "image_mean", "image_std", "resample", "rescale_factor");
    /** Steps that must not be switched off. */
    private static final Set<String> STEPS =
            Set.of("do_resize", "do_center_crop", "do_rescale", "do_normalize", "do_convert_rgb");

    ClipPreprocessing {
        if (side < 1 || shortestEdge < side) {
            throw new IllegalArgumentException(
                    "crop_size = " + side + ", size = " + shortestEdge + ": must be 1 to size");
        }
        if (mean.size() != 3 || deviation.size() != 3 || deviation.stream().anyMatch(d -> !(d > 0))) {
            throw new IllegalArgumentException("image_mean = " + mean + ", image_std = " + deviation
                    + ": each must hold three numbers, those of image_std above 0");
        }
    }

    /** CLIP's published values for pictures of this side. */
    static ClipPreprocessing published(int side) {
        return new ClipPreprocessing(side, side, MEAN, DEVIATION);
    }

    /**
     * Reads {@code preprocessor_config.json}.
     *
     * @param file its name, for messages
     * @throws PrpfException 65, naming the key, for what is unknown or would make other pixels than this class makes
     */
    static ClipPreprocessing read(String file, JsonNode root) {
        try {
            refuseUnknown(root);
            int edge = edge(root.path("size"), "size", "shortest_edge");
            return new ClipPreprocessing(
                    edge,
                    edge(root.path("crop_size"), "crop_size", "height"),
                    numbers(root.path("image_mean"), MEAN),
                    numbers(root.path("image_std"), DEVIATION));
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(file + ": " + e.getMessage());
        }
    }

    private static void refuseUnknown(JsonNode root) {
        TreeSet<String> unknown = new TreeSet<>();
        for (Map.Entry<String, JsonNode> field : root.properties()) {
            JsonNode value = field.getValue();
            boolean off = value.isNull() || (value.isBoolean() && !value.asBoolean());
            if (STEPS.contains(field.getKey()) && off && !value.isNull()) {
                throw new IllegalArgumentException(field.getKey() + " = false, must be true: CLIP needs this step");
            }
            boolean known =
                    STEPS.contains(field.getKey()) || READ.contains(field.getKey()) || NEUTRAL.contains(field.getKey());
            if (!known && !off) {
                unknown.add(field.getKey());
            }
        }
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("unknown keys " + unknown + ", which may change the pixels; known are "
                    + new TreeSet<>(READ) + " and " + new TreeSet<>(STEPS));
        }
        if (root.path("resample").asInt(BICUBIC) != BICUBIC) {
            throw new IllegalArgumentException("resample = " + root.path("resample") + ", must be 3 (bicubic)");
        }
        double factor = root.path("rescale_factor").asDouble(1 / 255.0);
        if (Math.abs(factor * 255 - 1) > 1e-9) {
            throw new IllegalArgumentException("rescale_factor = " + factor + ", must be 1/255");
        }
    }

    /** A length as old files give it (224) or as new ones do. */
    private static int edge(JsonNode node, String key, String part) {
        if (node.isMissingNode() || node.isNull()) {
            return 224;
        }
        JsonNode value = node.isObject() ? node.path(part) : node;
        JsonNode width = node.path("width");
        boolean aSide = node.isObject() && part.equals("height");
        boolean square = aSide ? width.equals(value) : width.isMissingNode();
        if (!value.isInt() || !square) {
            throw new IllegalArgumentException(key + " = " + node + ", must be a number or {\"" + part + "\": a number"
                    + (part.equals("height") ? ", \"width\": the same" : "") + "}");
        }
        return value.asInt();
    }

    private static List<Double> numbers(JsonNode array, List<Double> otherwise) {
        if (array.isMissingNode() || array.isNull()) {
            return otherwise;
        }
        Double[] values = new Double[array.size()];
        Arrays.setAll(values, i -> array.get(i).asDouble(Double.NaN));
        return List.of(values);
    }

    /** Values of one picture in a (B, 3, S, S) tensor. */
    int values() {
        return 3 * side * side;
    }

    /** Writes a picture's planes red, green, blue, shape (3, S, S), from {@code offset} on. */
    void write(Raster picture, float[] target, int offset) {
        double shorter = Math.min(picture.width(), picture.height());
        int width =
                picture.width() <= picture.height() ? shortestEdge : (int) (shortestEdge * picture.width() / shorter);
        int height =
                picture.height() <= picture.width() ? shortestEdge : (int) (shortestEdge * picture.height() / shorter);
        PilBicubic columns = PilBicubic.of(picture.width(), width, (width - side) / 2, side);
        PilBicubic rows = PilBicubic.of(picture.height(), height, (height - side) / 2, side);
        boolean rowsFirst = PilBicubic.rowsFirst(picture.width(), width, picture.height(), height);
        byte[] square = PilBicubic.resize(picture, columns, rows, rowsFirst); // (S, S, 3)
        int plane = side * side;
        for (int c = 0; c < 3; c++) {
            for (int at = 0; at < plane; at++) {
                double value = (square[at * 3 + c] & 255) / 255.0;
                target[offset + c * plane + at] = (float) ((value - mean.get(c)) / deviation.get(c));
            }
        }
    }
}

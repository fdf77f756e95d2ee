package dev.prpf.data.encode.ocr;

import dev.prpf.base.image.Pixels;
import dev.prpf.data.onnx.ModelResource;
import dev.prpf.data.onnx.NetworkMeter;
import dev.prpf.data.onnx.OnnxModel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Recognises a text line with PP-OCRv4's recogniser (SVTR, CTC). */
final class TextRecogniser implements AutoCloseable {
    static final ModelResource WEIGHTS = new ModelResource(
            "models/ch_PP-OCRv4_rec_infer.onnx",
            10_857_828,
            "01963c554a1a00203c5746bca5306fc05a1278a014495383ddd935d0d2ac0415",
            TextDetector.ARTEFACT);
    private static final ModelResource KEYS = new ModelResource(
            "models/ppocr_keys_v1.txt",
            26_249,
            "28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7",
            TextDetector.ARTEFACT);
    private static final int HEIGHT = 48;
    /** Widths are multiples of this number of pixels. */
    private static final int COLUMN = 8;

    private static final int MIN_WIDTH = 48;
    private static final int MAX_WIDTH = 48 * 60;
    private static final Pixels.Normalisation NORM =
            Pixels.Normalisation.of(new double[] {0.5, 0.5, 0.5}, new double[] {0.5, 0.5, 0.5});

    private final OnnxModel model;
    private final List<String> characters;
    private final NetworkMeter meter;

    /** @param meter records each run, with its number of columns as size */
    TextRecogniser(NetworkMeter meter) {
        this.meter = meter;
        this.model = OnnxModel.load(WEIGHTS, 1);
        this.characters = characters();
    }

    static NetworkMeter meter() {
        return new NetworkMeter(TextRecogniser::probe, 8, 24, 72);
    }

    private static void probe(int columns) {
        try (OnnxModel network = OnnxModel.load(WEIGHTS, 1)) {
            network.run(new long[] {1, 3, HEIGHT, (long) COLUMN * columns}, new float[3 * HEIGHT * COLUMN * columns]);
        }
    }

    /** Returns the characters by class: index 0 is CTC's blank, the last one the space. */
    private static List<String> characters() {
        List<String> characters = new ArrayList<>();
        characters.add("");
        new String(KEYS.bytes(), StandardCharsets.UTF_8).lines().forEach(characters::add);
        characters.add(" ");
        return List.copyOf(characters);
    }

    TextLine read(Pixels image, Pixels.Box box) {
        int width = (int) Math.ceil(HEIGHT * box.width() / box.height());
        width = Math.min(MAX_WIDTH, Math.max(1, width));
        int padded = Math.max(MIN_WIDTH, (width + COLUMN - 1) / COLUMN * COLUMN);
        float[] values = new float[3 * HEIGHT * padded];
        image.resample(box, width, HEIGHT, values, padded, NORM);
        OnnxModel.Output output = model.run(new long[] {1, 3, HEIGHT, padded}, values);
        meter.ran(padded / COLUMN, 1);
        return decode(output, box);
    }

    /** Decodes CTC greedily: the likeliest class per step, repetitions joined, blanks dropped. */
    private TextLine decode(OnnxModel.Output output, Pixels.Box box) {
        int steps = (int) output.shape()[1];
        int classes = (int) output.shape()[2];
        if (classes != characters.size()) {
            throw new IllegalStateException(
                    "the recogniser has " + classes + " classes, the list of characters has " + characters.size());
        }
        float[] row = new float[classes];
        StringBuilder text = new StringBuilder();
        double sum = 0;
        int read = 0;
        int last = 0;
        for (int t = 0; t < steps; t++) {
            output.values().get(row);
            int best = argmax(row);
            if (best != 0 && best != last) {
                text.append(characters.get(best));
                sum += row[best];
                read++;
            }
            last = best;
        }
        return new TextLine(
                text.toString().strip(),
                read == 0 ? 0 : sum / read,
                (int) Math.round(box.x()),
                (int) Math.round(box.y()),
                (int) Math.round(box.width()),
                (int) Math.round(box.height()));
    }

    private static int argmax(float[] row) {
        int best = 0;
        for (int i = 1; i < row.length; i++) {
            if (row[i] > row[best]) {
                best = i;
            }
        }
        return best;
    }

    @Override
    public void close() {
        model.close();
    }

    /**
     * A recognised piece of text on a screen.
     *
     * @param confidence mean probability of its characters, 0 to 1
     * @param x left edge in pixels of the image
     * @param y top edge
     */
    record TextLine(String text, double confidence, int x, int y, int width, int height) {
        /**
         * Sorts lines into reading order: rows top to bottom, within a row left to right. Two boxes are in one row if their middles
         * differ by less than half the smaller height.
         */
        static List<List<TextLine>> rows(List<TextLine> lines) {
            List<List<TextLine>> rows = new ArrayList<>();
            for (TextLine line : lines.stream()
                    .sorted(Comparator.comparingDouble(TextLine::middle))
                    .toList()) {
                if (rows.isEmpty() || !rows.get(rows.size() - 1).get(0).inRowWith(line)) {
                    rows.add(new ArrayList<>());
                }
                rows.get(rows.size() - 1).add(line);
            }
            rows.forEach(row -> row.sort(Comparator.comparingInt(TextLine::x)));
            return rows;
        }

        private double middle() {
            return y + height / 2.0;
        }

        private boolean inRowWith(TextLine other) {
            return Math.abs(middle() - other.middle()) < Math.min(height, other.height) / 2.0;
        }
    }
}

package dev.prpf.data.encode;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtException;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** PP-OCRv4's recogniser (SVTR, CTC): what a text line says. */
final class TextRecogniser implements AutoCloseable {
    private static final int HEIGHT = 48;
    private static final int MIN_WIDTH = 48;
    private static final int MAX_WIDTH = 48 * 60;
    private static final Raster.Normalisation NORM =
            Raster.Normalisation.of(new double[] {0.5, 0.5, 0.5}, new double[] {0.5, 0.5, 0.5});

    private final OnnxModel model;
    private final List<String> characters;

    TextRecogniser(int threads) {
        this.model = OnnxModel.load(ModelResource.OCR_RECOGNISER, threads);
        this.characters = characters();
    }

    /** Index 0 is CTC's blank, the last one the space. */
    private static List<String> characters() {
        List<String> characters = new ArrayList<>();
        characters.add("");
        new String(ModelResource.OCR_KEYS.bytes(), StandardCharsets.UTF_8)
                .lines()
                .forEach(characters::add);
        characters.add(" ");
        return List.copyOf(characters);
    }

    /** What was read and the mean probability of its characters. */
    record Reading(String text, double confidence) {}

    /** Reads one line. */
    Reading read(Raster picture, Raster.Box box) {
        int width = (int) Math.ceil(HEIGHT * box.width() / box.height());
        width = Math.min(MAX_WIDTH, Math.max(1, width));
        int padded = Math.max(MIN_WIDTH, (width + 7) / 8 * 8);
        float[] values = new float[3 * HEIGHT * padded];
        picture.resample(box, width, HEIGHT, values, 0, padded, NORM);
        long[] shape = {1, 3, HEIGHT, padded};
        try (OnnxTensor input = OnnxTensor.createTensor(OnnxModel.environment(), FloatBuffer.wrap(values), shape)) {
            return decode(model.run(Map.of(model.onlyInput(), input)));
        } catch (OrtException e) {
            throw new IllegalStateException("a line of " + padded + " pixels cannot be given to OCR", e);
        }
    }

    /** CTC, greedy: the likeliest class a step, repetitions joined, blanks dropped. */
    private Reading decode(OnnxModel.Output output) {
        int steps = (int) output.shape()[1];
        int classes = (int) output.shape()[2]; // (1, W / 8, characters)
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
        return new Reading(text.toString().strip(), read == 0 ? 0 : sum / read);
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
}

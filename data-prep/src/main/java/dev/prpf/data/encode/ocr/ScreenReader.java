package dev.prpf.data.encode.ocr;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.onnx.NetworkMeter;
import dev.prpf.data.onnx.Workers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the text on a screenshot: PP-OCRv4 (PaddlePaddle, Apache-2.0) by ONNX Runtime, detector and recogniser, no angle classifier
 * (a screen's text stands upright). Safe for use by several threads.
 */
public final class ScreenReader implements AutoCloseable {
    /** Names weights and rules; part of the key of every stored reading. */
    public static final String ID =
            "pp-ocrv4-" + TextDetector.WEIGHTS.shortHash() + "-" + TextRecogniser.WEIGHTS.shortHash() + "-rules1";

    /** Readings less sure than this are taken for icons and ornaments. */
    private static final double MIN_CONFIDENCE = 0.7;

    private final int threads;
    private final Workers workers;
    private final Map<Integer, TextDetector> detectors = new HashMap<>();
    private final NetworkMeter detected = TextDetector.meter();
    private final NetworkMeter recognised = TextRecogniser.meter();
    private final AtomicLong nanos = new AtomicLong();
    private @Nullable TextRecogniser recogniser;

    /**
     * The models are loaded from the class path with the first image.
     *
     * @param threads threads that work on one image
     */
    public ScreenReader(int threads) {
        this.threads = threads;
        workers = new Workers("ocr", threads);
    }

    /** Whether the models were loaded. */
    public synchronized boolean loaded() {
        return recogniser != null;
    }

    private synchronized TextRecogniser recogniser() {
        if (recogniser == null) {
            recognised.loading();
            recogniser = new TextRecogniser(recognised);
        }
        return recogniser;
    }

    private synchronized TextDetector detector(int count) {
        detected.loading();
        return detectors.computeIfAbsent(count, threadsOfOne -> new TextDetector(threadsOfOne, detected));
    }

    /**
     * The texts on images, in order, each one line a row of the screen, pieces of a row parted by a space. A single image is read by all
     * threads, of many each by a thread of its own, which is the faster way.
     *
     * @throws PrpfException 65, naming file and sample, if one is missing, no image, wider or higher than 10,000 pixels, or of more than
     *     40 million
     */
    public List<String> texts(List<ImageFile> images) {
        recogniser();
        detector(images.size() == 1 ? threads : 1);
        long start = System.nanoTime();
        try {
            return images.size() == 1
                    ? List.of(text(images.get(0).read()))
                    : workers.map(images, this::textOnOneThread);
        } finally {
            nanos.addAndGet(System.nanoTime() - start);
        }
    }

    /** See {@link NetworkMeter#countEarly}. */
    public void countEarly() {
        detected.countEarly();
        recognised.countEarly();
    }

    /** Floating-point operations of both networks so far, {@link NetworkMeter#flops}. */
    public double flops() {
        return detected.flops() + recognised.flops();
    }

    /** How long images were read so far, the loading of the networks left out. */
    public double seconds() {
        return nanos.get() / 1e9;
    }

    String text(Pixels image) {
        return text(rows(image));
    }

    private String textOnOneThread(ImageFile image) {
        return text(
                rows(image.read(), 1, (boxes, work) -> boxes.stream().map(work).toList()));
    }

    /** The lines of an image in reading order: rows top to bottom, within a row left to right. */
    List<List<TextLine>> rows(Pixels image) {
        return rows(image, threads, workers::map);
    }

    private static String text(List<List<TextLine>> rows) {
        return rows.stream()
                .map(row -> row.stream().map(TextLine::text).collect(Collectors.joining(" ")))
                .collect(Collectors.joining("\n"));
    }

    /** How an image's lines are read, each alone: batches of lines of one width are a tenth slower (benchmarks/encoding). */
    private interface Reading {
        List<TextLine> map(List<Pixels.Box> boxes, Function<Pixels.Box, TextLine> work);
    }

    private List<List<TextLine>> rows(Pixels image, int count, Reading reading) {
        TextRecogniser words = recogniser();
        List<TextLine> lines = reading.map(detector(count).boxes(image), box -> words.read(image, box)).stream()
                .filter(line -> !line.text().isEmpty() && line.confidence() >= MIN_CONFIDENCE)
                .toList();
        return TextLine.rows(lines);
    }

    @Override
    public synchronized void close() {
        workers.close();
        detectors.values().forEach(TextDetector::close);
        if (recogniser != null) {
            recogniser.close();
        }
    }
}

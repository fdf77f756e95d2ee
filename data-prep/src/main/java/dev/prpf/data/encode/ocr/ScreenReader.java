package dev.prpf.data.encode.ocr;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.ocr.TextRecogniser.TextLine;
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
 * Recognises the text on a screenshot with PP-OCRv4 (PaddlePaddle, Apache-2.0) in ONNX Runtime: detector and recogniser, without
 * angle classifier, because a screen's text is upright. Thread-safe.
 */
public final class ScreenReader implements AutoCloseable {
    /** Id of weights and rules; part of the key of every stored text. */
    public static final String ID =
            "pp-ocrv4-" + TextDetector.WEIGHTS.shortHash() + "-" + TextRecogniser.WEIGHTS.shortHash() + "-rules1";

    /** Text of lower confidence is treated as icons and ornaments. */
    private static final double MIN_CONFIDENCE = 0.7;

    private final int threads;
    private final Workers workers;
    private final Map<Integer, TextDetector> detectors = new HashMap<>();
    private final NetworkMeter detected = TextDetector.meter();
    private final NetworkMeter recognised = TextRecogniser.meter();
    private final AtomicLong nanos = new AtomicLong();
    private @Nullable TextRecogniser recogniser;

    /**
     * Creates a reader; the first image loads the models from the class path.
     *
     * @param threads threads that work on one image
     */
    public ScreenReader(int threads) {
        this.threads = threads;
        workers = new Workers("ocr", threads);
    }

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
     * Returns the texts on images in order, one line per row of the screen, with spaces between the parts of a row. All threads
     * read a single image; of several images each thread reads one, which is faster.
     *
     * @throws PrpfException 65, naming file and sample, if an image is missing, invalid, over 10,000 pixels a side or over 40
     *     million pixels
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

    /** Counts operations early, see {@link NetworkMeter#countEarly}. */
    public void countEarly() {
        detected.countEarly();
        recognised.countEarly();
    }

    /** Returns the floating-point operations of both networks so far, {@link NetworkMeter#flops}. */
    public double flops() {
        return detected.flops() + recognised.flops();
    }

    /** Returns the seconds spent on reading so far, without loading the networks. */
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

    /** Returns the lines of an image in reading order: rows top to bottom, within a row left to right. */
    List<List<TextLine>> rows(Pixels image) {
        return rows(image, threads, workers::map);
    }

    private static String text(List<List<TextLine>> rows) {
        return rows.stream()
                .map(row -> row.stream().map(TextLine::text).collect(Collectors.joining(" ")))
                .collect(Collectors.joining("\n"));
    }

    /** Maps an image's lines one by one; batches of lines of one width are a tenth slower (benchmarks/encoding). */
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

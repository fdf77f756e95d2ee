package dev.prpf.data.encode;

import dev.prpf.data.run.PrpfException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Reads the text on a screenshot: PP-OCRv4 (PaddlePaddle, Apache-2.0) by ONNX Runtime, detector and recogniser, no angle classifier
 * (a screen's text stands upright). Safe for use by several threads.
 */
public final class ScreenReader implements AutoCloseable {
    /** Names weights and rules; part of the key of every stored reading. */
    public static final String ID = "pp-ocrv4-" + ModelResource.OCR_DETECTOR.shortHash() + "-"
            + ModelResource.OCR_RECOGNISER.shortHash() + "-rules1";

    /** Readings less sure than this are taken for icons and ornaments. */
    private static final double MIN_CONFIDENCE = 0.7;

    private final TextDetector detector;
    private final TextRecogniser recogniser;
    private final Workers workers;

    private ScreenReader(int threads, DetectionScale scale) {
        detector = new TextDetector(threads, scale);
        recogniser = new TextRecogniser(1);
        workers = new Workers("ocr", threads);
    }

    /**
     * Loads the models from the class path.
     *
     * @param threads threads that work on one picture
     */
    public static ScreenReader load(int threads) {
        return load(threads, DetectionScale.DEFAULT);
    }

    static ScreenReader load(int threads, DetectionScale scale) {
        return new ScreenReader(threads, scale);
    }

    /**
     * The lines of a picture in reading order: rows top to bottom, within a row left to right.
     *
     * @throws PrpfException 65, naming the file, if it is missing, no picture, wider or higher than 10,000 pixels, or of more than
     *     40 million
     */
    public List<TextLine> lines(Path picture) {
        return rows(Raster.read(picture)).stream().flatMap(List::stream).toList();
    }

    /**
     * The text of a picture, one line a row of the screen, pieces of a row parted by a space.
     *
     * @throws PrpfException as {@link #lines}
     */
    public String text(Path picture) {
        return text(Raster.read(picture));
    }

    String text(Raster picture) {
        return rows(picture).stream()
                .map(row -> row.stream().map(TextLine::text).collect(Collectors.joining(" ")))
                .collect(Collectors.joining("\n"));
    }

    private List<List<TextLine>> rows(Raster picture) {
        List<Raster.Box> boxes = detector.boxes(picture);
        List<TextLine> lines = workers.map(boxes, box -> line(picture, box)).stream()
                .filter(line -> !line.text().isEmpty() && line.confidence() >= MIN_CONFIDENCE)
                .toList();
        return ReadingOrder.rows(lines);
    }

    private TextLine line(Raster picture, Raster.Box box) {
        TextRecogniser.Reading reading = recogniser.read(picture, box);
        return new TextLine(
                reading.text(),
                reading.confidence(),
                (int) Math.round(box.x()),
                (int) Math.round(box.y()),
                (int) Math.round(box.width()),
                (int) Math.round(box.height()));
    }

    @Override
    public void close() {
        workers.close();
        recogniser.close();
        detector.close();
    }
}

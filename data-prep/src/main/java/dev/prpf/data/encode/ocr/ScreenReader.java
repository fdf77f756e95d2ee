package dev.prpf.data.encode.ocr;

import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.image.Picture;
import dev.prpf.data.encode.image.Raster;
import dev.prpf.data.onnx.Workers;
import java.nio.file.Path;
import java.util.List;
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

    private final TextDetector detector;
    private final TextRecogniser recogniser;
    private final Workers workers;
    private final DetectionScale scale;
    private @Nullable TextDetector oneThreadDetector;

    private ScreenReader(int threads, DetectionScale scale) {
        detector = new TextDetector(threads, scale);
        this.scale = scale;
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
        Raster raster = Raster.read(picture);
        return rows(raster, detector, workers::map).stream()
                .flatMap(List::stream)
                .toList();
    }

    /**
     * The text of a picture, one line a row of the screen, pieces of a row parted by a space.
     *
     * @throws PrpfException as {@link #lines}
     */
    public String text(Path picture) {
        return text(Raster.read(picture));
    }

    /**
     * The texts on images, in order: a single one is read by all threads, of many each by a thread of its own.
     *
     * @throws PrpfException as {@link #lines}, naming the sample too
     */
    public List<String> texts(List<Picture> pictures) {
        if (pictures.size() == 1) {
            String text = pictures.get(0).with(file -> text(file));
            return List.of(text);
        }
        return workers.map(pictures, picture -> picture.with(this::textOnOneThread));
    }

    String text(Raster picture) {
        return text(rows(picture, detector, workers::map));
    }

    /**
     * {@link #text(Path)} by the calling thread alone: where many pictures wait, one picture a thread is the faster way.
     *
     * @throws PrpfException as {@link #lines}
     */
    String textOnOneThread(Path picture) {
        return text(rows(Raster.read(picture), oneThreadDetector(), ScreenReader::oneByOne));
    }

    private synchronized TextDetector oneThreadDetector() {
        if (oneThreadDetector == null) {
            oneThreadDetector = new TextDetector(1, scale);
        }
        return oneThreadDetector;
    }

    private static List<TextLine> oneByOne(List<Raster.Box> boxes, Function<Raster.Box, TextLine> work) {
        return boxes.stream().map(work).toList();
    }

    private static String text(List<List<TextLine>> rows) {
        return rows.stream()
                .map(row -> row.stream().map(TextLine::text).collect(Collectors.joining(" ")))
                .collect(Collectors.joining("\n"));
    }

    /** How the lines of a picture are worked off, each alone: batches of lines of one width are a tenth slower (benchmarks/encoding). */
    private interface Reading {
        List<TextLine> map(List<Raster.Box> boxes, Function<Raster.Box, TextLine> work);
    }

    private List<List<TextLine>> rows(Raster picture, TextDetector by, Reading reading) {
        List<TextLine> lines = reading.map(by.boxes(picture), box -> line(picture, box)).stream()
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
    public synchronized void close() {
        workers.close();
        recogniser.close();
        detector.close();
        if (oneThreadDetector != null) {
            oneThreadDetector.close();
        }
    }
}

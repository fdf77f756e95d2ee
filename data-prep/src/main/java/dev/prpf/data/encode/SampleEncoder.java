package dev.prpf.data.encode;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Frame;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.TextTrajectory;
import dev.prpf.data.run.Progress;
import dev.prpf.data.run.PrpfException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Samples to {@link SampleFeatures}: profile, phone, world and every step through the frozen encoders, each content once. What the
 * store has is taken from there; the models are loaded only when something is missing.
 */
public final class SampleEncoder implements AutoCloseable {
    /** Samples between two lines of progress. */
    static final int CHUNK = 64;

    private final StoredTextEncoder texts;
    private final StoredScreenReader screens;

    private SampleEncoder(StoredTextEncoder texts, StoredScreenReader screens) {
        this.texts = texts;
        this.screens = screens;
    }

    /** Opens the stores; loads nothing else yet. */
    public static SampleEncoder open(EncoderSettings settings) {
        StoredTextEncoder texts = StoredTextEncoder.open(settings);
        return new SampleEncoder(texts, StoredScreenReader.open(settings));
    }

    /**
     * As {@link #open}, for a stream whose texts come one by one: the threads work on one text together instead of each on its own. The
     * vectors and the stores are the same.
     */
    public static SampleEncoder openForStream(EncoderSettings settings) {
        return new SampleEncoder(StoredTextEncoder.openForSingleTexts(settings), StoredScreenReader.open(settings));
    }

    /** See {@link TextEncoder#id()}. */
    public String textEncoderId() {
        return texts.id();
    }

    /** See {@link FrameEncoder#id()}. */
    public String frameEncoderId() {
        return OcrFrameEncoder.idOver(texts.id());
    }

    /** Floats a vector, E. */
    public int width() {
        return texts.width();
    }

    /** How many of the texts that had to be encoded exceeded the encoder's 512 tokens. */
    public long shortened() {
        return texts.shortened();
    }

    /** The vectors of pictures by their text, in order, shape (N, E), through the same stores. */
    public float[][] encodePictures(List<Path> pictures) {
        return encodeTexts(pictures.stream().map(screens::text).toList());
    }

    /** How many texts went through the encoder, what the store had not counted. */
    public long encoded() {
        return texts.encoded();
    }

    /** How many tokens went through the text encoder, special ones included. */
    public long tokens() {
        return texts.tokens();
    }

    /** How many pictures were read, what the store had not counted. */
    public long picturesRead() {
        return screens.read();
    }

    /** Whether a model had to be loaded. */
    boolean loaded() {
        return texts.loaded() || screens.loaded();
    }

    /**
     * The features of samples, in order; missing encodings are made and stored on the way.
     *
     * @throws PrpfException 65, naming the sample, if it has no step or a picture cannot be read
     */
    public List<SampleFeatures> encode(List<Sample> samples, ScenarioCatalog catalog) {
        try (Progress progress = Progress.start("encoding samples", samples.size())) {
            for (int from = 0; from < samples.size(); from += CHUNK) {
                List<Sample> chunk = samples.subList(from, Math.min(samples.size(), from + CHUNK));
                fill(chunk);
                progress.stepBy(chunk.size());
            }
        }
        Map<String, float[]> vectors = texts.vectors(texts(samples));
        return samples.stream()
                .map(sample -> features(sample, catalog, vectors))
                .toList();
    }

    /** Makes and stores what the samples need and the store lacks. */
    public void fill(List<Sample> samples) {
        screens.readAll(samples);
        texts.fill(texts(samples));
    }

    /** The text on a picture, read once and kept. */
    public String screenText(Frame.Screenshot frame) {
        return screens.text(frame);
    }

    /** The text on a picture wherever it lies, found by its bytes. */
    public String screenText(Path picture) {
        return screens.text(picture);
    }

    /** The vectors of texts, in order, shape (N, E), through the same store. */
    public float[][] encodeTexts(List<String> list) {
        Set<String> distinct = new LinkedHashSet<>(list);
        texts.fill(distinct);
        Map<String, float[]> vectors = texts.vectors(distinct);
        return list.stream().map(text -> vector(vectors, text)).toArray(float[][]::new);
    }

    private Set<String> texts(List<Sample> samples) {
        Set<String> all = new LinkedHashSet<>();
        for (Sample sample : samples) {
            all.addAll(contextTexts(sample.context()));
            all.addAll(stepTexts(sample));
        }
        return all;
    }

    private static List<String> contextTexts(DeviceContext context) {
        return List.of(context.profile(), context.phone(), context.world());
    }

    private List<String> stepTexts(Sample sample) {
        if (sample.trajectory() instanceof TextTrajectory told) {
            return told.steps();
        }
        return ((ScreenTrajectory) sample.trajectory())
                .frames().stream().map(this::frameText).toList();
    }

    private String frameText(Frame frame) {
        return frame instanceof Frame.Caption caption ? caption.text() : screens.text((Frame.Screenshot) frame);
    }

    private SampleFeatures features(Sample sample, ScenarioCatalog catalog, Map<String, float[]> vectors) {
        List<String> steps = stepTexts(sample);
        if (steps.isEmpty()) {
            throw PrpfException.badData("sample " + sample.id()
                    + " has an empty trajectory, at least one step is needed; `data validate` lists such records");
        }
        return new SampleFeatures(
                sample.id(),
                rows(contextTexts(sample.context()), vectors),
                rows(steps, vectors),
                screenshots(sample),
                sample.labelled() ? sample.wantsIntervention() : null,
                sample.labelled() ? catalog.labelsOf(sample) : null);
    }

    private static boolean[] screenshots(Sample sample) {
        boolean[] flags = new boolean[sample.trajectory().length()];
        if (sample.trajectory() instanceof ScreenTrajectory shown) {
            for (int t = 0; t < flags.length; t++) {
                flags[t] = shown.frames().get(t) instanceof Frame.Screenshot;
            }
        }
        return flags;
    }

    private static float[][] rows(List<String> texts, Map<String, float[]> vectors) {
        List<float[]> rows = new ArrayList<>();
        texts.forEach(text -> rows.add(vector(vectors, text)));
        return rows.toArray(float[][]::new);
    }

    private static float[] vector(Map<String, float[]> vectors, String text) {
        float[] vector = vectors.get(text);
        if (vector == null) {
            throw new IllegalStateException("a text was not encoded: " + text);
        }
        return vector;
    }

    @Override
    public void close() {
        texts.close();
        screens.close();
    }
}

package dev.prpf.data.encode;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.Progress;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Frame;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.TextTrajectory;
import dev.prpf.data.encode.image.ClipFrameEncoder;
import dev.prpf.data.encode.image.FrameEncoder;
import dev.prpf.data.encode.image.Picture;
import dev.prpf.data.encode.image.PictureKeys;
import dev.prpf.data.encode.store.EmbeddingStore;
import dev.prpf.data.encode.text.TextEncoder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Samples to {@link SampleFeatures}: profile, phone, world and every step through the frozen encoders, each content once. What the
 * store has is taken from there; the models are loaded only when something is missing.
 */
public final class SampleEncoder implements AutoCloseable {
    /** Samples between two looks at progress and signals. */
    private static final int CHUNK = 16;

    private final StoredTextEncoder texts;
    private final StoredScreenReader screens;
    private final PictureFolder pictures;
    private final FrameEncoder frames;
    private final @Nullable StoredFrameEncoder seen;
    private final @Nullable ClipFrameEncoder clip;

    private SampleEncoder(EncoderSettings settings, StoredTextEncoder texts) {
        FrameEncoderChoice choice = FrameEncoderChoice.parse(settings.frameEncoder());
        PictureKeys keys = new PictureKeys();
        clip = choice.clip() == null ? null : ClipFrameEncoder.open(choice.clip(), settings.threads());
        pictures = new PictureFolder(settings.images());
        this.texts = texts;
        screens = StoredScreenReader.open(settings, keys);
        FrameEncoder read = new OcrFrameEncoder(screens, texts);
        if (clip == null) {
            seen = null;
            frames = read;
        } else {
            EmbeddingStore store = EmbeddingStore.open(settings.store(), clip.id(), clip.width());
            seen = new StoredFrameEncoder(clip, store, keys, settings.threads());
            boolean both = choice.kind() == FrameEncoderChoice.Kind.BOTH;
            frames = both ? new ConcatenatedFrameEncoder(List.of(read, seen)) : seen;
        }
    }

    /**
     * Opens the stores; loads nothing else yet.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if the frame encoder's weights are missing; 65 if a store belongs to another encoder
     */
    public static SampleEncoder open(EncoderSettings settings) {
        return new SampleEncoder(settings, StoredTextEncoder.open(settings));
    }

    /**
     * As {@link #open}, for a stream whose texts come one by one: the threads work on one text together instead of each on its own. The
     * vectors and the stores are the same.
     */
    public static SampleEncoder openForStream(EncoderSettings settings) {
        return new SampleEncoder(settings, StoredTextEncoder.openForSingleTexts(settings));
    }

    /** See {@link TextEncoder#id()}. */
    public String textEncoderId() {
        return texts.id();
    }

    /** See {@link FrameEncoder#id()}. */
    public String frameEncoderId() {
        return frames.id();
    }

    /** The encoder of screenshots, through its stores; closed with this. */
    public FrameEncoder frameEncoder() {
        return frames;
    }

    /** The CLIP tower behind {@link #frameEncoder()}, or null where there is none. */
    public @Nullable ClipFrameEncoder clip() {
        return clip;
    }

    /** Floats a vector, E: the wider one of text and frame encoder; the other one's vectors end in zeros. */
    public int width() {
        return Math.max(texts.width(), frames.width());
    }

    /** How many of the texts that had to be encoded exceeded the encoder's 512 tokens. */
    public long shortened() {
        return texts.shortened();
    }

    /** The vectors of pictures, in order, shape (N, E), through the same stores. */
    public float[][] encodePictures(List<Path> files) {
        return padded(frames.encode(files.stream().map(Picture::of).toList()));
    }

    /** How many texts went through the encoder, what the store had not counted. */
    public long encoded() {
        return texts.encoded();
    }

    /** How many tokens went through the text encoder, special ones included. */
    public long tokens() {
        return texts.tokens();
    }

    /** How many pictures were read or seen, what the store had not counted. */
    public long picturesRead() {
        return Math.max(screens.read(), seen == null ? 0 : seen.encoded());
    }

    /** Whether a model had to be loaded. */
    boolean loaded() {
        return texts.loaded() || screens.loaded() || (clip != null && clip.loaded());
    }

    /**
     * The features of samples, in order; missing encodings are made and stored on the way.
     *
     * @throws PrpfException 65, naming the sample, if it has no step or a picture cannot be read; if one is missing, before anything is
     *     encoded
     */
    public List<SampleFeatures> encode(List<Sample> samples, ScenarioCatalog catalog) {
        return encode(samples, catalog, ContextUnit.TEXT);
    }

    /**
     * As {@link #encode(List, ScenarioCatalog)}, with other units of the context.
     *
     * @param unit what of the context gets a vector of its own
     */
    public List<SampleFeatures> encode(List<Sample> samples, ScenarioCatalog catalog, ContextUnit unit) {
        return encode(samples, catalog, unit, () -> {});
    }

    /**
     * As {@link #encode(List, ScenarioCatalog, ContextUnit)}.
     *
     * @param beforeChunk runs before every few samples; what it throws ends the encoding, and the store keeps what was made so far
     */
    public List<SampleFeatures> encode(
            List<Sample> samples, ScenarioCatalog catalog, ContextUnit unit, Runnable beforeChunk) {
        samples.forEach(pictures::requirePictures);
        try (Progress progress = Progress.start("encoding samples", samples.size())) {
            for (int from = 0; from < samples.size(); from += CHUNK) {
                beforeChunk.run();
                List<Sample> chunk = samples.subList(from, Math.min(samples.size(), from + CHUNK));
                fill(chunk, unit);
                progress.stepBy(chunk.size());
            }
        }
        Map<String, float[]> vectors = texts.vectors(texts(samples, unit));
        return samples.stream()
                .map(sample -> features(sample, catalog, unit, vectors))
                .toList();
    }

    /**
     * Makes and stores what the samples need and the store lacks.
     *
     * @param unit what of the context gets a vector of its own
     */
    public void fill(List<Sample> samples, ContextUnit unit) {
        frames.encode(samples.stream().flatMap(pictures::picturesOf).toList());
        texts.fill(texts(samples, unit));
    }

    /** Texts cut into pieces that take some seconds each; what is done of them is stored piece by piece. */
    public static List<List<String>> pieces(List<String> texts) {
        return StoredTextEncoder.pieces(texts);
    }

    /** The text on a picture, read once and kept. */
    public String screenText(Frame.Screenshot frame) {
        return screenText(pictures.resolve(frame.picture()));
    }

    /** The text on a picture wherever it lies, found by its bytes. */
    public String screenText(Path picture) {
        return screens.texts(List.of(Picture.of(picture))).get(0);
    }

    /** The vectors of texts, in order, shape (N, E), through the same store. */
    public float[][] encodeTexts(List<String> list) {
        return padded(texts.encode(list));
    }

    /** The vectors of one context text, shape (N, E), through the same store. */
    public float[][] encodeContext(String text, ContextUnit unit) {
        return encodeTexts(unit.parts(text));
    }

    private float[][] padded(float[][] vectors) {
        for (int i = 0; i < vectors.length; i++) {
            vectors[i] = padded(vectors[i]);
        }
        return vectors;
    }

    private float[] padded(float[] vector) {
        return vector.length == width() ? vector : Arrays.copyOf(vector, width());
    }

    private static Set<String> texts(List<Sample> samples, ContextUnit unit) {
        Set<String> all = new LinkedHashSet<>();
        for (Sample sample : samples) {
            contextTexts(sample.context()).forEach(text -> all.addAll(unit.parts(text)));
            all.addAll(stepTexts(sample));
        }
        return all;
    }

    private static List<String> contextTexts(DeviceContext context) {
        return List.of(context.profile(), context.phone(), context.world());
    }

    /** The steps that are told in words. */
    private static List<String> stepTexts(Sample sample) {
        if (sample.trajectory() instanceof TextTrajectory told) {
            return told.steps();
        }
        return ((ScreenTrajectory) sample.trajectory())
                .frames().stream()
                        .filter(Frame.Caption.class::isInstance)
                        .map(frame -> ((Frame.Caption) frame).text())
                        .toList();
    }

    private SampleFeatures features(
            Sample sample, ScenarioCatalog catalog, ContextUnit unit, Map<String, float[]> vectors) {
        if (sample.trajectory().length() == 0) {
            throw new InvalidDataException("sample " + sample.id()
                    + " has an empty trajectory, at least one step is needed; `data validate` lists such records");
        }
        boolean[] screenshot = screenshots(sample);
        return new SampleFeatures(
                sample.id(),
                context(sample.context(), unit, vectors),
                steps(sample, screenshot, vectors),
                screenshot,
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

    /** Shape (T, E), pictures and texts in the order of the trajectory. */
    private float[][] steps(Sample sample, boolean[] screenshot, Map<String, float[]> vectors) {
        Iterator<float[]> seen = Arrays.asList(
                        frames.encode(pictures.picturesOf(sample).toList()))
                .iterator();
        Iterator<String> told = stepTexts(sample).iterator();
        float[][] rows = new float[screenshot.length][];
        for (int t = 0; t < rows.length; t++) {
            rows[t] = screenshot[t] ? padded(seen.next()) : vector(vectors, told.next());
        }
        return rows;
    }

    /** Shape (3, N, E). */
    private float[][][] context(DeviceContext context, ContextUnit unit, Map<String, float[]> vectors) {
        return contextTexts(context).stream()
                .map(text -> rows(unit.parts(text), vectors))
                .toArray(float[][][]::new);
    }

    private float[][] rows(List<String> texts, Map<String, float[]> vectors) {
        return texts.stream().map(text -> vector(vectors, text)).toArray(float[][]::new);
    }

    private float[] vector(Map<String, float[]> vectors, String text) {
        float[] vector = vectors.get(text);
        if (vector == null) {
            throw new IllegalStateException("a text was not encoded: " + text);
        }
        return padded(vector);
    }

    @Override
    public void close() {
        texts.close();
        screens.close();
        frames.close();
    }
}

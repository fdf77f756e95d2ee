package dev.prpf.data.encode;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import dev.prpf.data.encode.image.ImageEncoderProvider.ImageTower;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.ImageKeys;
import dev.prpf.data.encode.ocr.ScreenReader;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.encode.store.EmbeddingStore;
import dev.prpf.data.encode.store.EmbeddingStore.StorePlace;
import dev.prpf.data.encode.text.OnnxTextEncoder;
import dev.prpf.data.encode.text.TextEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Encodes samples to {@link SampleFeatures}: profile, phone, world and every step, each content once. Stored encodings are
 * reused; models are loaded only if an encoding is missing.
 */
public final class SampleEncoder implements AutoCloseable {
    /** Samples between two checks of progress and signals. */
    private static final int CHUNK = 16;
    /** Characters encoded between two writes to the store, some seconds of work. */
    private static final int PIECE = 1 << 14;
    /** Screenshots per thread between two writes to the store. */
    private static final int SCREENS = 4;

    private final OnnxTextEncoder textEncoder;
    private final OnnxTextEncoder inParts;
    private final ScreenReader reader;
    private final StoredEncodings<String, float[]> texts;
    private final StoredEncodings<ImageFile, String> screens;
    private final ImageKeys keys;
    private final ImageFolder images;
    private final ImageEncoder imageEncoder;
    private final StorePlace place;
    private final Path store;
    private final @Nullable StopSignal signal;

    private SampleEncoder(
            EncoderSettings settings, StorePlace place, boolean singleTexts, @Nullable StopSignal signal) {
        this.place = place;
        this.store = settings.store();
        this.signal = signal;
        OnnxTextEncoder.Running running =
                new OnnxTextEncoder.Running(settings.precision(), settings.longText(), settings.threads(), singleTexts);
        textEncoder = new OnnxTextEncoder(settings.textEncoderSpec(), running);
        inParts = textEncoder.shared();
        reader = new ScreenReader(settings.threads());
        keys = new ImageKeys(settings.threads());
        images = new ImageFolder(settings.images());
        texts = new StoredEncodings<>(
                EmbeddingStore.ofVectors(place, textEncoder.id(), textEncoder.width()),
                list -> list.stream().map(ContentKey::of).toList(),
                SampleEncoder::pieces,
                list -> Arrays.asList(textEncoder.encode(list)));
        screens = new StoredEncodings<>(
                EmbeddingStore.ofTexts(place, ScreenReader.ID),
                keys::of,
                list -> StoredEncodings.pieces(list, image -> 1, SCREENS * settings.threads()),
                reader::texts);
        try {
            imageEncoder = ImageEncoderChoice.parse(settings.frameEncoder())
                    .open(new ImageEncoderChoice.Parts(settings, place, textEncoder, texts, screens, keys));
        } catch (RuntimeException e) {
            closeStores();
            throw e;
        }
    }

    /**
     * Opens the stores; models are loaded later.
     *
     * @throws PrpfException 69 if an encoder's files are missing; 65 if a store belongs to another encoder
     */
    public static SampleEncoder open(EncoderSettings settings) {
        return open(settings, false, null);
    }

    private static SampleEncoder open(EncoderSettings settings, boolean singleTexts, @Nullable StopSignal signal) {
        return new SampleEncoder(settings, new StorePlace.Folder(settings.store()), singleTexts, signal);
    }

    /** Opens an encoder that fails with 75 after a signal; finished encodings stay in the store. */
    public static SampleEncoder open(EncoderSettings settings, StopSignal signal) {
        return open(settings, false, signal);
    }

    /** Opens an encoder for a stream of single texts: all threads work on one text. Vectors and stores are the same as of {@link #open}. */
    public static SampleEncoder openForStream(EncoderSettings settings) {
        return open(settings, true, null);
    }

    /**
     * Opens an encoder like {@link #openForStream} for a server: no content is written to disk, the settings' store is not used,
     * and no progress is shown.
     *
     * @param memory the store of each encoder's encodings
     */
    public static SampleEncoder openInMemory(EncoderSettings settings, StorePlace.Memory memory) {
        return new SampleEncoder(settings, memory, true, null);
    }

    /** Returns the text encoder for another use, without store and with separate counts; usable until this is closed. */
    public OnnxTextEncoder sharedTextEncoder() {
        return textEncoder.shared();
    }

    /** Returns the text encoder's {@link OnnxTextEncoder#id()}. */
    public String textEncoderId() {
        return textEncoder.id();
    }

    /** Returns the image encoder's {@link ImageEncoder#id()}. */
    public String imageEncoderId() {
        return imageEncoder.id();
    }

    /** Returns the image encoder, which is closed with this encoder. */
    public ImageEncoder imageEncoder() {
        return imageEncoder;
    }

    /** Returns E, the floats per vector: the larger width of text and image encoder. Shorter vectors are padded with zeros. */
    public int width() {
        return Math.max(textEncoder.width(), imageEncoder.width());
    }

    /** Returns the number of encoded texts that exceeded the text encoder's tokens. */
    public long truncated() {
        return textEncoder.truncated();
    }

    /** Returns the vectors of images in order, shape (N, E), using the stores. */
    public float[][] encodeImages(List<Path> files) {
        return padded(imageEncoder.encode(files.stream().map(ImageFile::of).toList()));
    }

    /** Returns the number of texts that were encoded, without texts from the store. */
    public long encoded() {
        return texts.encoded();
    }

    /** Returns the number of tokens that the text encoder processed, special tokens included. */
    public long tokens() {
        return textEncoder.tokens();
    }

    /** Returns the folder of the samples' images. */
    public ImageFolder images() {
        return images;
    }

    /** Returns the number of images that were recognized or encoded, without images from the store. */
    public long imagesRead() {
        return Math.max(screens.encoded(), imageEncoder.encoded());
    }

    /** Counts operations before networks are loaded, so that {@link #cost} loads no second copy. */
    public void countEarly() {
        textEncoder.countEarly();
        reader.countEarly();
        if (imageEncoder.tower() != null) {
            imageEncoder.tower().countEarly();
        }
    }

    /** Returns the work of the encoders since the start. Without {@link #countEarly}, the first call after work loads the networks again. */
    public EncodingCost cost() {
        ImageTower tower = imageEncoder.tower();
        return new EncodingCost(
                reader.flops() + (tower == null ? 0 : tower.flops()),
                reader.seconds() + (tower == null ? 0 : tower.seconds()),
                textEncoder.flops(),
                textEncoder.seconds());
    }

    /** Returns the number of requested contents that the stores had before this encoder was opened. */
    public long reused() {
        return texts.reused() + screens.reused() + imageEncoder.reused();
    }

    /** Returns whether the text encoder encodes the texts of screenshots. */
    public boolean readsScreens() {
        return imageEncoder.id().contains(ScreenReader.ID);
    }

    boolean loaded() {
        return textEncoder.isLoaded()
                || reader.loaded()
                || (imageEncoder.tower() != null && imageEncoder.tower().loaded());
    }

    /**
     * Returns the features of samples in order; missing encodings are computed and stored. Features read their vectors from the
     * store's file, also after this is closed.
     *
     * @param unit the unit of the context with its own vector
     * @throws PrpfException 65, naming the sample, if it has no step or an unreadable image; a missing image fails before any
     *     encoding; 75 after a signal
     */
    public List<SampleFeatures> encode(List<Sample> samples, ScenarioCatalog catalog, ContextUnit unit) {
        samples.forEach(SampleEncoder::requireSteps);
        samples.forEach(images::requireImages);
        Map<String, Supplier<float[]>> vectors = new HashMap<>(); // across chunks, so that equal texts share one vector
        List<SampleFeatures> features = new ArrayList<>();
        try (Progress progress = place instanceof StorePlace.Memory
                ? Progress.hidden()
                : Progress.start("encoding samples", samples.size())) {
            for (List<Sample> chunk : StoredEncodings.pieces(samples, sample -> 1, CHUNK)) {
                requireNoSignal();
                Iterator<Supplier<float[]>> shown =
                        imageEncoder.encodeLazily(shownIn(chunk)).iterator();
                List<String> added = texts(chunk, unit).stream()
                        .filter(text -> !vectors.containsKey(text))
                        .toList();
                List<Supplier<float[]>> read = texts.getLazily(added);
                for (int i = 0; i < added.size(); i++) {
                    vectors.put(added.get(i), padded(read.get(i)));
                }
                chunk.forEach(sample -> features.add(features(sample, catalog, unit, vectors, shown)));
                progress.stepBy(chunk.size());
            }
        }
        return List.copyOf(features);
    }

    private void requireNoSignal() {
        if (signal != null && signal.requested()) {
            throw new RunInterruptedException("stopped by a signal while the samples were encoded; " + store
                    + " keeps the finished encodings; run the same command again");
        }
    }

    private static void requireSteps(Sample sample) {
        if (sample.trajectory().steps().size() == 0) {
            throw new InvalidDataException("sample " + sample.id()
                    + " has an empty trajectory, at least one step is needed; `data validate` lists such records");
        }
    }

    /**
     * Computes and stores the samples' missing encodings.
     *
     * @param unit the unit of the context with its own vector
     */
    public void fill(List<Sample> samples, ContextUnit unit) {
        imageEncoder.encodeLazily(shownIn(samples));
        texts.fill(List.copyOf(texts(samples, unit)));
    }

    private List<ImageFile> shownIn(List<Sample> samples) {
        return samples.stream().flatMap(images::imagesOf).toList();
    }

    /** Splits texts into pieces that take some seconds each; each piece is stored when it is done. */
    public static List<List<String>> pieces(List<String> texts) {
        return StoredEncodings.pieces(texts, text -> text.length() + 1, PIECE);
    }

    /**
     * Encodes and stores texts in the parts of {@link TextEncoder#encode(List, Consumer)}. The parts run in parallel with other methods.
     *
     * @param missing texts that the store lacks
     */
    public void encodeTexts(List<String> missing, Consumer<Runnable> turn) {
        texts.put(missing, Arrays.asList(inParts.encode(missing, turn)));
    }

    /** Returns the work of all parts since the start, which {@link #cost} excludes. */
    public EncodingCost costOfParts() {
        return new EncodingCost(0, 0, inParts.flops(), inParts.seconds());
    }

    /** Returns the texts of a sample that the store lacks; see {@link #texts}. */
    public List<String> missingTexts(Sample sample, ContextUnit unit) {
        return texts.missing(List.copyOf(texts(sample, unit)));
    }

    /**
     * Returns whether the stores have the results of {@link #see}.
     *
     * @param reading whether the image's text is needed, whatever encodes this text
     */
    public boolean hasSeen(ImageFile image, boolean reading) {
        return (!reading || screens.missing(List.of(image)).isEmpty()) && imageEncoder.hasSeen(image);
    }

    /** Decodes an image, recognizes or encodes it, and stores the result. Encoding its sample then decodes no image. */
    public void see(ImageFile image, boolean reading) {
        if (reading) {
            screens.fill(List.of(image));
        }
        imageEncoder.see(image);
    }

    /** Returns the text on a screenshot, which is recognised once and stored. */
    public String screenText(TraceStep.Screenshot step) {
        return screenText(images.image(step, ""));
    }

    private String screenText(ImageFile image) {
        requireNoSignal();
        return screens.get(List.of(image)).get(0);
    }

    /** Returns the vector of one step, shape (E), using the stores. */
    public float[] encodeStep(TraceStep step) {
        return step instanceof TraceStep.Screenshot shot
                ? padded(imageEncoder.encode(List.of(images.image(shot, ""))))[0]
                : encodeTexts(List.of(((TraceStep.Caption) step).text()))[0];
    }

    /** Returns the vectors of texts in order, shape (N, E), using the store. */
    public float[][] encodeTexts(List<String> list) {
        requireNoSignal();
        return padded(texts.get(list).toArray(float[][]::new));
    }

    /** Returns the vectors of one context text, shape (N, E), using the store. */
    public float[][] encodeContext(String text, ContextUnit unit) {
        return encodeTexts(unit.parts(text));
    }

    private float[][] padded(float[][] vectors) {
        return Arrays.stream(vectors)
                .map(vector -> vector.length == width() ? vector : Arrays.copyOf(vector, width()))
                .toArray(float[][]::new);
    }

    private Supplier<float[]> padded(Supplier<float[]> vector) {
        int width = width();
        return textEncoder.width() == width && imageEncoder.width() == width
                ? vector
                : () -> Arrays.copyOf(vector.get(), width);
    }

    private static Set<String> texts(List<Sample> samples, ContextUnit unit) {
        Set<String> all = new LinkedHashSet<>();
        samples.forEach(sample -> all.addAll(texts(sample, unit)));
        return all;
    }

    /** Returns the distinct texts of a sample in order, without the texts on screenshots. */
    public static Set<String> texts(Sample sample, ContextUnit unit) {
        Set<String> all = new LinkedHashSet<>();
        sample.context().texts().forEach(text -> all.addAll(unit.parts(text)));
        all.addAll(sample.trajectory().texts());
        return all;
    }

    /** @param shown the vectors of screenshots, starting with this sample's */
    private SampleFeatures features(
            Sample sample,
            ScenarioCatalog catalog,
            ContextUnit unit,
            Map<String, Supplier<float[]>> vectors,
            Iterator<Supplier<float[]>> shown) {
        List<TraceStep> trace = sample.trajectory().steps();
        boolean[] screenshot = new boolean[trace.size()];
        List<Supplier<float[]>> steps = new ArrayList<>(screenshot.length);
        for (int t = 0; t < screenshot.length; t++) {
            screenshot[t] = trace.get(t) instanceof TraceStep.Screenshot;
            steps.add(
                    trace.get(t) instanceof TraceStep.Caption caption
                            ? vector(vectors, caption.text())
                            : padded(shown.next()));
        }
        return new SampleFeatures(
                sample.id(),
                sample.context().texts().stream()
                        .map(text -> unit.parts(text).stream()
                                .map(part -> vector(vectors, part))
                                .toList())
                        .toList(),
                steps,
                screenshot,
                sample.labelled() ? sample.wantsIntervention() : null,
                sample.labelled() ? catalog.labelsOf(sample) : null);
    }

    private static Supplier<float[]> vector(Map<String, Supplier<float[]>> vectors, String text) {
        return Objects.requireNonNull(vectors.get(text));
    }

    private void closeStores() {
        keys.close();
        texts.close();
        screens.close();
    }

    @Override
    public void close() {
        closeStores();
        inParts.close();
        textEncoder.close();
        reader.close();
        imageEncoder.close();
    }
}

package dev.prpf.data.encode;

import dev.prpf.base.config.Rule;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.ImageKeys;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.io.SampleReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a sample encoder.
 *
 * @param textEncoder name of a shipped encoder, or {@code dir:PATH} (docs/ENCODERS.md)
 * @param precision number format of the text encoder's weights; int8 only for the two BGE encoders
 * @param longText encoding of texts beyond the encoder's tokens: their beginning (truncate), or the mean of consecutive windows
 * @param frameEncoder encoder of screenshots: ocr reads their text; others in docs/ENCODERS.md
 * @param threads texts or images encoded in parallel
 * @param store folder in which encodings are kept for the next run; created if missing
 * @param images root of the samples' image paths; null if no sample has images
 */
public record EncoderSettings(
        String textEncoder,
        EncoderPrecision precision,
        LongText longText,
        String frameEncoder,
        int threads,
        Path store,
        @Nullable Path images) {
    public EncoderSettings {
        EncoderSpec.requireTextChoice(textEncoder);
        ImageEncoderChoice.parse(frameEncoder);
        Rule.require(threads >= 1, "threads", threads, "at least 1");
    }

    private static final int FEW_THREADS = 2;

    /** Returns the settings for reading texts of screenshots without a trained perceiver. */
    public static EncoderSettings untrained(Path store, @Nullable Path images) {
        return new EncoderSettings(EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS, FEW_THREADS, store, images);
    }

    /** Creates settings with the default encoders. */
    public EncoderSettings(
            EncoderPrecision precision, LongText longText, int threads, Path store, @Nullable Path images) {
        this(ShippedEncoders.DEFAULT, precision, longText, ImageEncoderChoice.DEFAULT, threads, store, images);
    }

    /** Returns a copy with another store and image root; null keeps the current one. */
    public EncoderSettings with(@Nullable Path otherStore, @Nullable Path otherImages) {
        return new EncoderSettings(
                textEncoder,
                precision,
                longText,
                frameEncoder,
                threads,
                otherStore == null ? store : otherStore,
                otherImages == null ? images : otherImages);
    }

    /**
     * Returns the text encoder after checking that its files exist.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if one is missing, with a hint how to get it; 78 if it has no weights of this
     *     precision
     */
    public EncoderSpec textEncoderSpec() {
        EncoderSpec spec = EncoderSpec.ofText(textEncoder);
        spec.requirePresent(precision);
        return spec;
    }

    /**
     * Checks that a sample's images exist, before hours of work.
     *
     * @throws dev.prpf.base.error.PrpfException 65, naming the sample and its first image that is missing or outside the root; 2
     *     if it has images and there is no root
     */
    public void requireImages(Sample sample) {
        new ImageFolder(images).requireImages(sample);
    }

    /**
     * Checks the images of every sample of a file, read one by one.
     *
     * @return number of samples in the file
     */
    public long requireImages(Path file) {
        long count = 0;
        try (SampleReader samples = SampleReader.open(file)) {
            while (samples.hasNext()) {
                requireImages(samples.next());
                count++;
            }
        }
        return count;
    }

    /**
     * Returns the fact of a run that identifies its images: one SHA-256 over the bytes of all image files in order. Empty without
     * files or an image root. Data URLs belong to the records; missing files are skipped here and rejected by
     * {@link #requireImages(Sample)}.
     *
     * @param fact the fact's name
     */
    public Map<String, String> imageFacts(String fact, Path file) {
        if (images == null) {
            return Map.of();
        }
        List<ImageFile> present = new ArrayList<>();
        ImageFolder folder = new ImageFolder(images);
        try (SampleReader samples = SampleReader.open(file)) {
            while (samples.hasNext()) {
                folder.imagesOf(samples.next())
                        .filter(image -> image.file() != null && Files.isRegularFile(image.file()))
                        .forEach(present::add);
            }
        }
        if (present.isEmpty()) {
            return Map.of();
        }
        try (ImageKeys keys = new ImageKeys(threads)) {
            return Map.of(fact, ContentKey.ofAll(keys.of(present)));
        }
    }

    /** The unit of profile, phone and world that gets its own vector. */
    public enum ContextUnit {
        /** The whole text, as in PRPF eq. 3. */
        TEXT,
        /**
         * Each sentence of a text. The vector of a long text hardly reflects one sentence of many. A sentence of several texts is
         * encoded only once.
         */
        SENTENCE;

        /** Ends of sentences: a Chinese full stop, question or exclamation mark or semicolon; a western one with a space; a line end. */
        private static final Pattern END = Pattern.compile("(?<=[。！？；])|(?<=[.!?;])\\s+|\\R");

        /** Returns a text's parts in order, at least one. */
        List<String> parts(String text) {
            if (this == TEXT) {
                return List.of(text);
            }
            List<String> sentences = END.splitAsStream(text)
                    .filter(sentence -> !sentence.isBlank())
                    .map(String::strip)
                    .toList();
            return sentences.isEmpty() ? List.of(text) : sentences;
        }
    }
}

package dev.prpf.data.encode;

import dev.prpf.base.config.Rule;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.ImageKeys;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.LongText;
import dev.prpf.data.encode.spec.Precision;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.io.SampleReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How samples become features.
 *
 * @param textEncoder a name of {@link ShippedEncoders}, or {@code dir:PATH}
 * @param precision the text encoder's arithmetic
 * @param longText what becomes of texts beyond the text encoder's tokens
 * @param frameEncoder what sees the screenshots; see {@link ImageEncoderChoice}
 * @param threads how many texts or images are encoded at once, at least 1
 * @param store folder of the {@link dev.prpf.data.encode.store.EmbeddingStore}s; made when absent
 * @param images root that the image paths of samples are relative to; null where no sample has images
 */
public record EncoderSettings(
        String textEncoder,
        Precision precision,
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

    /** What reads the texts of screenshots where no trained perceiver says how. */
    public static EncoderSettings untrained(Path store, @Nullable Path images) {
        return new EncoderSettings(Precision.INT8, LongText.MEAN_OF_WINDOWS, FEW_THREADS, store, images);
    }

    /** With the default encoders. */
    public EncoderSettings(Precision precision, LongText longText, int threads, Path store, @Nullable Path images) {
        this(ShippedEncoders.DEFAULT, precision, longText, ImageEncoderChoice.DEFAULT, threads, store, images);
    }

    /** With another store and another root of images, where they are given. */
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
     * The text encoder, its files looked for.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if one is missing, saying how to get it; 78 if it has no weights of this precision
     */
    public EncoderSpec textEncoderSpec() {
        EncoderSpec spec = EncoderSpec.ofText(textEncoder);
        spec.requirePresent(precision);
        return spec;
    }

    /**
     * Makes sure that a sample's images are there, for a check of all before hours of work.
     *
     * @throws dev.prpf.base.error.PrpfException 65, naming the sample and the first of its images whose file is missing or lies outside the
     *     root; 2 if it has one and there is no root
     */
    public void requireImages(Sample sample) {
        new ImageFolder(images).requireImages(sample);
    }

    /**
     * As {@link #requireImages(Sample)} of every sample of a file, read one by one.
     *
     * @return how many samples it holds
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
     * What a run's facts hold of the images that its samples name: one SHA-256 over the bytes of all of them in order, so that a run over
     * changed images is not taken for the same (data URLs are the records' own); nothing where they name none or no root of images is set. A missing one is none; {@link
     * #requireImages(Sample)} refuses it.
     *
     * @param fact its name
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
}

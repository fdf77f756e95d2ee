package dev.prpf.data.encode;

import dev.prpf.data.Sample;
import dev.prpf.data.encode.store.EmbeddingStore;
import dev.prpf.data.encode.store.ScreenTextStore;
import dev.prpf.data.encode.text.LongText;
import dev.prpf.data.encode.text.Precision;
import dev.prpf.data.io.SampleReader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How samples become features.
 *
 * @param precision the text encoder's arithmetic
 * @param longText what becomes of texts beyond the encoder's 512 tokens
 * @param frameEncoder what sees the screenshots; see {@link FrameEncoderChoice}
 * @param threads how many texts or pictures are encoded at once, at least 1
 * @param store folder of the {@link EmbeddingStore} and the {@link ScreenTextStore}; made when absent
 * @param images root that the pictures' paths are relative to; null where no sample has pictures
 */
public record EncoderSettings(
        Precision precision, LongText longText, String frameEncoder, int threads, Path store, @Nullable Path images) {
    public EncoderSettings {
        FrameEncoderChoice.parse(frameEncoder);
        if (threads < 1) {
            throw new IllegalArgumentException("threads = " + threads + ", must be at least 1");
        }
    }

    /** With the default frame encoder. */
    public EncoderSettings(Precision precision, LongText longText, int threads, Path store, @Nullable Path images) {
        this(precision, longText, FrameEncoderChoice.DEFAULT, threads, store, images);
    }

    /** With another store and another root of pictures, where they are given. */
    public EncoderSettings with(@Nullable Path otherStore, @Nullable Path otherImages) {
        return new EncoderSettings(
                precision,
                longText,
                frameEncoder,
                threads,
                otherStore == null ? store : otherStore,
                otherImages == null ? images : otherImages);
    }

    /**
     * Makes sure that a sample's pictures are there, for a check of all before hours of work.
     *
     * @throws dev.prpf.base.error.PrpfException 65, naming the sample and the first of its pictures whose file is missing or lies outside the
     *     root; 2 if it has one and there is no root
     */
    public void requirePictures(Sample sample) {
        new PictureFolder(images).requirePictures(sample);
    }

    /**
     * As {@link #requirePictures(Sample)} of every sample of a file, read one by one.
     *
     * @return how many it holds
     */
    public long requirePictures(Path file) {
        long count = 0;
        try (SampleReader samples = SampleReader.open(file)) {
            while (samples.hasNext()) {
                requirePictures(samples.next());
                count++;
            }
        }
        return count;
    }
}

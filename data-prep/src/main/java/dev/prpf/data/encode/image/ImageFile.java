package dev.prpf.data.encode.image;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.image.EncodedImage;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.store.ContentKey;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An image in a file or in memory, and its sample.
 *
 * @param file the path; null in memory
 * @param content the bytes; null in a file
 * @param owner the sample's id for messages; empty without one
 */
public record ImageFile(@Nullable Path file, @Nullable Content content, String owner) {
    /**
     * The unchanged bytes of an image file.
     *
     * @param source returns the bytes
     * @param raster the pixels; null until they are decoded
     * @param key the content key; null until it is needed
     */
    public record Content(Supplier<byte[]> source, @Nullable Pixels raster, @Nullable ContentKey key) {
        public Content(byte[] bytes) {
            this(() -> bytes, null, null);
        }

        public byte[] bytes() {
            return source.get();
        }

        @Override
        public String toString() {
            return EncodedImage.nameOf(bytes());
        }
    }

    public ImageFile {
        if ((file == null) == (content == null)) {
            throw new IllegalArgumentException("an image must have either a file or content");
        }
    }

    /** Creates an image in a file without a sample. */
    public static ImageFile of(Path file) {
        return new ImageFile(file, null, "");
    }

    @Override
    public String toString() {
        return "image " + (content == null ? file : content);
    }

    /**
     * Returns the image's pixels.
     *
     * @throws PrpfException 65, naming image and owner, as {@link Pixels#read}
     */
    public Pixels read() {
        if (content != null && content.raster() != null) {
            return content.raster();
        }
        return with(Pixels::read, Pixels::read);
    }

    /**
     * Returns this image with its pixels, if its bytes are in memory. Reading the result again decodes nothing.
     *
     * @param waiting as in {@link EncodedImage#of(byte[], Runnable)}
     * @throws PrpfException as {@link #read}
     */
    public ImageFile decoded(Runnable waiting) {
        if (content == null || content.raster() != null) {
            return this;
        }
        Pixels pixels =
                with(Pixels::read, bytes -> EncodedImage.of(bytes, waiting).pixels());
        return new ImageFile(null, new Content(content.source(), pixels, content.key()), owner);
    }

    /**
     * Returns the size in the header, without decoding pixels.
     *
     * @throws PrpfException as {@link #read}
     */
    public Pixels.Size size() {
        return with(Pixels::size, Pixels::size);
    }

    /**
     * Returns whether EXIF requests no rotation or mirroring.
     *
     * @throws PrpfException 65, naming image and owner, as {@link EncodedImage#upright}
     */
    public boolean upright() {
        return with(file -> EncodedImage.of(file).upright(), bytes -> EncodedImage.of(bytes)
                .upright());
    }

    /** @throws PrpfException 65, naming file and owner, if the file does not exist */
    public void requirePresent() {
        if (content == null) {
            with(EncodedImage::requirePresent, EncodedImage::nameOf);
        }
    }

    /**
     * Returns an image with its content key, without its bytes: they are decoded from the data URL again when needed.
     *
     * @throws PrpfException as {@link DataUrl#bytes}
     */
    public static ImageFile hashed(String dataUrl) {
        ContentKey key = ImageKeys.ofContent(DataUrl.bytes(dataUrl));
        return new ImageFile(null, new Content(() -> DataUrl.bytes(dataUrl), null, key), "");
    }

    /** @param ofFile returns the key of a file's content */
    ContentKey key(Function<Path, ContentKey> ofFile) {
        return content != null && content.key() != null ? content.key() : with(ofFile, ImageKeys::ofContent);
    }

    /** Applies a function to the file or the content; errors name the owner. */
    private <R> R with(Function<Path, ? extends R> ofFile, Function<byte[], ? extends R> ofContent) {
        try {
            return content == null ? ofFile.apply(Objects.requireNonNull(file)) : ofContent.apply(content.bytes());
        } catch (PrpfException e) {
            throw owner.isEmpty() ? e : e.at("sample " + owner);
        }
    }
}

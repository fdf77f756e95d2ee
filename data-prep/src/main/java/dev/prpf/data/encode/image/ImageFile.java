package dev.prpf.data.encode.image;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.image.EncodedImage;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.store.ContentKey;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An image, in a file or in memory, and whose it is.
 *
 * @param file where it lies; null in memory
 * @param content its bytes; null in a file
 * @param owner the sample it belongs to, for messages; empty where there is none
 */
public record ImageFile(@Nullable Path file, @Nullable Content content, String owner) {
    /**
     * The unchanged bytes of an image file.
     *
     * @param raster its pixels; null until they are decoded
     */
    public record Content(byte[] bytes, @Nullable Pixels raster) {
        public Content(byte[] bytes) {
            this(bytes, null);
        }

        @Override
        public String toString() {
            return EncodedImage.nameOf(bytes);
        }
    }

    public ImageFile {
        if ((file == null) == (content == null)) {
            throw new IllegalArgumentException("an image lies in a file or in memory, one of the two");
        }
    }

    /** An image in a file that belongs to no sample. */
    public static ImageFile of(Path file) {
        return new ImageFile(file, null, "");
    }

    @Override
    public String toString() {
        return "image " + (content == null ? file : content);
    }

    /**
     * Its pixels.
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
     * @throws PrpfException as {@link #read}
     */
    public ImageFile decoded() {
        return content == null ? this : new ImageFile(null, new Content(content.bytes(), read()), owner);
    }

    /**
     * The size that its header tells; its pixels are not decoded.
     *
     * @throws PrpfException as {@link #read}
     */
    public Pixels.Size size() {
        return with(Pixels::size, Pixels::size);
    }

    /**
     * Whether its pixels are stored as they are read: not turned as EXIF says.
     *
     * @throws PrpfException 65, naming image and owner, as {@link EncodedImage#upright}
     */
    public boolean upright() {
        return with(file -> EncodedImage.of(file).upright(), bytes -> EncodedImage.of(bytes)
                .upright());
    }

    /** @throws PrpfException 65, naming file and owner, if it lies in a file that does not exist */
    public void requirePresent() {
        with(EncodedImage::requirePresent, EncodedImage::nameOf);
    }

    /** @param ofFile the key of a file's content */
    ContentKey key(Function<Path, ContentKey> ofFile) {
        return with(ofFile, ImageKeys::ofContent);
    }

    /** An error of the data names the owner too. */
    private <R> R with(Function<Path, ? extends R> ofFile, Function<byte[], ? extends R> ofContent) {
        try {
            return content == null ? ofFile.apply(Objects.requireNonNull(file)) : ofContent.apply(content.bytes());
        } catch (PrpfException e) {
            throw owner.isEmpty() ? e : e.at("sample " + owner);
        }
    }
}

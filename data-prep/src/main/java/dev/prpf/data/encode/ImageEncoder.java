package dev.prpf.data.encode;

import dev.prpf.data.encode.image.ImageEncoderProvider.ImageTower;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.ocr.ScreenReader;
import dev.prpf.data.encode.store.EmbeddingStore.Vectors;
import dev.prpf.data.encode.text.TextEncoder;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/** A frozen encoder of screenshots with its store (f_img of PRPF eq. 2). */
public final class ImageEncoder implements AutoCloseable {
    private final String id;
    private final int width;
    private final @Nullable Tower tower;
    private final @Nullable StoredEncodings<ImageFile, String> screens;
    private final Function<List<ImageFile>, List<Supplier<float[]>>> encoding;

    private ImageEncoder(
            String id,
            int width,
            @Nullable Tower tower,
            @Nullable StoredEncodings<ImageFile, String> screens,
            Function<List<ImageFile>, List<Supplier<float[]>>> encoding) {
        this.id = id;
        this.width = width;
        this.tower = tower;
        this.screens = screens;
        this.encoding = encoding;
    }

    /** A vision encoder and the store of its vectors; both are closed with the image encoder. */
    private record Tower(ImageTower network, StoredEncodings<ImageFile, float[]> stored) {}

    /**
     * Encodes the text on a screenshot: a {@link ScreenReader}, then the text encoder, each with its store. It replaces the CLIP
     * encoder of PRPF section 3.3, which no Maven artefact contains. It does not own its parts.
     */
    static ImageEncoder ofText(
            TextEncoder encoder, StoredEncodings<ImageFile, String> screens, StoredEncodings<String, float[]> texts) {
        String id = ScreenReader.ID + "+" + encoder.id();
        return new ImageEncoder(id, encoder.width(), null, screens, images -> texts.getLazily(screens.get(images)));
    }

    /** Encodes a screenshot with a vision encoder; network and store are closed with the result. */
    static ImageEncoder ofTower(ImageTower network, StoredEncodings<ImageFile, float[]> stored) {
        return new ImageEncoder(network.id(), network.width(), new Tower(network, stored), null, stored::getLazily);
    }

    /** Concatenates the vectors of an image's text and of a vision encoder, each scaled to length 1. */
    static ImageEncoder both(ImageEncoder text, ImageEncoder seen) {
        String id = "both(" + text.id + "|" + seen.id + ")";
        return new ImageEncoder(id, text.width + seen.width, seen.tower, text.screens, images -> {
            List<Supplier<float[]>> first = text.encodeLazily(images);
            List<Supplier<float[]>> second = seen.encodeLazily(images);
            return IntStream.range(0, images.size())
                    .<Supplier<float[]>>mapToObj(i -> () -> ArrayUtils.addAll(
                            Vectors.unit(first.get(i).get()),
                            Vectors.unit(second.get(i).get())))
                    .toList();
        });
    }

    /** Returns the id of weights and version, part of every store key and perceiver checkpoint. */
    public String id() {
        return id;
    }

    /** Returns the length of a vector. */
    public int width() {
        return width;
    }

    /** Returns the vision encoder, or null without one. */
    public @Nullable ImageTower tower() {
        return tower == null ? null : tower.network();
    }

    /**
     * Returns one vector of {@link #width()} finite floats per image, in order; equal images are encoded once. The suppliers read
     * the store, also after {@link #close}.
     *
     * @throws dev.prpf.base.error.PrpfException 65, naming the file, if an image is missing, invalid or too large
     */
    List<Supplier<float[]>> encodeLazily(List<ImageFile> images) {
        return encoding.apply(images);
    }

    /** Returns whether the stores have the text and the vector of an image. */
    boolean hasSeen(ImageFile image) {
        List<ImageFile> one = List.of(image);
        return (screens == null || screens.missing(one).isEmpty())
                && (tower == null || tower.stored().missing(one).isEmpty());
    }

    /** Recognizes an image's text, encodes the image, and stores both. The text is not encoded yet. */
    void see(ImageFile image) {
        List<ImageFile> one = List.of(image);
        if (screens != null) {
            screens.fill(one);
        }
        if (tower != null) {
            tower.stored().fill(one);
        }
    }

    /** Encodes like {@link #encodeLazily} and reads all vectors. */
    public float[][] encode(List<ImageFile> images) {
        return encodeLazily(images).stream().map(Supplier::get).toArray(float[][]::new);
    }

    /** Returns the number of images that a vision encoder's store already had. */
    long reused() {
        return tower == null ? 0 : tower.stored().reused();
    }

    /** Returns the number of images that a vision encoder encoded, without images from its store. */
    long encoded() {
        return tower == null ? 0 : tower.stored().encoded();
    }

    @Override
    public void close() {
        if (tower != null) {
            tower.stored().close();
            tower.network().close();
        }
    }
}

package dev.prpf.data.encode;

import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.ImageTower;
import dev.prpf.data.encode.ocr.ScreenReader;
import dev.prpf.data.encode.store.Vectors;
import dev.prpf.data.encode.text.TextEncoder;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.commons.lang3.ArrayUtils;
import org.jspecify.annotations.Nullable;

/** A frozen encoder of screenshots (f_img of PRPF eq. 2), behind its store. */
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

    /** A vision tower and the store of its vectors; the encoder owns both. */
    private record Tower(ImageTower network, StoredEncodings<ImageFile, float[]> stored) {}

    /**
     * A screenshot as the vector of the text that can be read on it: a {@link ScreenReader}, then the text encoder, both behind their
     * stores. It stands in for the CLIP tower of PRPF section 3.3, whose weights no Maven artefact carries. It owns nothing.
     */
    static ImageEncoder ofText(
            TextEncoder encoder, StoredEncodings<ImageFile, String> screens, StoredEncodings<String, float[]> texts) {
        String id = ScreenReader.ID + "+" + encoder.id();
        return new ImageEncoder(id, encoder.width(), null, screens, images -> texts.getLazily(screens.get(images)));
    }

    /** What a vision tower sees; the encoder owns tower and store. */
    static ImageEncoder ofTower(ImageTower network, StoredEncodings<ImageFile, float[]> stored) {
        return new ImageEncoder(network.id(), network.width(), new Tower(network, stored), null, stored::getLazily);
    }

    /** What is read on an image, and behind it what a tower sees; each part is scaled to length 1. */
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

    /** Names weights and version; part of every key in a store and of every perceiver checkpoint. */
    public String id() {
        return id;
    }

    /** Length of a vector. */
    public int width() {
        return width;
    }

    /** The network that sees pixels, or null where there is none. */
    public @Nullable ImageTower tower() {
        return tower == null ? null : tower.network();
    }

    /**
     * One vector of {@link #width()} finite floats an image, in order; equal images are encoded once. They are read from the store when
     * they are asked for, also after {@link #close}.
     *
     * @throws dev.prpf.base.error.PrpfException 65, naming the file, if one is missing, no image, or too large
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

package dev.prpf.data.encode.image;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A frozen encoder of screenshots (f_img of PRPF eq. 2), behind its store. */
public interface ImageEncoder extends AutoCloseable {
    /** Names weights and version; part of every key in a store and of every perceiver checkpoint. */
    String id();

    /** Length of a vector. */
    int width();

    /**
     * One vector of {@link #width()} finite floats an image, in order; equal images are encoded once. They are read from the store when
     * they are asked for, also after {@link #close}.
     *
     * @throws dev.prpf.base.error.PrpfException 65, naming the file, if one is missing, no image, or too large
     */
    List<Supplier<float[]>> encodeLazily(List<ImageFile> images);

    /** As {@link #encodeLazily}, read. */
    default float[][] encode(List<ImageFile> images) {
        return encodeLazily(images).stream().map(Supplier::get).toArray(float[][]::new);
    }

    /** How many images went through a tower, what its store had not counted. */
    default long encoded() {
        return 0;
    }

    /** The network that sees pixels, or null where there is none. */
    default @Nullable OnnxImageEncoder tower() {
        return null;
    }

    @Override
    void close();
}

package dev.prpf.data.encode.image;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Opens image encoders of engines in other modules, which register their provider in {@code META-INF/services}. The provider of
 * {@code par-serve} uses a reasoner's own vision encoder.
 */
public interface ImageEncoderProvider {
    /** Returns the prefix before the colon in a configuration, such as {@code vision}. */
    String kind();

    /**
     * Opens a vision encoder by its configuration; the first image loads its weights.
     *
     * @param place the model's directory
     * @param threads images encoded at once, if the engine supports it
     * @throws PrpfException 69 if there is no model, 78 if it has no vision encoder, 65 if it is invalid
     */
    ImageTower open(Path place, int threads);

    /**
     * Returns the provider of a kind.
     *
     * @throws PrpfException 69 if no module on the class path has one
     */
    static ImageEncoderProvider of(String kind) {
        return ServiceLoader.load(ImageEncoderProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.kind().equals(kind))
                .findFirst()
                .orElseThrow(() -> new UnavailableException("frame-encoder " + kind
                        + ":PATH needs the module par-serve, which is not on the class path; run it with ./prpf, or"
                        + " use ocr, clip:PATH or siglip:PATH"));
    }

    /** A frozen vision encoder of screenshots, with one vector per image. */
    interface ImageTower extends AutoCloseable {
        /** Returns the id, which names kind, weights and all settings that affect vectors. */
        String id();

        /** Returns the length of a vector. */
        int width();

        /**
         * Encodes images to one vector each, in order, shape (N, W).
         *
         * @throws PrpfException 65, naming the file, if an image is missing, invalid or too large
         */
        float[][] encode(List<ImageFile> images);

        /** Counts operations before weights are loaded, if counting needs a copy of them. */
        void countEarly();

        /** Returns the floating-point operations so far. */
        double flops();

        /** Returns the seconds spent on encoding so far, without loading the network. */
        double seconds();

        boolean loaded();

        @Override
        void close();
    }
}

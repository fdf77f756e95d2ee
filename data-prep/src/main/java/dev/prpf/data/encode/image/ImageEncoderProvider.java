package dev.prpf.data.encode.image;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.nio.file.Path;
import java.util.ServiceLoader;

/**
 * Opens image encoders whose engine this module does not know; a module that has it names its provider in {@code META-INF/services}. The one of {@code
 * par-serve} takes a reasoner's own vision tower.
 */
public interface ImageEncoderProvider {
    /** What stands before the colon in a configuration, as {@code vision}. */
    String kind();

    /**
     * Finds a tower and reads what it is; its weights are loaded with the first image.
     *
     * @param place the model's directory
     * @param threads images encoded at once, where the engine runs several
     * @throws PrpfException 69 if there is no model, 78 if it has no tower, 65 if it cannot be used
     */
    ImageTower open(Path place, int threads);

    /**
     * The provider of a kind.
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
                        + " take ocr, clip:PATH or siglip:PATH"));
    }
}

package dev.prpf.par.vision;

import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.PictureFeatures;
import java.util.List;

/**
 * Encodes as {@link FakePictureEncoder} does, and records the calls.
 *
 * @param events receives {@code seen} whenever features are requested
 */
public record WatchedEncoder(PictureEncoder encoder, List<String> events) implements PictureEncoder {
    @Override
    public Picture picture(ImageFile image, int maxTokens) {
        return encoder.picture(image, maxTokens);
    }

    @Override
    public List<PictureFeatures> features(List<Picture> pictures) {
        events.add("seen");
        return encoder.features(pictures);
    }
}

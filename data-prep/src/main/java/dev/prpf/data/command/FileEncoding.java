package dev.prpf.data.command;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.ImageEncoder;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.image.ImageEncoderProvider.ImageTower;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.OnnxImageEncoder;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encodes a list of texts or images into one file of vectors.
 *
 * @param vectors the vectors so far
 * @param pieces encodes the next piece, which takes some seconds
 */
record FileEncoding(
        String id, EmbeddingsFile vectors, Iterator<float[][]> pieces, Map<String, SafeTensors.Tensor> further) {
    private static final Logger LOG = LoggerFactory.getLogger(FileEncoding.class);
    /** Maximum bytes of {@code pixel_values} in a file, well below an array's limit: 512 images of 224 x 224 pixels. */
    private static final long MAX_PIXEL_BYTES = 512L * pixelBytes(224);

    static FileEncoding ofTexts(SampleEncoder encoder, List<String> texts) {
        EmbeddingsFile vectors = new EmbeddingsFile(texts.size(), encoder.width());
        Iterator<float[][]> pieces =
                SampleEncoder.pieces(texts).stream().map(encoder::encodeTexts).iterator();
        return new FileEncoding(encoder.textEncoderId(), vectors, pieces, Map.of());
    }

    /**
     * Encodes images; the file also gets the pixel values of a vision encoder.
     *
     * @param root the root of the names; null for the working directory
     * @param atOnce images per piece
     */
    static FileEncoding ofImages(SampleEncoder encoder, List<String> names, @Nullable Path root, int atOnce) {
        ImageEncoder encoding = encoder.imageEncoder();
        EmbeddingsFile vectors = new EmbeddingsFile(names.size(), encoding.width());
        List<ImageFile> images = images(names, root == null ? Path.of("") : root);
        Iterator<float[][]> pieces = IntStream.iterate(0, from -> from < images.size(), from -> from + atOnce)
                .mapToObj(from -> images.subList(from, Math.min(images.size(), from + atOnce)))
                .map(encoding::encode)
                .iterator();
        return new FileEncoding(encoding.id(), vectors, pieces, pixels(encoding.tower(), images));
    }

    /** Returns the pixel values of a vision encoder with a fixed input size. */
    private static Map<String, SafeTensors.Tensor> pixels(@Nullable ImageTower encoder, List<ImageFile> images) {
        if (!(encoder instanceof OnnxImageEncoder tower)) {
            return Map.of();
        }
        long most = mostWithPixels(tower.side());
        if (images.size() > most) {
            LOG.warn(
                    "{} images of side {}: the file has no pixel_values, which are written for at most {} images of this side",
                    images.size(),
                    tower.side(),
                    most);
            return Map.of();
        }
        long[] shape = {images.size(), 3, tower.side(), tower.side()};
        return Map.of("pixel_values", SafeTensors.Tensor.ofFloats(shape, tower.pixelValues(images)));
    }

    private static long pixelBytes(int side) {
        return 3L * side * side * Float.BYTES;
    }

    /** Returns the maximum number of images with {@code pixel_values} for a side in pixels. */
    static long mostWithPixels(int side) {
        return MAX_PIXEL_BYTES / pixelBytes(side);
    }

    private static List<ImageFile> images(List<String> names, Path root) {
        try {
            return names.stream().map(root::resolve).map(ImageFile::of).toList();
        } catch (InvalidPathException e) {
            throw new InvalidDataException("image \"" + e.getInput() + "\" is not a path: " + e.getReason());
        }
    }

    /**
     * Collects vectors for a safetensors file: the tensor {@code embeddings} (n, width) float32, and further tensors such as
     * {@code pixel_values} (n, 3, side, side).
     */
    static final class EmbeddingsFile {
        private final int width;
        private final float[][] rows;
        private int size;

        /** Allocates memory for the vectors. */
        public EmbeddingsFile(int count, int width) {
            this.width = width;
            this.rows = new float[count][width];
        }

        public int width() {
            return width;
        }

        /** Returns the number of vectors so far. */
        public int size() {
            return size;
        }

        /** Adds vectors, shape (any, width). */
        public void add(float[][] vectors) {
            for (float[] vector : vectors) {
                System.arraycopy(vector, 0, rows[size++], 0, width);
            }
        }

        /**
         * Writes the file atomically.
         *
         * @param further other tensors by name
         * @param encoderId for the file's metadata
         */
        public void write(Path file, Map<String, SafeTensors.Tensor> further, String encoderId) {
            Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
            tensors.put("embeddings", SafeTensors.Tensor.ofFloats(new long[] {size, width}, Arrays.copyOf(rows, size)));
            tensors.putAll(further);
            SafeTensors.write(file, tensors, Map.of("encoder", encoderId));
        }
    }
}

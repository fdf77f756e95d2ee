package dev.prpf.data.command;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.image.FrameEncoder;
import dev.prpf.data.encode.image.OnnxImageEncoder;
import dev.prpf.data.encode.image.Picture;
import dev.prpf.data.encode.store.EmbeddingsFile;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A list of texts or images on its way into one file of vectors.
 *
 * @param id of the encoder
 * @param vectors of the pieces encoded so far
 * @param pieces encodes a piece of some seconds each time it is asked
 * @param further tensors of the file
 */
record FileEncoding(
        String id, EmbeddingsFile vectors, Iterator<float[][]> pieces, Map<String, SafeTensors.Tensor> further) {
    private static final Logger LOG = LoggerFactory.getLogger(FileEncoding.class);
    /** Of more images than these the pixels are not written: 600 kB each. */
    private static final int WITH_PIXELS = 512;

    /** @param file of the texts, for messages */
    static FileEncoding ofTexts(SampleEncoder encoder, Path file, List<String> texts) {
        EmbeddingsFile vectors = new EmbeddingsFile(file.toString(), texts.size(), encoder.width());
        Iterator<float[][]> pieces =
                SampleEncoder.pieces(texts).stream().map(encoder::encodeTexts).iterator();
        return new FileEncoding(encoder.textEncoderId(), vectors, pieces, Map.of());
    }

    /**
     * Images by the encoder's frame encoder; what a tower sees of them goes into the file too.
     *
     * @param file of the names, for messages
     * @param root what the names are relative to; null for the working directory
     * @param atOnce images a piece
     */
    static FileEncoding ofPictures(
            SampleEncoder encoder, Path file, List<String> names, @Nullable Path root, int atOnce) {
        FrameEncoder frames = encoder.frameEncoder();
        EmbeddingsFile vectors = new EmbeddingsFile(file.toString(), names.size(), frames.width());
        List<Picture> pictures = pictures(names, root == null ? Path.of("") : root);
        Iterator<float[][]> pieces = IntStream.iterate(0, from -> from < pictures.size(), from -> from + atOnce)
                .mapToObj(from -> pictures.subList(from, Math.min(pictures.size(), from + atOnce)))
                .map(frames::encode)
                .iterator();
        return new FileEncoding(frames.id(), vectors, pieces, pixels(frames.tower(), pictures));
    }

    private static Map<String, SafeTensors.Tensor> pixels(@Nullable OnnxImageEncoder tower, List<Picture> pictures) {
        if (tower == null) {
            return Map.of();
        }
        if (pictures.size() > WITH_PIXELS) {
            LOG.warn("{} pictures: pixel_values are written for at most {}", pictures.size(), WITH_PIXELS);
            return Map.of();
        }
        long[] shape = {pictures.size(), 3, tower.side(), tower.side()};
        return Map.of("pixel_values", SafeTensors.Tensor.ofFloats(shape, tower.pixelValues(pictures)));
    }

    private static List<Picture> pictures(List<String> names, Path root) {
        try {
            return names.stream().map(root::resolve).map(Picture::of).toList();
        } catch (InvalidPathException e) {
            throw new InvalidDataException("picture \"" + e.getInput() + "\" is no path: " + e.getReason());
        }
    }
}

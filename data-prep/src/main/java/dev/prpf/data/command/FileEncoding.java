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
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A list of texts or images on its way into one file of vectors, a piece of some seconds at a time. */
final class FileEncoding {
    private static final Logger LOG = LoggerFactory.getLogger(FileEncoding.class);
    /** Of more images than these the pixels are not written: 600 kB each. */
    private static final int WITH_PIXELS = 512;

    private final String id;
    private final EmbeddingsFile vectors;
    private final Iterator<float[][]> pieces;
    private final Map<String, SafeTensors.Tensor> further;

    private <T> FileEncoding(
            String id,
            EmbeddingsFile vectors,
            List<List<T>> pieces,
            Function<List<T>, float[][]> encode,
            Map<String, SafeTensors.Tensor> further) {
        this.id = id;
        this.vectors = vectors;
        this.pieces = pieces.stream().map(encode).iterator();
        this.further = further;
    }

    /** @param file of the texts, for messages */
    static FileEncoding ofTexts(SampleEncoder encoder, Path file, List<String> texts) {
        EmbeddingsFile vectors = new EmbeddingsFile(file.toString(), texts.size(), encoder.width());
        return new FileEncoding(
                encoder.textEncoderId(), vectors, SampleEncoder.pieces(texts), encoder::encodeTexts, Map.of());
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
        List<List<Picture>> pieces = new ArrayList<>();
        for (int from = 0; from < pictures.size(); from += atOnce) {
            pieces.add(pictures.subList(from, Math.min(pictures.size(), from + atOnce)));
        }
        return new FileEncoding(frames.id(), vectors, pieces, frames::encode, pixels(frames.tower(), pictures));
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

    boolean hasNext() {
        return pieces.hasNext();
    }

    /** Encodes the next piece and returns its length. */
    int next() {
        float[][] piece = pieces.next();
        vectors.add(piece);
        return piece.length;
    }

    int done() {
        return vectors.size();
    }

    int width() {
        return vectors.width();
    }

    void write(Path file) {
        vectors.write(file, further, id);
    }
}

package dev.prpf.data.command;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.image.ClipFrameEncoder;
import dev.prpf.data.encode.image.Picture;
import dev.prpf.data.encode.store.EmbeddingsFile;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A list of texts or pictures on its way into one file of vectors, a piece of some seconds at a time. */
final class FileEncoding {
    private static final Logger LOG = LoggerFactory.getLogger(FileEncoding.class);
    /** Of so many pictures at most the pixels are written too: 600 kB each. */
    private static final int WITH_PIXELS = 512;

    private final String id;
    private final int width;
    private final Iterator<Supplier<float[][]>> pieces;
    private final Map<String, SafeTensors.Tensor> further;
    private final List<float[]> rows = new ArrayList<>();

    private <T> FileEncoding(
            String id,
            int width,
            List<List<T>> pieces,
            Function<List<T>, float[][]> encode,
            Map<String, SafeTensors.Tensor> further) {
        this.id = id;
        this.width = width;
        this.pieces = pieces.stream()
                .<Supplier<float[][]>>map(piece -> () -> encode.apply(piece))
                .iterator();
        this.further = further;
    }

    static FileEncoding ofTexts(SampleEncoder encoder, List<String> texts) {
        List<List<String>> pieces = SampleEncoder.pieces(texts);
        return new FileEncoding(encoder.textEncoderId(), encoder.width(), pieces, encoder::encodeTexts, Map.of());
    }

    /**
     * Pictures by the encoder's frame encoder; a CLIP tower's pixels go into the file too.
     *
     * @param root what the names are relative to; null for the working directory
     * @param atOnce pictures a piece
     */
    static FileEncoding ofPictures(SampleEncoder encoder, List<String> names, @Nullable Path root, int atOnce) {
        List<Picture> pictures = pictures(names, root == null ? Path.of("") : root);
        List<List<Picture>> pieces = new ArrayList<>();
        for (int from = 0; from < pictures.size(); from += atOnce) {
            pieces.add(pictures.subList(from, Math.min(pictures.size(), from + atOnce)));
        }
        Map<String, SafeTensors.Tensor> pixels = new LinkedHashMap<>();
        ClipFrameEncoder clip = encoder.clip();
        if (clip != null && pictures.size() <= WITH_PIXELS) {
            long[] shape = {pictures.size(), 3, clip.side(), clip.side()};
            pixels.put("pixel_values", SafeTensors.Tensor.ofFloats(shape, clip.pixelValues(pictures)));
        } else if (clip != null) {
            LOG.warn("{} pictures: pixel_values are written for at most {}", pictures.size(), WITH_PIXELS);
        }
        int width = encoder.frameEncoder().width();
        return new FileEncoding(encoder.frameEncoderId(), width, pieces, encoder.frameEncoder()::encode, pixels);
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

    /** Encodes the next piece and says how much it was. */
    int next() {
        float[][] vectors = pieces.next().get();
        rows.addAll(List.of(vectors));
        return vectors.length;
    }

    int done() {
        return rows.size();
    }

    int width() {
        return width;
    }

    void write(Path file) {
        EmbeddingsFile.write(file, rows.toArray(float[][]::new), width, further, Map.of("encoder", id));
    }
}

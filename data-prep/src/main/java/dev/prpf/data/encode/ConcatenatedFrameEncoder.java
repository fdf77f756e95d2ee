package dev.prpf.data.encode;

import dev.prpf.data.encode.image.FrameEncoder;
import dev.prpf.data.encode.image.Picture;
import dev.prpf.data.encode.store.Vectors;
import java.util.List;
import java.util.stream.Collectors;

/** What several encoders see of a picture, one behind the other; each part is scaled to length 1, so that none drowns the others. */
final class ConcatenatedFrameEncoder implements FrameEncoder {
    private final List<FrameEncoder> parts;

    /** Owns the parts. */
    ConcatenatedFrameEncoder(List<FrameEncoder> parts) {
        this.parts = List.copyOf(parts);
    }

    @Override
    public String id() {
        return parts.stream().map(FrameEncoder::id).collect(Collectors.joining("|", "both(", ")"));
    }

    @Override
    public int width() {
        return parts.stream().mapToInt(FrameEncoder::width).sum();
    }

    @Override
    public float[][] encode(List<Picture> pictures) {
        float[][] whole = new float[pictures.size()][width()]; // (N, W1 + W2 + …)
        int at = 0;
        for (FrameEncoder part : parts) {
            float[][] vectors = part.encode(pictures); // (N, W)
            for (int i = 0; i < vectors.length; i++) {
                System.arraycopy(Vectors.unit(vectors[i]), 0, whole[i], at, part.width());
            }
            at += part.width();
        }
        return whole;
    }

    @Override
    public void close() {
        parts.forEach(FrameEncoder::close);
    }
}

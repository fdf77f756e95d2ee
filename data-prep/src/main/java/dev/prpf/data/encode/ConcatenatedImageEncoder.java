package dev.prpf.data.encode;

import dev.prpf.data.encode.image.ImageEncoder;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.OnnxImageEncoder;
import dev.prpf.data.encode.store.Vectors;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What several encoders see of an image, one behind the other; each part is scaled to length 1. It owns its parts. */
record ConcatenatedImageEncoder(List<ImageEncoder> parts) implements ImageEncoder {
    @Override
    public String id() {
        return parts.stream().map(ImageEncoder::id).collect(Collectors.joining("|", "both(", ")"));
    }

    @Override
    public int width() {
        return parts.stream().mapToInt(ImageEncoder::width).sum();
    }

    @Override
    public @Nullable OnnxImageEncoder tower() {
        return parts.stream()
                .map(ImageEncoder::tower)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    @Override
    public long encoded() {
        return parts.stream().mapToLong(ImageEncoder::encoded).max().orElse(0);
    }

    @Override
    public List<Supplier<float[]>> encodeLazily(List<ImageFile> images) {
        List<List<Supplier<float[]>>> encodings =
                parts.stream().map(part -> part.encodeLazily(images)).toList();
        return IntStream.range(0, images.size())
                .<Supplier<float[]>>mapToObj(i -> {
                    List<Supplier<float[]>> ofOne =
                            encodings.stream().map(part -> part.get(i)).toList();
                    return () -> joined(ofOne);
                })
                .toList();
    }

    /** Shape (W1 + W2 + …). */
    private static float[] joined(List<Supplier<float[]>> parts) {
        List<float[]> vectors =
                parts.stream().map(part -> Vectors.unit(part.get())).toList();
        float[] whole =
                new float[vectors.stream().mapToInt(vector -> vector.length).sum()];
        int at = 0;
        for (float[] vector : vectors) {
            System.arraycopy(vector, 0, whole, at, vector.length);
            at += vector.length;
        }
        return whole;
    }

    @Override
    public void close() {
        parts.forEach(ImageEncoder::close);
    }
}

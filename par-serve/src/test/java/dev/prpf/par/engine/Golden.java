package dev.prpf.par.engine;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.files.SafeTensors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Outputs of reference implementations, in the test resources; {@code src/test/python/README.md} says how they are made. */
public final class Golden {
    private Golden() {}

    /**
     * A decoder's checkpoint and golden outputs. Property {@code prpf.golden} names the folder of another set, which {@code
     * src/test/python/make_decoders.py} makes.
     */
    public static Path folder(String name) {
        String other = System.getProperty("prpf.golden");
        return other == null ? resource(name) : Path.of(other, name);
    }

    /**
     * Returns a folder of the larger set, in the folder of environment variable {@code PRPF_GOLDEN}, as set by {@code .ci/run}.
     *
     * @return empty without the set; tests that need it are skipped
     */
    public static Optional<Path> larger(String name) {
        return Optional.ofNullable(System.getenv("PRPF_GOLDEN"))
                .map(root -> Path.of(root, name))
                .filter(Files::isDirectory);
    }

    /** The folders of decoders of text. */
    public static List<String> decoders() {
        List<String> types = Arrays.stream(DecoderFamily.values())
                .map(DecoderFamily::modelType)
                .toList();
        try (Stream<Path> folders =
                Files.list(Objects.requireNonNull(folder("llama").getParent()))) {
            return folders.map(folder -> folder.resolve("config.json"))
                    .filter(Files::exists)
                    .filter(file -> types.contains(modelType(file)))
                    .map(file -> Objects.requireNonNull(file.getParent())
                            .getFileName()
                            .toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String modelType(Path file) {
        try {
            return new ObjectMapper().readTree(file.toFile()).path("model_type").asText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A folder of the test resources. */
    public static Path resource(String name) {
        URL place = Objects.requireNonNull(Golden.class.getResource("/golden/" + name), name);
        try {
            return Path.of(place.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(place.toString(), e);
        }
    }

    /** The cosine of two vectors. */
    public static double cosine(float[] actual, float[] expected) {
        double dot = 0;
        double a = 0;
        double b = 0;
        for (int i = 0; i < expected.length; i++) {
            dot += (double) actual[i] * expected[i];
            a += (double) actual[i] * actual[i];
            b += (double) expected[i] * expected[i];
        }
        return dot / Math.sqrt(a * b);
    }

    /** An int32 tensor's values. */
    public static long[] ids(SafeTensors file, String name) {
        IntBuffer values = file.map(name).asIntBuffer();
        long[] ids = new long[values.remaining()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = values.get(i);
        }
        return ids;
    }

    /** A float64 tensor's values. */
    public static double[] doubles(SafeTensors file, String name) {
        double[] values = new double[file.map(name).remaining() / Double.BYTES];
        file.map(name).asDoubleBuffer().get(values);
        return values;
    }
}

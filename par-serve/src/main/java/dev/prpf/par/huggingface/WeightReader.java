package dev.prpf.par.huggingface;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.NamedWeights;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.WeightSource;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.codec.binary.Hex;
import org.apache.commons.codec.digest.DigestUtils;

/** Reads parameters from the files of a model directory, which are opened on first use. */
final class WeightReader implements AutoCloseable {
    private final WeightFiles places;
    private final Map<Path, SafeTensors> files = new LinkedHashMap<>();

    WeightReader(WeightFiles places) {
        this.places = places;
    }

    /** A parameter in its file, with the shape of config.json. */
    private record Stored(SafeTensors file, String tensor) {
        SafeTensors.Entry entry() {
            return file.entry(tensor);
        }

        /** Returns bfloat16 for a matrix that is bfloat16 in the file; else float32. */
        Precision precision() {
            boolean bf16 = entry().shape().length > 1 && entry().dtype().equals("BF16");
            return bf16 ? Precision.BF16 : Precision.FP32;
        }
    }

    private Stored stored(String name, long[] shape) {
        WeightFiles.Place place = places.place(name);
        Stored stored = new Stored(files.computeIfAbsent(place.file(), SafeTensors::open), place.tensor());
        long[] found = stored.entry().shape();
        if (!Arrays.equals(found, shape)) {
            throw new InvalidDataException(places + ": " + place.tensor() + " has shape " + Arrays.toString(found)
                    + ", must be " + Arrays.toString(shape));
        }
        return stored;
    }

    /**
     * Reads parameters into libtorch. Vectors (norms, decays) are always float32: they are small and scale all values.
     *
     * @param matrices the type of a matrix in memory
     */
    void read(Map<String, long[]> shapes, Precision matrices, NamedWeights into) {
        shapes.forEach((name, shape) -> into.put(
                name, read(into.manager(), stored(name, shape), shape.length == 1 ? Precision.FP32 : matrices)));
    }

    /**
     * Returns a source that reads parameters one by one, with matrices in the files' type to avoid double rounding. Valid until this reader
     * is closed.
     *
     * @throws PrpfException 65 for a parameter that is missing in the files or has another shape there
     */
    WeightSource source(Map<String, long[]> shapes) {
        shapes.forEach(this::stored);
        return (scratch, names) -> names.stream()
                .map(name -> stored(name, Objects.requireNonNull(shapes.get(name), name)))
                .map(stored -> read(scratch, stored, stored.precision()))
                .toArray(PtNDArray[]::new);
    }

    private static PtNDArray read(PtNDManager owner, Stored stored, Precision precision) {
        return Tensors.read(owner, stored.file(), stored.tensor(), precision);
    }

    /** Returns the parameters in the files' type, unconverted; valid until this reader is closed. */
    Map<String, SafeTensors.Tensor> stored(Map<String, long[]> shapes) {
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        shapes.forEach((name, shape) -> {
            Stored stored = stored(name, shape);
            tensors.put(name, stored.file().tensor(stored.tensor()));
        });
        return tensors;
    }

    /** Returns the SHA-256 over name, type, shape and bytes of parameters, in lower-case hexadecimal. */
    String sha256(Map<String, long[]> shapes) {
        MessageDigest digest = DigestUtils.getSha256Digest();
        shapes.forEach((name, shape) -> {
            Stored stored = stored(name, shape);
            String head = name + stored.entry().dtype() + Arrays.toString(shape);
            digest.update(head.getBytes(StandardCharsets.UTF_8));
            stored.file().slices(stored.tensor(), digest::update);
        });
        return Hex.encodeHexString(digest.digest());
    }

    @Override
    public void close() {
        files.values().forEach(SafeTensors::close);
    }
}

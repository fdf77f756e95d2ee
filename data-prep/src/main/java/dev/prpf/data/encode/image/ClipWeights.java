package dev.prpf.data.encode.image;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.SafeTensors;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/** A CLIP checkpoint's tensors as float32 bytes, each checked against the shape that the configuration asks for. */
final class ClipWeights implements AutoCloseable {
    private final Path file;
    private final SafeTensors tensors;
    private final Set<String> taken = new HashSet<>();

    private ClipWeights(Path file, SafeTensors tensors) {
        this.file = file;
        this.tensors = tensors;
    }

    /** @throws PrpfException 65 if it is no safetensors file */
    static ClipWeights open(Path file) {
        return new ClipWeights(file, SafeTensors.open(file));
    }

    /**
     * The little-endian float32 values of a tensor; float16 and bfloat16 are widened.
     *
     * @throws PrpfException 65, naming the tensor, if it is missing, of another shape or of another type
     */
    ByteBuffer floats(String name, long[] shape) {
        SafeTensors.Entry entry = tensors.entry(name);
        if (!Arrays.equals(entry.shape(), shape)) {
            throw new InvalidDataException(file + ": tensor " + name + " has shape " + Arrays.toString(entry.shape())
                    + ", config.json asks for " + Arrays.toString(shape));
        }
        taken.add(name);
        ByteBuffer bytes = tensors.map(name);
        return switch (entry.dtype()) {
            case "F32" -> bytes;
            case "BF16" -> widened(bytes, false);
            case "F16" -> widened(bytes, true);
            default ->
                throw new InvalidDataException(
                        file + ": tensor " + name + " is " + entry.dtype() + ", must be F32, F16 or BF16");
        };
    }

    private static ByteBuffer widened(ByteBuffer halves, boolean ieee) {
        ByteBuffer floats = ByteBuffer.allocate(2 * halves.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        while (halves.hasRemaining()) {
            short half = halves.getShort();
            floats.putFloat(ieee ? ofHalf(half) : Float.intBitsToFloat(half << 16));
        }
        return floats.flip();
    }

    /** IEEE 754 binary16; Java 17 has no conversion of its own. */
    static float ofHalf(short half) {
        int sign = half & 0x8000;
        int exponent = (half >> 10) & 0x1F;
        int fraction = half & 0x3FF;
        float magnitude;
        if (exponent == 0x1F) {
            magnitude = fraction == 0 ? Float.POSITIVE_INFINITY : Float.NaN;
        } else if (exponent == 0) {
            magnitude = fraction * 0x1p-24f;
        } else {
            magnitude = (1 + fraction * 0x1p-10f) * Math.scalb(1f, exponent - 15);
        }
        return sign == 0 ? magnitude : -magnitude;
    }

    /**
     * To be called when all that the configuration asks for was taken.
     *
     * @throws PrpfException 65, naming them, if the file has further tensors of a vision tower
     */
    void refuseLeftOver() {
        TreeSet<String> left = new TreeSet<>(tensors.entries().keySet());
        left.removeAll(taken);
        left.removeIf(name -> !name.startsWith("vision_model.") || name.endsWith(".position_ids"));
        if (!left.isEmpty()) {
            throw new InvalidDataException(file + ": has tensors that the vision tower of config.json lacks: "
                    + left.stream().limit(5).toList() + " (" + left.size() + " in all)");
        }
    }

    @Override
    public void close() {
        tensors.close();
    }
}

package dev.prpf.data.encode.image;

import ai.onnxruntime.platform.Fp16Conversions;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.onnx.OnnxModel;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/** Reads a vision encoder's tensors as float32 bytes and checks each against the configured shape. */
final class ImageEncoderWeights implements AutoCloseable {
    private static final String ROOT = "vision_model.";

    private final Path file;
    private final SafeTensors tensors;
    private final Set<String> used = new HashSet<>();
    /** Prefix of the tensor names; transformers 5 omits it in a file with only the vision encoder. */
    private final String root;

    private ImageEncoderWeights(Path file, SafeTensors tensors) {
        this.file = file;
        this.tensors = tensors;
        this.root = tensors.entries().keySet().stream().anyMatch(name -> name.startsWith(ROOT)) ? ROOT : "";
    }

    /** @throws PrpfException 65 if the file is not safetensors, or too large for an ONNX model */
    static ImageEncoderWeights open(Path file) {
        return Closing.ifRefused(new ImageEncoderWeights(file, SafeTensors.open(file)), weights -> {
            long values = weights.tensors.entries().entrySet().stream()
                    .filter(e -> e.getKey().startsWith(weights.root))
                    .mapToLong(e -> Arrays.stream(e.getValue().shape()).reduce(1, (a, b) -> a * b))
                    .sum();
            OnnxModel.requireSize(file.toString(), values * Float.BYTES);
            return weights;
        });
    }

    /**
     * Returns the little-endian float32 values of a tensor; float16 and bfloat16 are widened.
     *
     * @param name the tensor's name without the common prefix
     * @throws PrpfException 65, naming the tensor, if it is missing, of another shape or of another type
     */
    ByteBuffer floats(String name, long... shape) {
        boolean outside = name.startsWith("visual_projection.");
        String whole = outside ? name : root + name;
        SafeTensors.Entry entry = tensors.entry(whole);
        if (!Arrays.equals(entry.shape(), shape)) {
            throw new InvalidDataException(file + ": tensor " + whole + " has shape " + Arrays.toString(entry.shape())
                    + ", config.json requires " + Arrays.toString(shape));
        }
        used.add(whole);
        ByteBuffer bytes = tensors.map(whole);
        return switch (entry.dtype()) {
            case "F32" -> bytes;
            case "BF16" -> widened(bytes, false);
            case "F16" -> widened(bytes, true);
            default ->
                throw new InvalidDataException(
                        file + ": tensor " + whole + " is " + entry.dtype() + ", must be F32, F16 or BF16");
        };
    }

    private static ByteBuffer widened(ByteBuffer halves, boolean ieee) {
        ByteBuffer floats = ByteBuffer.allocate(2 * halves.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        while (halves.hasRemaining()) {
            short half = halves.getShort();
            floats.putFloat(ieee ? Fp16Conversions.fp16ToFloat(half) : Fp16Conversions.bf16ToFloat(half));
        }
        return floats.flip();
    }

    /**
     * Checks that no tensors are left; call after all configured tensors were read.
     *
     * @throws PrpfException 65, naming them, if the file has further tensors of a vision encoder
     */
    void requireAllUsed() {
        TreeSet<String> left = new TreeSet<>(tensors.entries().keySet());
        left.removeAll(used);
        left.removeIf(name -> !name.startsWith(root) || name.endsWith(".position_ids"));
        if (!left.isEmpty()) {
            throw new InvalidDataException(file + ": has tensors that the vision encoder of config.json lacks: "
                    + left.stream().limit(5).toList() + " (" + left.size() + " in all)");
        }
    }

    @Override
    public void close() {
        tensors.close();
    }
}

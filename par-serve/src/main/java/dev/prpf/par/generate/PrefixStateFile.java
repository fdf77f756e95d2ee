package dev.prpf.par.generate;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.JniUtils;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.KvCache;
import dev.prpf.par.engine.LayerKind;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@link PrefixState} as a safetensors file: {@code ids} (T), {@code logits} (V) and a layer's {@code layers.N.keys} and {@code
 * layers.N.values} (K, T, H), or {@code layers.N.inputs} (kernel - 1, C) and {@code layers.N.state} (M, X, Y), each with a first axis of 1.
 * Its metadata name the weights.
 */
final class PrefixStateFile {
    private static final String IDS = "ids";
    private static final String LOGITS = "logits";
    private static final String WEIGHTS = "weights";
    private static final String PRECISION = "precision";

    private PrefixStateFile() {}

    static void write(Path file, PrefixState state, Decoder decoder, String weights) {
        long[] ids = state.ids();
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        tensors.put(IDS, SafeTensors.Tensor.ofLongs(new long[] {ids.length}, ids));
        PtNDArray logits = state.prefill().logits();
        tensors.put(LOGITS, SafeTensors.Tensor.ofFloats(logits.getShape().getShape(), logits.toFloatArray()));
        List<String> names = names(decoder.config());
        PtNDArray[] arrays = state.caches().arrays();
        for (int i = 0; i < arrays.length; i++) {
            ByteBuffer bytes = JniUtils.getByteBuffer(arrays[i], true);
            tensors.put(
                    names.get(i),
                    new SafeTensors.Tensor(type(arrays[i]), arrays[i].getShape().getShape(), bytes));
        }
        SafeTensors.write(file, tensors, identity(decoder, weights));
    }

    static PrefixState read(Path file, Decoder decoder, String weights) {
        try (SafeTensors tensors = SafeTensors.open(file)) {
            Map<String, String> identity = identity(decoder, weights);
            if (!tensors.metadata().equals(identity)) {
                throw new InvalidDataException(file + ": holds the prefix of a decoder " + tensors.metadata()
                        + ", this one is " + identity + "; compute the prefix again");
            }
            long[] ids = tensors.longs(IDS);
            decoder.checkIds(ids, file.toString());
            KvCache caches = new KvCache(decoder, new long[1], ids.length);
            try {
                fill(caches, tensors, file, decoder);
                float[] logits = tensors.floats(LOGITS);
                return new PrefixState(decoder, ids, Prefill.restored(caches, logits));
            } catch (RuntimeException e) {
                caches.close();
                throw e;
            }
        }
    }

    private static void fill(KvCache caches, SafeTensors tensors, Path file, Decoder decoder) {
        List<String> names = names(decoder.config());
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            PtNDArray array = caches.arrays()[i];
            SafeTensors.Entry entry = tensors.entry(name);
            long[] shape = array.getShape().getShape();
            String type = type(array);
            if (!Arrays.equals(entry.shape(), shape) || !entry.dtype().equals(type)) {
                throw new InvalidDataException(file + ": tensor " + name + " is " + entry.dtype() + " "
                        + Arrays.toString(entry.shape()) + ", must be " + type + " " + Arrays.toString(shape));
            }
            JniUtils.getByteBuffer(array, true).put(tensors.map(name));
        }
    }

    /** In the order of {@link KvCache#arrays}. */
    private static List<String> names(DecoderConfig config) {
        String[] names = new String[2 * config.layers()];
        for (int i = 0; i < config.layers(); i++) {
            boolean full = config.layerKinds().get(i) == LayerKind.FULL_ATTENTION;
            names[i] = "layers." + i + (full ? ".keys" : ".inputs");
            names[config.layers() + i] = "layers." + i + (full ? ".values" : ".state");
        }
        return List.of(names);
    }

    /** DJL has no name for bfloat16 that it could be asked for. */
    private static String type(PtNDArray array) {
        return switch (array.getDataType()) {
            case FLOAT32 -> "F32";
            case FLOAT16 -> "F16";
            default -> "BF16";
        };
    }

    private static Map<String, String> identity(Decoder decoder, String weights) {
        Map<String, String> identity = new LinkedHashMap<>(); // in the same order in every process
        identity.put(WEIGHTS, weights);
        identity.put(PRECISION, decoder.precision().name());
        return identity;
    }
}

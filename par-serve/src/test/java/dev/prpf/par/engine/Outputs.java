package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.IValue;
import dev.prpf.base.files.SafeTensors;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The outputs of a decoder over one sequence, as arrays. */
public final class Outputs {
    private Outputs() {}

    /** Logits of the next token at every position, (T, V). */
    public static float[][] logits(CausalLm decoder, long[] ids) {
        return logits(decoder, Prompt.ofText(ids));
    }

    /** Returns the logits of a sequence with images. */
    public static float[][] logits(CausalLm decoder, Prompt prompt) {
        List<float[]> rows = new ArrayList<>();
        decoder.logits(prompt, tensor -> {
            FloatBuffer values = bytes(tensor).order(ByteOrder.nativeOrder()).asFloatBuffer();
            while (values.hasRemaining()) {
                float[] row = new float[decoder.config().vocabularySize()];
                values.get(row);
                rows.add(row);
            }
        });
        return rows.toArray(float[][]::new);
    }

    /** A tensor's bytes as a file would hold them. */
    static ByteBuffer bytes(SafeTensors.Tensor tensor) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            tensor.content().writeTo(Channels.newChannel(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteBuffer.wrap(bytes.toByteArray());
    }

    /** Replaces the values of a float32 array on the host. */
    public static void overwrite(PtNDArray array, float[] values) {
        FloatBuffer left = FloatBuffer.wrap(values);
        HostValues.slices(array, slice -> {
            FloatBuffer memory = slice.order(ByteOrder.nativeOrder()).asFloatBuffer();
            memory.put(left.slice(left.position(), memory.remaining()));
            left.position(left.position() + memory.limit());
        });
    }

    /** Log-probability of each token given those before it, for the second on. */
    public static float[] logProbabilities(CausalLm decoder, long[] ids) {
        float[][] logits = logits(decoder, ids);
        float[] result = new float[ids.length - 1];
        for (int t = 0; t < result.length; t++) {
            double sum = 0;
            float[] row = logits[t];
            float max = row[0];
            for (float value : row) {
                max = Math.max(max, value);
            }
            for (float value : row) {
                sum += Math.exp(value - max);
            }
            result[t] = (float) (row[(int) ids[t + 1]] - max - Math.log(sum));
        }
        return result;
    }

    /** The embedding, then every layer's output, the last one after the final norm; each T * D values. */
    static float[][] hiddenStates(CausalLm decoder, long[] ids) {
        try (PtNDManager scratch = TorchRuntime.newManager()) {
            PtNDArray batch = CausalLm.longs(scratch, ids, 1, ids.length);
            try (IValue pass = decoder.pass(scratch, ids.length)) {
                PtNDArray[] states = Script.decoder().tensors(scratch, "hidden_states", batch, pass, decoder.fused());
                return Arrays.stream(states).map(PtNDArray::toFloatArray).toArray(float[][]::new);
            }
        }
    }

    /** Concatenates all rows of a matrix. */
    public static float[] flat(float[][] rows) {
        float[] values = new float[rows.length * rows[0].length];
        for (int i = 0; i < rows.length; i++) {
            System.arraycopy(rows[i], 0, values, i * rows[0].length, rows[0].length);
        }
        return values;
    }
}

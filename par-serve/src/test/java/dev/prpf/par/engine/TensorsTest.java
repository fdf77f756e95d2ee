package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.files.SafeTensors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TensorsTest {
    @TempDir
    Path directory;

    @Test
    void aTensorReadInPartsIsTheSame() throws IOException {
        Path path = directory.resolve("one.safetensors");
        float[] values = new float[35];
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }
        SafeTensors.write(path, Map.of("x", SafeTensors.Tensor.ofFloats(new long[] {7, 5}, values)), Map.of());
        try (SafeTensors file = SafeTensors.open(path);
                PtNDManager manager = TorchRuntime.newManager()) {
            for (long bytes : new long[] {1, 45, 1000}) {
                assertThat(Tensors.read(manager, file, "x", Precision.FP32, bytes)
                                .toFloatArray())
                        .as("in parts of %d bytes", bytes)
                        .containsExactly(values);
            }
        }
    }

    @Test
    void slicesOfAnySizeGiveTheSameFile() {
        ByteBuffer expected = ByteBuffer.allocate(15 * Float.BYTES).order(ByteOrder.nativeOrder());
        float[] values = new float[15];
        for (int i = 0; i < values.length; i++) {
            values[i] = i * i - 7;
            expected.putFloat(values[i]);
        }
        try (PtNDManager manager = TorchRuntime.newManager()) {
            PtNDArray array = Tensors.create(manager, new long[] {3, 5}, values);
            for (long slice : new long[] {4, 16, 20, 60, 64, 1 << 20}) {
                assertThat(Outputs.bytes(Tensors.float32(array, slice)).array())
                        .as("in slices of %d bytes", slice)
                        .isEqualTo(expected.array());
            }
        }
    }
}

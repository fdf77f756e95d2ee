package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.files.SafeTensors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TensorsTest {
    private static final long[] SHAPE = {7, 5};

    @TempDir
    Path directory;

    private static float[] values() {
        float[] values = new float[35];
        for (int i = 0; i < values.length; i++) {
            values[i] = i * i - 7;
        }
        return values;
    }

    @ParameterizedTest
    @CsvSource({"F32, 8", "F32, 48", "F32, 1000", "BF16, 8", "BF16, 24", "F64, 16", "F16, 8"})
    void tensorReadInSlicesIsTheSame(String type, long sliceBytes) {
        Path path = directory.resolve("one.safetensors");
        SafeTensors.write(path, Map.of("x", ones(type)), Map.of());
        try (SafeTensors file = SafeTensors.open(path);
                PtNDManager manager = TorchRuntime.newManager()) {
            PtNDArray read = Slices.of(sliceBytes, () -> Tensors.read(manager, file, "x", Precision.FP32));
            float[] expected = new float[35];
            for (int i = 0; i < 35; i += 3) {
                expected[i] = 1;
            }
            assertThat(HostValues.floats(read)).containsExactly(expected);
        }
    }

    /** Creates a tensor with 1 at every third value. The type's 1 has its bits at the end of the little-endian value. */
    private static SafeTensors.Tensor ones(String type) {
        byte[] one =
                switch (type) {
                    case "F64" -> new byte[] {0, 0, 0, 0, 0, 0, (byte) 0xf0, 0x3f};
                    case "F32" -> new byte[] {0, 0, (byte) 0x80, 0x3f};
                    case "BF16" -> new byte[] {(byte) 0x80, 0x3f};
                    default -> new byte[] {0, 0x3c};
                };
        ByteBuffer bytes = ByteBuffer.allocate(35 * one.length);
        for (int i = 0; i < 35; i += 3) {
            bytes.put(i * one.length, one);
        }
        return new SafeTensors.Tensor(type, SHAPE, bytes);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 8, 16, 40, 48, 1 << 20})
    void slicesOfAnySizeGiveTheSameBytes(long sliceBytes) throws IOException {
        ByteBuffer expected = ByteBuffer.allocate(35 * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        expected.asFloatBuffer().put(values());
        List<Integer> written = new ArrayList<>();
        try (PtNDManager manager = TorchRuntime.newManager()) {
            PtNDArray array = Tensors.create(manager, SHAPE, values());
            assertThat(Slices.of(sliceBytes, () -> Outputs.bytes(Tensors.float32(array)))
                            .array())
                    .isEqualTo(expected.array());
            Slices.of(sliceBytes, () -> HostValues.slices(array, slice -> written.add(slice.remaining())));
        }
        assertThat(written).allSatisfy(bytes -> assertThat(bytes).isLessThanOrEqualTo((int) Math.max(8, sliceBytes)));
        assertThat(written.stream().mapToInt(Integer::intValue).sum()).isEqualTo(140);
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 40, 1000})
    void arrayIsFilledFromPartsOfAnySize(long sliceBytes) {
        float[] all = values();
        List<float[]> parts = List.of(
                Arrays.copyOf(all, 3), new float[0], Arrays.copyOfRange(all, 3, 34), Arrays.copyOfRange(all, 34, 35));
        try (PtNDManager manager = TorchRuntime.newManager()) {
            assertThat(HostValues.floats(Slices.of(sliceBytes, () -> Tensors.create(manager, SHAPE, parts))))
                    .containsExactly(all);
            assertThatThrownBy(() -> Tensors.create(manager, SHAPE, new float[34]))
                    .hasMessage("34 values do not fill the shape (7, 5)");
        }
    }

    @Test
    void carriedTensorKeepsItsBytes() throws IOException {
        Path path = directory.resolve("one.safetensors");
        SafeTensors.write(path, Map.of("x", ones("BF16")), Map.of());
        try (SafeTensors file = SafeTensors.open(path)) {
            ByteBuffer carried = Slices.of(8, () -> Outputs.bytes(file.tensor("x")));
            assertThat(carried).isEqualTo(Outputs.bytes(ones("BF16")));
        }
    }
}

package dev.prpf.base.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SafeTensorsTest {
    private static final int MUTATIONS = 10_000;

    @TempDir
    Path directory;

    private Path file(String header, int dataBytes) throws IOException {
        byte[] json = header.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(8 + json.length + dataBytes).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(json.length).put(json);
        return Files.write(directory.resolve("t.safetensors"), bytes.array());
    }

    private static void assertRefused(Path file, String... parts) {
        assertThatThrownBy(() -> SafeTensors.open(file).close())
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("t.safetensors")
                .hasMessageContainingAll(parts);
    }

    private Path valid() throws IOException {
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        tensors.put("a", SafeTensors.Tensor.ofFloats(new long[] {2, 3}, new float[] {1, 2, 3, 4, 5, 6}));
        tensors.put("none", SafeTensors.Tensor.ofFloats(new long[] {0, 7}, new float[0]));
        tensors.put(
                "one",
                new SafeTensors.Tensor("I64", new long[] {}, ByteBuffer.wrap(new byte[] {9, 0, 0, 0, 0, 0, 0, 0})));
        Path file = directory.resolve("t.safetensors");
        SafeTensors.write(file, tensors, Map.of("format", "pt"));
        return file;
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        try (SafeTensors read = SafeTensors.open(valid())) {
            assertThat(read.entries()).containsOnlyKeys("a", "none", "one");
            assertThat(read.floats("a")).containsExactly(1, 2, 3, 4, 5, 6);
            assertThat(read.entry("none").shape()).containsExactly(0, 7);
            assertThat(read.map("one").getLong()).isEqualTo(9);
            assertThat(read.metadata()).containsEntry("format", "pt");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}} | 12 | tensor b begins at byte 4
                    {"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}} | 16 | tensor b begins at byte 12
                    {"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} | 4  | cut off
                    {"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} | 12 | foreign tail
                    {"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}} | 8  | takes 12 bytes, not 8
                    {"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}} | 8 | whole numbers from 0 on
                    {"a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}} | 8 | whole numbers from 0 on
                    {"a":{"dtype":"F32","shape":2,"data_offsets":[0,8]}} | 8 | shape = 2
                    {"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}} | 8 | begin <= end
                    {"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}} | 8 | begin <= end
                    {"a":{"dtype":"Q4","shape":[2],"data_offsets":[0,8]}} | 8 | dtype = "Q4"
                    {"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}} | 8 | takes 73786976294838206464 bytes, not 8
                    {"a":{"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,8]}} | 8 | whole numbers from 0 on
                    {"a":3} | 0 | (missing)
                    [] | 0 | not a JSON object
                    {"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} | 8 | Duplicate
                    {"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]} | 8 | cannot be read
                    """)
    void aHeaderThatDoesNotFitTheFileIsRefused(String header, int bytes, String rule) throws IOException {
        assertRefused(file(header, bytes), rule);
    }

    @Test
    void aTensorIsReadWholeOrInPartsAndNothingBeyond() throws IOException {
        ByteBuffer memory = ByteBuffer.allocateDirect(24).order(ByteOrder.LITTLE_ENDIAN);
        try (SafeTensors read = SafeTensors.open(valid())) {
            read.read("a", 0, memory);
            assertThat(memory.hasRemaining()).isFalse();
            assertThat(memory.getFloat(20)).isEqualTo(6);
            read.read("none", 0, ByteBuffer.allocateDirect(0));

            ByteBuffer part = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);
            read.read("a", 16, part);
            assertThat(part.getFloat(4)).isEqualTo(6);

            assertThatThrownBy(() -> read.read("a", 0, ByteBuffer.allocateDirect(28)))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> read.read("a", 20, ByteBuffer.allocateDirect(8)))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "8", "16", "1000"})
    void slicesOfAnySizeGiveTheSameValues(String sliceBytes) throws IOException {
        Path whole = valid();
        byte[] expected = Files.readAllBytes(whole);
        System.setProperty("prpf.slice-bytes", sliceBytes);
        try (SafeTensors read = SafeTensors.open(whole)) {
            Path copy = directory.resolve("copy.safetensors");
            Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
            tensors.put(
                    "a", SafeTensors.Tensor.ofFloats(new long[] {2, 3}, new float[] {1, 2, 3, 4}, new float[] {5, 6}));
            tensors.put("none", read.tensor("none"));
            tensors.put("one", read.tensor("one"));
            SafeTensors.write(copy, tensors, Map.of("format", "pt"));

            assertThat(Files.readAllBytes(copy)).isEqualTo(expected);
            assertThat(read.floats("a")).containsExactly(1, 2, 3, 4, 5, 6);
            List<Integer> sizes = new ArrayList<>();
            read.slices("a", slice -> sizes.add(slice.remaining()));
            assertThat(sizes).allSatisfy(size -> assertThat(size)
                    .isLessThanOrEqualTo(Math.max(8, Integer.parseInt(sliceBytes))));
            assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(24);
        } finally {
            System.clearProperty("prpf.slice-bytes");
        }
    }

    @Test
    void tensorsAreEqualByTypeShapeAndBytes() throws IOException {
        try (SafeTensors read = SafeTensors.open(valid());
                SafeTensors again = SafeTensors.open(valid())) {
            assertThat(SafeTensors.equal(read, "a", again, "a")).isTrue();
            assertThat(SafeTensors.equal(read, "a", again, "none")).isFalse();
        }
    }

    @Test
    void aFileThatWasCutAfterItWasOpenedIsRefused() throws IOException {
        Path file = valid();
        try (SafeTensors read = SafeTensors.open(file)) {
            byte[] bytes = Files.readAllBytes(file);
            Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length - 20));

            assertThatThrownBy(() -> read.read("a", 0, ByteBuffer.allocateDirect(24)))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining("the file ends inside tensor a");
        }
    }

    @Test
    void aHeaderLongerThanTheFileIsRefusedBeforeMemoryIsTakenForIt() throws IOException {
        Path file = valid();
        byte[] bytes = Files.readAllBytes(file);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(0, 1L << 60);
        Files.write(file, bytes);
        assertRefused(file, "header length = 1152921504606846976");
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(0, -1);
        Files.write(file, bytes);
        assertRefused(file, "header length = -1");
        Files.write(file, new byte[] {1, 2, 3});
        assertRefused(file, "ends inside its header");
    }

    /** Changes bytes: the reader must return tensors inside the file, or reject it as bad data. */
    @Test
    void changedBytesAreReadOrRefusedAndNothingElse() throws IOException {
        Path file = valid();
        byte[] whole = Files.readAllBytes(file);
        Random random = new Random(20_251);
        int refused = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] bytes = mutated(whole, random);
            Files.write(file, bytes);
            try (SafeTensors read = SafeTensors.open(file)) {
                for (SafeTensors.Entry entry : read.entries().values()) {
                    assertThat(entry.begin()).isBetween(0L, entry.end());
                    assertThat(entry.end()).isLessThan(bytes.length);
                }
            } catch (PrpfException e) {
                assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA);
                refused++;
            }
        }
        assertThat(refused).isBetween(MUTATIONS / 4, MUTATIONS - 1);
    }

    /** Replaces, removes, repeats or truncates bytes, mostly in the header. */
    private static byte[] mutated(byte[] whole, Random random) {
        byte[] bytes = whole.clone();
        int header = whole.length - 32;
        for (int change = random.nextInt(3); change >= 0; change--) {
            int at = random.nextInt(random.nextInt(10) == 0 ? bytes.length : Math.min(header, bytes.length));
            switch (random.nextInt(4)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] = (byte) "0123456789-[]{},:\"eE.".charAt(random.nextInt(21));
                case 2 -> bytes = java.util.Arrays.copyOf(bytes, Math.max(1, bytes.length - random.nextInt(12)));
                default -> {
                    int to = random.nextInt(bytes.length);
                    bytes[to] = bytes[at];
                }
            }
        }
        return bytes;
    }

    @Test
    void aTensorWhoseContentDoesNotFillItsShapeIsNotWritten() {
        Path file = directory.resolve("short.safetensors");
        SafeTensors.Tensor tensor = new SafeTensors.Tensor("F32", new long[] {3}, ByteBuffer.allocate(8));

        assertThatThrownBy(() -> SafeTensors.write(file, Map.of("a", tensor), Map.of()))
                .hasMessage("tensor a has 8 bytes; its type and shape take 12");
        assertThat(file).doesNotExist();
    }
}

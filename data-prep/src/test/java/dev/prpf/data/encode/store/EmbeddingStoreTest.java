package dev.prpf.data.encode.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddingStoreTest {
    private static final String ID = "encoder-v1";

    @TempDir
    Path folder;

    private EmbeddingStore<float[]> open() {
        return EmbeddingStore.ofVectors(folder, ID, 4);
    }

    private Path file() {
        return folder.resolve(ID + ".vectors");
    }

    private static float[] vector(int i) {
        return new float[] {i, -i, i / 3f, 1e-30f};
    }

    private void put(EmbeddingStore<float[]> store, int i) {
        store.put(Map.of(ContentKey.of("text " + i), vector(i)));
    }

    @Test
    void keepsVectorsBitForBitAcrossOpenings() {
        try (EmbeddingStore<float[]> store = open()) {
            IntStream.range(0, 50).forEach(i -> put(store, i));
        }
        try (EmbeddingStore<float[]> store = open()) {
            assertThat(store.size()).isEqualTo(50);
            IntStream.range(0, 50).forEach(i -> assertThat(store.get(ContentKey.of("text " + i)))
                    .isEqualTo(vector(i)));
            assertThat(store.get(ContentKey.of("never put"))).isNull();
        }
    }

    @Test
    void dropsATornTailWhereverTheKillFellAndGoesOn() throws IOException {
        try (EmbeddingStore<float[]> store = open()) {
            put(store, 0);
            put(store, 1);
        }
        byte[] whole = Files.readAllBytes(file());
        int record = 32 + 4 + 16 + 4;
        for (int lost = 1; lost <= record; lost++) {
            Files.write(file(), Arrays.copyOf(whole, whole.length - lost));
            try (EmbeddingStore<float[]> store = open()) {
                assertThat(store.size()).as("%d bytes lost", lost).isEqualTo(1);
                assertThat(store.get(ContentKey.of("text 0"))).isEqualTo(vector(0));
                assertThat(store.contains(ContentKey.of("text 1"))).isFalse();
                put(store, 2);
            }
            try (EmbeddingStore<float[]> store = open()) {
                assertThat(store.size()).isEqualTo(2);
                assertThat(store.get(ContentKey.of("text 2"))).isEqualTo(vector(2));
            }
        }
    }

    @Test
    void dropsAHeaderThatWasCutOff() throws IOException {
        open().close();
        byte[] whole = Files.readAllBytes(file());
        for (int kept = 0; kept < whole.length; kept++) {
            Files.write(file(), Arrays.copyOf(whole, kept));
            try (EmbeddingStore<float[]> store = open()) {
                put(store, 3);
                assertThat(store.get(ContentKey.of("text 3"))).isEqualTo(vector(3));
            }
        }
    }

    @Test
    void dropsARecordWhoseBytesAreSpoilt() throws IOException {
        try (EmbeddingStore<float[]> store = open()) {
            put(store, 0);
            put(store, 1);
        }
        byte[] bytes = Files.readAllBytes(file());
        bytes[bytes.length - 10] ^= 1;
        Files.write(file(), bytes);
        try (EmbeddingStore<float[]> store = open()) {
            assertThat(store.size()).isEqualTo(1);
        }
        assertThat(Files.size(file())).isEqualTo(bytes.length - 56);
    }

    @Test
    void aFlippedBitCostsItsOwnRecordAloneWhereverItIs() throws IOException {
        try (EmbeddingStore<float[]> store = open()) {
            IntStream.range(0, 6).forEach(i -> put(store, i));
        }
        byte[] whole = Files.readAllBytes(file());
        int record = 32 + 4 + 16 + 4;
        int second = whole.length - 5 * record;
        for (int bit = 0; bit < 8 * record; bit++) {
            byte[] bytes = whole.clone();
            bytes[second + bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(file(), bytes);
            try (EmbeddingStore<float[]> store = open()) {
                assertThat(store.size()).as("bit %d", bit).isEqualTo(5);
                assertThat(store.get(ContentKey.of("text 1"))).as("bit %d", bit).isNull();
                assertThat(store.get(ContentKey.of("text 5"))).isEqualTo(vector(5));
                put(store, 1);
                assertThat(store.get(ContentKey.of("text 1"))).isEqualTo(vector(1));
            }
            try (EmbeddingStore<float[]> store = open()) {
                assertThat(store.size()).as("put again").isEqualTo(6);
                assertThat(store.get(ContentKey.of("text 1"))).isEqualTo(vector(1));
            }
        }
    }

    @Test
    void severalSpoiltRecordsAndATornTailLeaveTheRest() throws IOException {
        try (EmbeddingStore<float[]> store = open()) {
            IntStream.range(0, 2_000).forEach(i -> put(store, i));
        }
        byte[] bytes = Files.readAllBytes(file());
        int record = 32 + 4 + 16 + 4;
        int first = bytes.length - 2_000 * record;
        for (int spoilt : new int[] {0, 1, 700, 1_500}) {
            Arrays.fill(bytes, first + spoilt * record, first + (spoilt + 1) * record, (byte) -1);
        }
        Files.write(file(), Arrays.copyOf(bytes, bytes.length - 3));
        try (EmbeddingStore<float[]> store = open()) {
            assertThat(store.size()).isEqualTo(2_000 - 4 - 1);
            assertThat(store.get(ContentKey.of("text 1998"))).isEqualTo(vector(1998));
        }
        assertThat(Files.size(file())).as("only the torn record is cut off").isEqualTo(bytes.length - record);
    }

    @Test
    void writesNothingTwice() throws IOException {
        try (EmbeddingStore<float[]> store = open()) {
            put(store, 0);
            long size = Files.size(file());
            put(store, 0);
            assertThat(Files.size(file())).isEqualTo(size);
        }
    }

    @Test
    void twoUsersOfOneFileLoseNothing() {
        try (EmbeddingStore<float[]> one = open();
                EmbeddingStore<float[]> other = open()) {
            put(one, 0);
            put(other, 1);
            put(one, 2);
            put(other, 0);
        }
        try (EmbeddingStore<float[]> store = open()) {
            assertThat(store.size()).isEqualTo(3);
            IntStream.range(0, 3).forEach(i -> assertThat(store.get(ContentKey.of("text " + i)))
                    .isEqualTo(vector(i)));
        }
    }

    @Test
    void severalThreadsMayPut() {
        try (EmbeddingStore<float[]> store = open()) {
            IntStream.range(0, 200).parallel().forEach(i -> put(store, i));
        }
        try (EmbeddingStore<float[]> store = open()) {
            assertThat(store.size()).isEqualTo(200);
        }
    }

    @Test
    void aHundredThousandVectorsLoadFast() {
        Map<ContentKey, float[]> many = new HashMap<>();
        IntStream.range(0, 100_000).forEach(i -> many.put(new ContentKey(i, 1, 2, 3), vector(i)));
        try (EmbeddingStore<float[]> store = open()) {
            store.put(many);
        }
        long start = System.nanoTime();
        try (EmbeddingStore<float[]> store = open()) {
            assertThat(store.size()).isEqualTo(100_000);
        }
        assertThat((System.nanoTime() - start) / 1e9).as("seconds to open").isLessThan(5);
    }

    @Test
    void refusesAFileThatIsNoStoreOrAnotherEncoders() throws IOException {
        Files.writeString(file(), "this is not a store", StandardOpenOption.CREATE);
        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                .hasMessageContaining("must be encoder \"encoder-v1\"");
        assertThat(Files.readString(file())).as("the file is left alone").isEqualTo("this is not a store");
        Files.delete(file());
        try (RecordFile other = RecordFile.open(file(), "clip-fp32-512-abc")) {
            assertThat(other.size()).isZero();
        }
        assertThatThrownBy(this::open)
                .hasMessageContaining("was written by encoder \"clip-fp32-512-abc\", must be encoder \"encoder-v1\"");
    }

    @Test
    void refusesWhatIsNoFiniteNumber() {
        ContentKey key = ContentKey.of("text");
        float[] vector = vector(1).clone();
        vector[2] = Float.NaN;
        try (EmbeddingStore<float[]> store = open()) {
            assertThatThrownBy(() -> store.put(Map.of(key, vector)))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_DATA))
                    .hasMessageContaining("the store of encoder-v1 holds NaN at index 2");
            assertThat(store.size()).isZero();
        }
        byte[] payload = new byte[vector.length * Float.BYTES];
        ByteBuffer.wrap(payload).putFloat(0, Float.POSITIVE_INFINITY);
        try (RecordFile file = RecordFile.open(file(), "encoder-v1")) {
            file.put(Map.of(key, payload));
        }
        try (EmbeddingStore<float[]> store = open()) {
            assertThatThrownBy(() -> store.get(key)).hasMessageContaining("holds Infinity at index 0");
        }
    }

    @Test
    void whatIsReadLazilyOutlivesTheStoreAndItsGrowth() {
        ContentKey first = ContentKey.of("text 0");
        Supplier<float[]> lazy;
        try (EmbeddingStore<float[]> store = open()) {
            put(store, 0);
            lazy = Objects.requireNonNull(store.getLazily(first));
            assertThat(store.getLazily(ContentKey.of("never put"))).isNull();
            IntStream.range(1, 500).forEach(i -> put(store, i));
            assertThat(Objects.requireNonNull(store.getLazily(ContentKey.of("text 499")))
                            .get())
                    .as("behind what was mapped first")
                    .isEqualTo(vector(499));
        }
        assertThat(lazy.get()).isEqualTo(vector(0));
    }

    @Test
    void screenTextsKeepTheirLines() {
        ContentKey image = ContentKey.of(new byte[] {1, 2, 3});
        try (EmbeddingStore<String> store = EmbeddingStore.ofTexts(folder, "reader")) {
            store.put(Map.of(image, "第一行\n第二行 😀"));
            store.put(Map.of(ContentKey.of(new byte[0]), ""));
        }
        try (EmbeddingStore<String> store = EmbeddingStore.ofTexts(folder, "reader")) {
            assertThat(store.get(image)).isEqualTo("第一行\n第二行 😀");
            assertThat(store.get(ContentKey.of(new byte[0]))).isEmpty();
            assertThat(store.get(ContentKey.of("none"))).isNull();
        }
    }
}

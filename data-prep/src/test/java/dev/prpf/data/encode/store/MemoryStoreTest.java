package dev.prpf.data.encode.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.data.encode.store.EmbeddingStore.StorePlace;
import dev.prpf.data.encode.store.EmbeddingStore.Tenant;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a bounded store in memory, which keeps the most recently used encodings. */
class MemoryStoreTest {
    /** An entry of 4 floats takes 144 bytes with its overhead. */
    private static final int ENTRY = 144;

    private static ContentKey key(int i) {
        return ContentKey.of("text " + i);
    }

    private static EmbeddingStore<float[]> open(int entries) {
        return EmbeddingStore.ofVectors(new StorePlace.Memory((long) entries * ENTRY), "encoder", 4);
    }

    private static void put(EmbeddingStore<float[]> store, int i) {
        store.put(Map.of(key(i), new float[] {i, 1, 2, 3}));
    }

    @Test
    void whatWasNotAskedForTheLongestGoesFirst() {
        try (EmbeddingStore<float[]> store = open(3)) {
            put(store, 0);
            put(store, 1);
            put(store, 2);
            assertThat(store.get(key(0))).containsExactly(0, 1, 2, 3);
            put(store, 3);
            assertThat(store.contains(key(1))).isFalse();
            assertThat(store.get(key(1))).isNull();
            assertThat(store.contains(key(0))).isTrue();
            assertThat(store.size()).isEqualTo(3);
            assertThat(store.lasts()).isFalse();
        }
    }

    @Test
    void tenantsFindNothingOfEachOtherAndTheLargestLosesFirst() {
        try (EmbeddingStore<float[]> store = open(4)) {
            put(store, 0);
            Tenant.as("a", () -> {
                assertThat(store.get(key(0))).isNull();
                assertThat(store.contains(key(0))).isFalse();
                for (int i = 0; i < 10; i++) {
                    put(store, i);
                }
                assertThat(store.get(key(9))).containsExactly(9, 1, 2, 3);
                return store;
            });
            assertThat(store.get(key(0))).as("of the tenant that holds little").containsExactly(0, 1, 2, 3);
            assertThat(store.get(key(9))).isNull();
            assertThat(store.size()).isEqualTo(4);
        }
    }

    @Test
    void whatWasReadOnceIsReadableWhateverBecameOfIt() {
        EmbeddingStore<float[]> store = open(1);
        put(store, 0);
        Supplier<float[]> read = Objects.requireNonNull(store.getLazily(key(0)));
        put(store, 1);
        assertThat(store.size()).isOne();
        store.close();
        assertThat(read.get()).containsExactly(0, 1, 2, 3);
        assertThat(read.get()).isNotSameAs(read.get());
    }

    @Test
    void theNewestStaysHoweverLittleRoomThereIs() {
        try (EmbeddingStore<String> store = EmbeddingStore.ofTexts(new StorePlace.Memory(1), "reader")) {
            Map<ContentKey, String> texts = new HashMap<>();
            texts.put(key(0), "屏幕");
            store.put(texts);
            assertThat(store.get(key(0))).isEqualTo("屏幕");
            store.put(Map.of(key(0), "again"));
            assertThat(store.get(key(0))).as("what is there stays").isEqualTo("屏幕");
        }
        assertThatThrownBy(() -> new StorePlace.Memory(0)).hasMessage("bytes = 0 must be at least 1");
    }

    @Test
    void aContentMayHaveSeveralVectors(@TempDir Path folder) {
        float[] three = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        for (StorePlace place : List.of(new StorePlace.Memory(1000), new StorePlace.Folder(folder))) {
            try (EmbeddingStore<float[]> store = EmbeddingStore.ofMatrices(place, "tower", 4)) {
                store.put(Map.of(key(0), three));
                store.put(Map.of(key(1), new float[4]));
                assertThat(store.get(key(0))).isEqualTo(three);
                assertThat(store.get(key(1))).isEqualTo(new float[4]);
                for (int values : new int[] {0, 6}) {
                    assertThatThrownBy(() -> store.put(Map.of(key(2), new float[values])))
                            .hasMessageContaining(
                                    "a vector of " + values + " floats in the store of tower, width must be 4");
                }
            }
        }
        try (EmbeddingStore<float[]> store = EmbeddingStore.ofMatrices(new StorePlace.Folder(folder), "tower", 4)) {
            assertThat(store.get(key(0))).isEqualTo(three);
        }
    }

    @Test
    void aVectorOfAnotherWidthIsRefusedHereToo() {
        try (EmbeddingStore<float[]> store = open(2)) {
            assertThatThrownBy(() -> store.put(Map.of(key(0), new float[3])))
                    .hasMessageContaining("a vector of 3 floats in the store of encoder, width must be 4");
        }
    }
}

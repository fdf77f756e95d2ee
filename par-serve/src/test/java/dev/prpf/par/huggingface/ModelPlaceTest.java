package dev.prpf.par.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelPlaceTest {
    @TempDir
    Path folder;

    private Path model;
    private Path previous;
    private Path partial;

    @BeforeEach
    void name() {
        model = folder.resolve("model");
        previous = folder.resolve(".model.previous");
        partial = folder.resolve(".model.partial");
    }

    private static void write(Path directory, String content) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("config.json"), content);
        Files.writeString(directory.resolve("model.safetensors"), content);
    }

    private static boolean isWhole(Path directory) {
        try {
            return Files.readString(directory.resolve("config.json"))
                    .equals(Files.readString(directory.resolve("model.safetensors")));
        } catch (IOException missing) {
            return false;
        }
    }

    private Stream<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList().stream();
        }
    }

    private void replace(String content) {
        ModelPlace.model(model).replace(directory -> write(directory, content));
    }

    @Test
    void modelReplacesAnotherWithoutLeftovers() throws IOException {
        replace("one");
        Files.writeString(model.resolve("merges.txt"), "of the first");
        replace("two");
        assertThat(model.resolve("model.safetensors")).hasContent("two");
        assertThat(model.resolve("merges.txt")).doesNotExist();
        assertThat(names()).containsExactly("model");
    }

    private void assertLeftAlone(String message) throws IOException {
        String before = everything();
        assertThatThrownBy(() -> ModelPlace.model(model).requireReplaceable())
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll("--out " + model, message);
        assertThatThrownBy(() -> replace("new")).isInstanceOf(UsageException.class);
        assertThat(everything()).isEqualTo(before);
        assertThat(isWhole(partial)).as("the new model is kept").isTrue();
    }

    private String everything() throws IOException {
        try (Stream<Path> files = Files.walk(model)) {
            return files.sorted().toList().toString();
        }
    }

    @Test
    void aModelWithASubfolderIsLeftAlone() throws IOException {
        write(model, "old");
        Files.createDirectories(model.resolve("photos/holidays"));
        assertLeftAlone("photos, which is not part of a trained model");
    }

    @Test
    void aModelWithAForeignFileIsLeftAlone() throws IOException {
        write(model, "old");
        Files.writeString(model.resolve("thesis.txt"), "years of work");
        assertLeftAlone("thesis.txt, which is not part of a trained model");
    }

    @Test
    void theConfigurationOfAnotherProgramIsNoModel() throws IOException {
        Files.createDirectories(model);
        Files.writeString(model.resolve("config.json"), "{\"port\": 80}");
        assertLeftAlone("config.json, which is not part of a trained model");
    }

    @Test
    void anAdapterIsNoModel() throws IOException {
        Files.createDirectories(model);
        Files.writeString(model.resolve("adapter_config.json"), "{}");
        Files.writeString(model.resolve("adapter_model.safetensors"), "x");
        assertThat(ModelPlace.adapters(model).requireReplaceable()).isTrue();
        assertLeftAlone("adapter_config.json, which is not part of a trained model");
    }

    @Test
    void noneAndAnEmptyDirectoryAreFree() throws IOException {
        assertThat(ModelPlace.model(model).requireReplaceable()).isFalse();
        Files.createDirectories(model);
        assertThat(ModelPlace.model(model).requireReplaceable()).isFalse();
        replace("one");
        assertThat(ModelPlace.model(model).requireReplaceable()).isTrue();
    }

    @Test
    void failedWrite_keepsOldModelAndNoPartialFolder() throws IOException {
        replace("old");
        assertThatThrownBy(() -> ModelPlace.model(model).replace(directory -> {
                    write(directory, "half");
                    throw new IOException("No space left on device");
                }))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContainingAll("cannot write " + model, "No space left on device");
        assertThat(model.resolve("model.safetensors")).hasContent("old");
        assertThat(names()).containsExactly("model");
    }

    /** The state after a kill between the two moves. */
    @Test
    void killedReplacementIsUndoneAtTheNextStart() throws IOException {
        write(previous, "old");
        write(partial, "new");
        assertThatThrownBy(() -> HuggingFaceDirectory.open(model).config())
                .hasMessageContaining(model.resolve("config.json").toString());
        assertThat(model.resolve("model.safetensors")).hasContent("old");
        assertThat(previous).doesNotExist();

        replace("third");
        assertThat(model.resolve("model.safetensors")).hasContent("third");
        assertThat(names()).containsExactly("model");
    }

    /** The state after a kill during the deletion of the old model. */
    @Test
    void partlyDeletedModelIsNotRestored() throws IOException {
        Files.createDirectories(previous);
        Files.writeString(previous.resolve("model.safetensors"), "old");
        ModelPlace.model(model).recover();
        assertThat(model).doesNotExist();
        replace("new");
        assertThat(names()).containsExactly("model");
    }

    @Test
    void oneModelIsAlwaysComplete() throws Exception {
        replace("0");
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger begun = new AtomicInteger();
        CompletableFuture<Long> looks = CompletableFuture.supplyAsync(() -> {
            long count = 0;
            // within one replacement a model that is in neither place has moved in meanwhile
            for (; !done.get(); count++) {
                int before = begun.get();
                boolean whole = isWhole(model) || isWhole(previous) || isWhole(model);
                assertThat(whole || begun.get() != before).as("look %d", count).isTrue();
            }
            return count;
        });
        for (int i = 1; i <= 200; i++) {
            begun.incrementAndGet();
            replace(Integer.toString(i));
        }
        done.set(true);
        assertThat(looks.get()).isPositive();
    }

    @Test
    void aLinkStaysALinkAndItsDirectoryIsReplaced() throws IOException {
        Path real = folder.resolve("disk/real");
        write(real, "old");
        Files.createSymbolicLink(model, real);
        replace("new");
        assertThat(model).isSymbolicLink();
        assertThat(real.resolve("model.safetensors")).hasContent("new");
        assertThat(names()).containsExactly("disk", "model");
    }

    @Test
    void secondWriterIsRejectedWithoutHarmToTheFirst() throws IOException {
        ModelPlace.model(model).replace(directory -> {
            write(directory, "first");
            assertThatThrownBy(() -> replace("second"))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContainingAll(model.toString(), "another process is writing its model here");
            assertThat(isWhole(directory)).isTrue();
        });
        assertThat(model.resolve("model.safetensors")).hasContent("first");
        assertThat(names()).containsExactly("model");
    }

    @Test
    void recoveringReadersDoNotDisturbAWriter() throws Exception {
        replace("0");
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
            while (!done.get()) {
                ModelPlace.model(model).recover();
            }
        });
        try {
            for (int i = 1; i <= 100; i++) {
                replace(Integer.toString(i));
            }
        } finally {
            done.set(true);
        }
        reader.get();
        assertThat(model.resolve("model.safetensors")).hasContent("100");
        assertThat(names()).containsExactly("model");
    }
}

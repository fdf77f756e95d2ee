package dev.prpf.par.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Base of the tests of {@code reasoner sft}: data, a small model and one finished run. */
@Tag("slow")
abstract class SftCommandRuns {
    @TempDir
    static Path folder;

    static Path data;

    static Path model;

    /** Result of the run "plain", which several tests read. */
    static JsonNode plain;

    @BeforeAll
    static void makeDataAndModel() throws IOException {
        SmallWorld world = SmallWorld.in(folder);
        data = world.data();
        model = world.model();
        plain = new ObjectMapper().readTree(SmallWorld.run(0, arguments("plain")));
    }

    static List<String> arguments(String run, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "sft",
                "--config",
                SmallWorld.CONFIGS.resolve("reasoner-sft.yaml").toString(),
                "--reasoner",
                model.toString(),
                "--data",
                data.toString(),
                "--run-dir",
                folder.resolve(run).toString(),
                "--json",
                "--set",
                "encoder.store=" + folder.resolve("store"),
                "--set",
                "examples.max-length=1024",
                "--set",
                "training.batch-size=2",
                "--set",
                "training.dev-share=0.2",
                "--set",
                "training.epochs=2",
                "--set",
                "training.logging-steps=1",
                "--set",
                "training.checkpoint-steps=3"));
        arguments.addAll(List.of(more));
        return arguments;
    }

    static List<String> metrics(String run) throws IOException {
        Path file = folder.resolve(run).resolve("metrics.jsonl");
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    static Path changed(String name, String file, String what, String with) throws IOException {
        Path copy = Files.createDirectory(folder.resolve(name));
        for (String one : List.of("config.json", "generation_config.json", "tokenizer.json", "model.safetensors")) {
            Files.copy(model.resolve(one), copy.resolve(one));
        }
        String text = Files.readString(copy.resolve(file));
        assertThat(text).containsPattern(what);
        Files.writeString(copy.resolve(file), text.replaceAll(what, with));
        return copy;
    }
}

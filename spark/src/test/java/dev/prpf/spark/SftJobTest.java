package dev.prpf.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.par.command.SftSetCommand;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SftJobTest extends JobTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path CONFIGS =
            Path.of(System.getProperty("prpf.root", "..")).resolve("configs");

    @BeforeEach
    void scenarios() throws IOException {
        write(
                "scenarios.json",
                "{\"scenarios\":[{\"name\":\"Transportation\",\"chinese\":\"出行\"},{\"name\":\"Search\",\"chinese\":\"搜索\"}],"
                        + "\"functions\":{\"book\":\"Transportation\",\"find\":\"Search\"}}");
    }

    private static List<String> texts(int count) {
        List<String> records = new ArrayList<>(records(count));
        records.replaceAll(record -> record.replace("{\"source\":\"picture\",\"picture\":\"a.png\"}", "\"打开地图\""));
        return records;
    }

    private String[] arguments(String config, String data, String out, String... more) {
        List<String> all = new ArrayList<>(List.of(
                "--config",
                CONFIGS.resolve(config).toString(),
                "--data",
                at(data),
                "--pool",
                at("pool.json"),
                "--scenarios",
                at("scenarios.json"),
                "--out",
                at(out),
                "--json"));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private String onSpark(int status, String config, String data, String out, String... more) {
        List<String> all = new ArrayList<>(List.of("sft-set"));
        all.addAll(List.of(arguments(config, data, out, more)));
        return job(status, all.toArray(String[]::new));
    }

    private static ObjectNode counts(String printed) throws IOException {
        JsonNode summary = JSON.readTree(printed);
        return ((ObjectNode) summary).without(List.of("out", "remote"));
    }

    @Test
    void setEqualsThatOfOneMachine() throws IOException {
        writeLines("data", texts(40));
        for (List<String> settings : List.of(
                List.of("--set", "set.target=all"),
                List.of("--set", "prompt.reasoning=full", "--set", "set.shortlist=1", "--set", "set.max-calls=1"))) {
            String[] more = settings.toArray(String[]::new);
            List<String> ofOneMachine = new ArrayList<>(settings);
            ofOneMachine.addAll(List.of("--store", at("store")));
            String expected = local(
                    new SftSetCommand(),
                    0,
                    arguments("data-sft-set.yaml", "data.jsonl", "sft.jsonl", ofOneMachine.toArray(String[]::new)));
            String out = "sft-" + settings.size();
            String found = onSpark(0, "data-sft-set.yaml", "data", out, more);
            assertThat(counts(found)).isEqualTo(counts(expected));
            assertThat(counts(found).get("records").intValue()).isEqualTo(40);
            assertThat(parts(out)).isEqualTo(Files.readAllLines(directory.resolve("sft.jsonl")));
        }
    }

    @Test
    void screenshotsAreReadBelowTheRoot() throws IOException {
        writeLines("data", records(12));
        ImageIO.write(
                new BufferedImage(64, 64, BufferedImage.TYPE_INT_RGB),
                "png",
                directory.resolve("a.png").toFile());
        String[] ofOneMachine = {"--images", directory.toString(), "--store", at("store")};
        local(new SftSetCommand(), 0, arguments("data-sft-set.yaml", "data.jsonl", "sft.jsonl", ofOneMachine));
        onSpark(0, "data-sft-set.yaml", "data", "sft", "--images", directory.toString());
        assertThat(parts("sft")).hasSize(12).isEqualTo(Files.readAllLines(directory.resolve("sft.jsonl")));
    }

    @Test
    void aDryRunCountsAndWritesNothing() throws IOException {
        writeLines("data", texts(10));
        assertThat(counts(onSpark(0, "data-sft-set.yaml", "data", "sft", "--dry-run"))
                        .get("acting")
                        .intValue())
                .isEqualTo(6);
        assertThat(directory.resolve("sft")).doesNotExist();
    }

    @Test
    void duplicateIdsAreRejected() throws IOException {
        List<String> records = texts(30);
        records.add(records.get(4));
        writeLines("data", records);
        onSpark(65, "data-sft-set.yaml", "data", "sft");
        assertThat(stderr())
                .contains(at("data") + ": record 30, at /benchmark_metadata/id: \"s4\" is the id of record 4 already");
    }

    @Test
    void unlearnableSampleEndsTheJobAsOnOneMachine() throws IOException {
        List<String> records = texts(12);
        records.set(7, record("fly", 1, "\"s\"", BOOK.replace("book", "fly")));
        writeLines("data", records);
        onSpark(65, "data-sft-set.yaml", "data", "sft");
        assertThat(stderr()).contains("sample fly: its answer calls fly, which the pool does not have");
        writeLines("data", records(12));
        onSpark(2, "data-sft-set.yaml", "data", "screens");
        assertThat(stderr())
                .contains("must be read for the prompt, but no folder to find it in was given; name it with --images");
        write("none.jsonl", "\n");
        onSpark(65, "data-sft-set.yaml", "none.jsonl", "none");
        assertThat(stderr()).contains(at("none.jsonl") + ": holds no samples to make a set of");
    }
}

package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.SampleWriter;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Resumed and sharded runs of {@code eval run}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
class RunResumeTest extends RunCommandRuns {
    @Test
    void mergedShardsAreTheWholeRunByteByByteButForCosts() throws IOException {
        Path whole = directory.resolve("whole").resolve("predictions.jsonl");
        run(whole, "--gating", "off", "--compress", "off");
        List<String> merging = new ArrayList<>(List.of("merge", "--json", "--out"));
        Path merged = directory.resolve("merged").resolve("predictions.jsonl");
        merging.add(merged.toString());
        for (int i = 1; i <= 3; i++) {
            Path out = directory.resolve("shard" + i).resolve("predictions.jsonl");
            run(out, "--gating", "off", "--compress", "off", "--shard", i + "/3");
            assertThat(status).isZero();
            merging.add(out.toString());
        }
        JsonNode summary = new ObjectMapper().readTree(execute(new EvalCommand(), merging.toArray(String[]::new)));
        assertThat(status).isZero();
        assertThat(withoutCosts(merged)).hasSize(5).isEqualTo(withoutCosts(whole));
        assertThat(summary.path("samples").intValue()).isEqualTo(5);
        assertThat(summary.at("/decoder/layers").intValue()).isEqualTo(1);
        assertThat(run(
                        directory.resolve("shard1").resolve("predictions.jsonl"),
                        "--gating",
                        "off",
                        "--compress",
                        "off"))
                .contains("shard was \"1/3\" and now is absent");
        assertThat(status).isEqualTo(78);
        assertThat(run(merged, "--gating", "off", "--compress", "off", "--shard", "4/3"))
                .contains("--shard = 4/3, must be I/N");
        assertThat(status).isEqualTo(2);
    }

    @Test
    void anotherModelOfTheSameNameDoesNotGoOn() throws IOException {
        Path out = directory.resolve("changed").resolve("predictions.jsonl");
        run(out, "--gating", "off", "--compress", "off");
        assertThat(status).isZero();
        Path run = out.resolveSibling("run.json");
        String facts = Files.readString(run);
        String sum = new ObjectMapper().readTree(facts).path("model_sha256").asText();
        assertThat(sum).hasSize(64);
        Files.writeString(run, facts.replace(sum, "0".repeat(64)));
        assertThat(run(out, "--gating", "off", "--compress", "off")).contains("model content has changed");
        assertThat(status).isEqualTo(78);
    }

    @Test
    void aRunOverImagesThatWereChangedDoesNotGoOn() throws IOException {
        Path screens = directory.resolve("changing.json");
        List<Sample> records = new ArrayList<>();
        DeviceContext context = new DeviceContext("常去火车站", "电量八成", "下雨");
        Trajectory shown = new Trajectory(List.of(new TraceStep.Screenshot("changing.png")));
        records.add(new Sample("shown", 1, null, null, context, shown, null));
        SampleWriter.write(screens, records.iterator());
        BufferedImage screen = new BufferedImage(20, 40, BufferedImage.TYPE_INT_RGB);
        Path image = directory.resolve("changing.png");
        ImageIO.write(screen, "png", image.toFile());
        Path out = directory.resolve("changing").resolve("predictions.jsonl");
        String[] arguments = {"--images", directory.toString(), "--gating", "off", "--compress", "off"};
        run(out, screens, arguments);
        assertThat(status).isZero();
        run(out, screens, arguments);
        assertThat(status).as("again").isZero();
        screen.setRGB(3, 3, 0xFFFFFF);
        ImageIO.write(screen, "png", image.toFile());
        assertThat(run(out, screens, arguments)).contains("images content has changed");
        assertThat(status).isEqualTo(78);
    }

    @Test
    void predictionsOfUnknownOriginAreNotContinued() throws IOException {
        Path out = Files.createDirectories(directory.resolve("foreign")).resolve("p.jsonl");
        Files.writeString(out, "{\"id\":\"s0\",\"route\":\"silent\",\"calls\":[]}\n");
        assertThat(run(out, "--gating", "off", "--compress", "off")).contains("no run.json");
        assertThat(status).isEqualTo(2);
    }
}

package dev.prpf.eval.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.prpf.base.error.ExitCode;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProvenanceTest {
    @TempDir
    Path directory;

    private Path run(String name, String facts, String config) throws IOException {
        Path run = Files.createDirectories(directory.resolve(name));
        Files.writeString(
                run.resolve("run.json"),
                "{\"command\":\"eval run\",\"arguments\":[\"eval\",\"run\",\"--data\",\"d.json\",\"--pool=p.json\",\"--reasoner\",\""
                        + run.resolve("model") + "\"],\"predictions\":\"predictions.jsonl\",\"state\":\"done\"," + facts
                        + "}");
        Files.writeString(run.resolve("config.resolved.yaml"), config);
        Files.writeString(run.resolve("predictions.jsonl"), "");
        return run;
    }

    @Test
    void whatDiffersIsSortedByWhatItIsAbout() throws IOException {
        Path a = run(
                "a",
                "\"data_sha256\":\"1\",\"model_sha256\":\"m1\",\"versions\":{\"revision\":\"r1\"},\"started\":\"now\"",
                "gate: true\nshortlist: 5\nlocal:\n  max-new: 96\n");
        Path b = run(
                "b",
                "\"data_sha256\":\"1\",\"model_sha256\":\"m2\",\"versions\":{\"revision\":\"r2\"},\"pool_sha256\":\"q\"",
                "gate: true\nshortlist: 3\nlocal:\n  max-new: 96\n");
        Files.createDirectories(a.resolve("model"));
        Files.writeString(a.resolve("model/prpf.json"), "{\"prompt_hash\":\"h\"}");
        Map<String, Provenance> runs = new LinkedHashMap<>();
        runs.put("first", Provenance.of(RunFiles.of(a)));
        runs.put("second", Provenance.of(RunFiles.of(b.resolve("predictions.jsonl"))));
        runs.put("unknown", Provenance.of(RunFiles.of(directory.resolve("elsewhere.jsonl"))));

        List<Provenance.Difference> differences = Provenance.differences(runs);

        assertThat(differences)
                .extracting(
                        difference -> difference.kind().key(),
                        Provenance.Difference::fact,
                        difference -> String.valueOf(difference.values()))
                .containsExactly(
                        tuple("data", "pool_sha256", "{first=null, second=q}"),
                        tuple("prompts", "prompt_hash", "{first=h, second=null}"),
                        tuple("weights", "model_sha256", "{first=m1, second=m2}"),
                        tuple("settings", "config.shortlist", "{first=5, second=3}"),
                        tuple("program", "versions.revision", "{first=r1, second=r2}"));
        assertThat(Provenance.differences(Map.of("first", Provenance.of(RunFiles.of(a)))))
                .isEmpty();
    }

    @Test
    void aRunNamesItsPredictionsAndItsArguments() throws IOException {
        RunFiles files = RunFiles.of(run("a", "\"data_sha256\":\"1\"", "gate: true\n"));
        assertThat(files.predictions()).hasFileName("predictions.jsonl");
        assertThat(files.argument("--data")).isEqualTo(Path.of("d.json"));
        assertThat(files.argument("--pool")).isEqualTo(Path.of("p.json"));
        assertThat(files.argument("--images")).isNull();
        assertThat(files.fact("data_sha256")).isEqualTo("1");
        assertThat(files.fact("other")).isNull();
        Path other = Files.writeString(directory.resolve("a/other.jsonl"), "");
        assertThat(RunFiles.of(other).run())
                .as("the other run made another file")
                .isNull();
    }

    @Test
    void aRunSaysWhatItsPromptsShowedOfScreenshots() throws IOException {
        Path pixels = run("pixels", "\"prompt_screenshots\":\"pixels\"", "gate: true\n");
        assertThat(RunFiles.of(pixels).screenshots()).isEqualTo(ScreenshotForm.PIXELS);
        assertThat(RunFiles.of(run("old", "\"data_sha256\":\"1\"", "gate: true\n"))
                        .screenshots())
                .isNull();
        RunFiles changed = RunFiles.of(run("changed", "\"prompt_screenshots\":\"sounds\"", "gate: true\n"));
        assertThatThrownBy(changed::screenshots)
                .hasMessageContaining(
                        "changed/run.json: prompt_screenshots = \"sounds\", must be one of ocr, pixels, both")
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void aRunSaysWhetherItsPromptsHadTheTrace() throws IOException {
        assertThat(RunFiles.of(run("a", "\"without\":[\"profile\",\"trace\"]", ""))
                        .traced())
                .isFalse();
        assertThat(RunFiles.of(run("b", "\"without\":[\"profile\"]", "")).traced())
                .isTrue();
        assertThat(RunFiles.of(run("c", "\"data_sha256\":\"1\"", "")).traced()).isTrue();
        assertThat(RunFiles.of(directory.resolve("elsewhere.jsonl")).traced()).isTrue();
    }

    private static void refused(Path path, String... parts) {
        assertThatThrownBy(() -> RunFiles.of(path))
                .hasMessageContainingAll(parts)
                .extracting(e -> ExitCode.of(e).status())
                .isEqualTo(65);
    }

    @Test
    void aFolderThatHoldsNoRunOrNoPredictionsIsRefused() throws IOException {
        refused(Files.createDirectories(directory.resolve("empty")), "empty", "holds no run.json");
        Path run = run("training", "\"data_sha256\":\"1\"", "gate: true\n");
        Files.delete(run.resolve("predictions.jsonl"));
        refused(run, "training", "run of \"eval run\" has written no predictions.jsonl");
        Files.writeString(run("broken", "\"data_sha256\":\"1\"", "").resolve("config.resolved.yaml"), "a: [1");
        assertThatThrownBy(() -> Provenance.of(RunFiles.of(directory.resolve("broken"))))
                .hasMessageContaining("config.resolved.yaml: is not a configuration");
    }
}

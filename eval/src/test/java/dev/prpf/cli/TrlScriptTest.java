package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code configs/launch/trl.sh} with stubs of prpf and TRL that record their arguments. */
class TrlScriptTest {
    private static final Path SCRIPT = Path.of(System.getProperty("prpf.root", ".."))
            .resolve("configs/launch/trl.sh")
            .toAbsolutePath()
            .normalize();

    @TempDir
    Path directory;

    private String run(int status, String... arguments) throws IOException, InterruptedException {
        Path prpf = program(
                "prpf",
                """
                echo "prpf $*"
                [ "$1 $2" != "data export" ] && exit
                mkdir -p run/export
                echo '{"reasoning": "none", "prompt": {"layout": "paper", "scenes": true}}' > run/export/export.json
                """);
        program(
                "trl",
                """
                echo "trl in ${PWD##*/}: $*"
                mkdir -p ../model ../model-adapter
                touch ../model-adapter/{adapter_model.safetensors,tokenizer.json}
                """);
        program(
                "python3",
                """
                [[ $2 == *peft* ]] || PATH=${PATH#*:} exec python3 "$@"
                echo "merge ${*:3}"
                """);
        List<String> command = new ArrayList<>(List.of("bash", SCRIPT.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().putAll(Map.of("PRPF", prpf.toString(), "PATH", directory + ":" + System.getenv("PATH")));
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isEqualTo(status);
        return said;
    }

    private Path program(String name, String body) throws IOException {
        Path file = Files.writeString(directory.resolve(name), "#!/usr/bin/env bash\n" + body);
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    @Test
    void aSetIsExportedTrainedOnAndTheModelRegistered() throws IOException, InterruptedException {
        Files.createDirectories(directory.resolve("base"));
        String said = run(
                0,
                "sft",
                "base",
                "run/model",
                "--examples",
                "my set.jsonl",
                "--images",
                "i",
                "--",
                "--num_train_epochs",
                "4");
        Path run = directory.toRealPath().resolve("run");
        assertThat(said.lines())
                .containsExactly(
                        "prpf data export --to trl --examples my set.jsonl --images i --out " + run + "/export",
                        "trl in export: sft --config " + SCRIPT.resolveSibling("trl-sft.yaml") + " --dataset_name "
                                + run
                                + "/export --model_name_or_path " + directory.toRealPath() + "/base --output_dir " + run
                                + "/model --chat_template_path chat_template.jinja --num_train_epochs 4",
                        "prpf reasoner adopt --config prompt.yaml --reasoner " + run + "/model");
        assertThat(run.resolve("export/prompt.yaml"))
                .hasContent("{\"prompt\": {\"layout\": \"paper\", \"scenes\": true}}");
    }

    @Test
    void anAdapterIsMergedBeforeTheModelIsRegistered() throws IOException, InterruptedException {
        Files.createDirectories(directory.resolve("base"));
        String said = run(0, "sft", "base", "run/model", "--examples", "s", "--", "--use_peft", "--lora_r", "8");
        Path run = directory.toRealPath().resolve("run");
        assertThat(said)
                .contains("--output_dir " + run + "/model-adapter --chat_template_path")
                .contains("\nmerge " + directory.toRealPath() + "/base " + run + "/model-adapter " + run + "/model\n")
                .endsWith("prpf reasoner adopt --config prompt.yaml --reasoner " + run + "/model\n");
        assertThat(run.resolve("model")).isDirectoryContaining("glob:**/tokenizer.json");
        assertThat(run.resolve("model/adapter_model.safetensors")).doesNotExist();
    }

    @Test
    void anotherKindIsRefused() throws IOException, InterruptedException {
        assertThat(run(2, "dpo", "base", "run/model")).startsWith("usage: trl.sh sft|grpo MODEL OUT");
    }
}

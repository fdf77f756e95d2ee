package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the commands of the launch group with stubs for the schedulers' programs. */
@Tag("slow")
class LaunchJsonContractTest {
    private final Path directory = CommandWorker.emptyFolder();

    @BeforeEach
    void stubs() throws IOException {
        for (String program : new String[] {"sbatch", "squeue", "scancel", "kubectl"}) {
            Path file = Files.createDirectories(directory.resolve(CommandWorker.PROGRAMS))
                    .resolve(program);
            Files.writeString(file, "#!/usr/bin/env bash\ncase $0 in *sbatch) echo 42 ;; *kubectl) exit 1 ;; esac\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    private static JsonNode json(int exitCode, String... arguments) throws IOException {
        CommandProcess.Result result = CommandWorker.run(arguments);
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(exitCode);
        return JsonContract.JSON.readTree(result.stdout());
    }

    @Test
    void everyCommandSpeaksJson() throws IOException {
        JsonNode submitted = json(
                0,
                "launch",
                "--to=slurm",
                "--launch-dir=l",
                "--json",
                "--",
                "data",
                "synth",
                "--config",
                config("synth.yaml"),
                "--out",
                "d");
        assertThat(JsonContract.keys(submitted))
                .containsExactly("launch", "to", "name", "id", "members", "job", "then");
        assertThat(submitted.get("members")).hasSize(1);
        assertThat(submitted.get("then").isNull()).isTrue();
        JsonNode status = json(0, "launch", "status", "l", "--json");
        assertThat(JsonContract.keys(status)).containsExactly("launch", "to", "name", "id", "members", "then");
        assertThat(status.at("/members/0/state").textValue()).isEqualTo("lost");
        assertThat(JsonContract.keys(json(0, "launch", "resume", "l", "--json")))
                .contains("id", "job");
        assertThat(JsonContract.keys(json(0, "launch", "cancel", "l", "--json")))
                .containsExactly("launch", "to", "id");
        assertThat(json(
                                69,
                                "launch",
                                "--to=kubernetes",
                                "--launch-dir=k",
                                "--set=kubernetes.namespace=x",
                                "--json",
                                "--",
                                "data",
                                "synth",
                                "--config",
                                "on-the-claim.yaml",
                                "--out",
                                "d")
                        .isMissingNode())
                .as("no cluster, and nothing on standard output")
                .isTrue();
    }

    private static String config(String name) {
        return JsonContract.CONFIGS.resolve(name).toAbsolutePath().toString();
    }
}

package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs {@code examples/feedback/run.sh} with stubs of prpf and Python that record their arguments. */
class FeedbackExampleTest {
    private static final Path ROOT =
            Path.of(System.getProperty("prpf.root", "..")).toAbsolutePath().normalize();

    @TempDir
    Path folder;

    private String run(int status) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        "bash",
                        ROOT.resolve("examples/feedback/run.sh").toString(),
                        folder.resolve("out").toString())
                .redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "PRPF", folder.resolve("prpf").toString(), "PATH", folder + ":" + System.getenv("PATH")));
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isEqualTo(status);
        return said;
    }

    private void program(String name, String body) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "#!/usr/bin/env bash\n" + body);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private void prpf(String serve) throws IOException {
        program("prpf", "echo \"$*\" >> '" + folder + "/calls'\n[ \"$1\" != serve ] || {\n" + serve + "\n}\n");
    }

    @Test
    void theCascade_isTrainedServedAndTrainedAgain() throws Exception {
        prpf("trap 'echo ended >> \"" + folder + "/calls\"; exit 0' TERM\n"
                + "echo '{\"listening\": \"http://127.0.0.1:4321\"}'\nwhile :; do sleep 0.05; done");
        program("python3", "echo \"python3 $*\" >> '" + folder + "/calls'\n");
        run(0);
        Path out = folder.resolve("out");
        List<String> calls = Files.readAllLines(folder.resolve("calls"));
        assertThat(calls)
                .containsExactly(
                        "train examples/own-data/recipe.yaml --run-dir " + out + "/before",
                        "serve " + out + "/before --port 0 --json",
                        "python3 examples/feedback/phone.py http://127.0.0.1:4321",
                        "data feedback --server http://127.0.0.1:4321 --user ann --data examples/own-data/records.json"
                                + " --out " + out + "/records.json",
                        "ended",
                        "train " + out + "/recipe.yaml --run-dir " + out + "/after");
        CommandLine commands = Main.commandLine();
        calls.stream()
                .filter(call -> !call.startsWith("python3 ") && !call.equals("ended"))
                .forEach(call -> commands.parseArgs(call.split(" ")));
        assertThat(Arrays.asList(out.toFile().list())).contains("functions.json", "recipe.yaml");
        assertThat(out.resolve("recipe.yaml")).hasContent("data: {train: records.json}\nfunctions: functions.json");
    }

    @Test
    void aServerThatDoesNotStart_endsTheScript() throws Exception {
        prpf("exit 69");
        assertThat(run(1)).contains("the server did not start");
    }
}

package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import ai.djl.engine.Engine;
import ai.djl.util.Utils;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the kit for a GPU on the processor. A fake PyTorch, which cannot be imported, replaces Python's own. */
@Tag("slow")
class GpuKitTest {
    private static final Path KIT = Path.of(System.getProperty("prpf.root", ".."))
            .toAbsolutePath()
            .normalize()
            .resolve("benchmarks/gpu");
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    private static final String JLINK =
            """
            #!/usr/bin/env bash
            while [ "$1" != --output ]; do shift; done
            mkdir -p "$2/bin" "$2/lib"
            printf '#!/bin/sh\\nexec "%s/bin/java" "$@"\\n' "JDK" > "$2/bin/java"
            chmod +x "$2/bin/java"
            """;

    @TempDir
    Path directory;

    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void aMachine() throws IOException {
        Path python = Files.createDirectories(directory.resolve("python"));
        Files.writeString(python.resolve("torch.py"), "raise ImportError('a fake that cannot be loaded')\n");
        environment.putAll(Map.of("DEVICE", "cpu", "SHAPE", "tiny", "PYTHONPATH", python.toString()));
        environment.put("RESULTS", directory.resolve("results").toString());
        environment.put("PYTHONDONTWRITEBYTECODE", "1");
        environment.put("XZ_OPT", "-0");
        environment.put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    }

    private record Ended(int status, String output) {}

    private Ended run(Object... command) throws IOException, InterruptedException {
        Path log = directory.resolve("log.txt");
        ProcessBuilder builder =
                new ProcessBuilder(Stream.of(command).map(Object::toString).toList());
        builder.environment().putAll(environment);
        int status = builder.redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        return new Ended(status, Files.readString(log));
    }

    private Ended kit(String... parts) throws IOException, InterruptedException {
        return run(Stream.concat(Stream.of(KIT.resolve("run.sh")), Stream.of(parts))
                .toArray());
    }

    /** The one result file. */
    private JsonNode result() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(environment.get("RESULTS")))) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            return new ObjectMapper().readTree(all.get(0).toFile());
        }
    }

    private Path packed() throws IOException, InterruptedException {
        return packed(List.of(CLASS_PATH.split(File.pathSeparator, -1)));
    }

    /** The names of the class path, each with an almost empty jar: real jars take most of the time of packing. */
    private List<String> smallJars() throws IOException {
        Path jars = Files.createDirectories(directory.resolve("jars"));
        for (String entry : CLASS_PATH.split(File.pathSeparator, -1)) {
            if (entry.endsWith(".jar")) {
                Path jar = jars.resolve(Path.of(entry).getFileName());
                try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
                    out.putNextEntry(new ZipEntry("entry"));
                }
            }
        }
        try (Stream<Path> files = Files.list(jars)) {
            return files.map(Path::toString).toList();
        }
    }

    private Path packed(List<String> classPath) throws IOException, InterruptedException {
        Path jdk = Path.of(System.getProperty("java.home"));
        Path bin = Files.createDirectories(directory.resolve("jdk/bin"));
        executable(bin.resolve("jlink"), JLINK.replace("JDK", jdk.toString()));
        executable(bin.resolve("jar"), "#!/bin/sh\nexec " + jdk.resolve("bin/jar") + " \"$@\"\n");
        environment.put("JAVA_HOME", bin.resolveSibling(".").normalize().toString());
        Path kit = directory.resolve("kit");
        Ended packed = run(KIT.resolve("pack.sh"), kit, String.join(File.pathSeparator, classPath));
        assertThat(packed.output).contains("kit: ", " MiB");
        assertThat(packed.status).isZero();
        environment.remove("JAVA_HOME");
        return kit;
    }

    /** The folder of the libtorch that DJL loads in this process. */
    private static Path libtorch() throws IOException {
        String version = Engine.getEngine("PyTorch").getVersion();
        try (Stream<Path> folders = Files.list(Utils.getEngineCacheDir("pytorch"))) {
            return folders.filter(folder -> folder.getFileName().toString().startsWith(version + "-")
                            && Files.exists(folder.resolve("libtorch_cpu.so")))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void packedKit_hasTheJarsOfItsParts_andNeedsALibtorch() throws Exception {
        List<String> jars = smallJars();
        assertThat(jars).anyMatch(jar -> jar.contains("nd4j")).anyMatch(jar -> jar.contains("onnxruntime"));
        Path kit = packed(jars);
        assertThat(run("tar", "-tf", kit.resolve("java.tar.xz")).output)
                .contains("./bin/java\n", "jars/pytorch-jni-", "jars/tokenizers-")
                .doesNotContainPattern("nd4j|onnxruntime|deeplearning4j|openblas|pytorch-native|bge-small");
        environment.put("PYTORCH_LIBRARY_PATH", directory.toString());
        assertThat(run(kit.resolve("run.sh"), "java-load").status).isEqualTo(1);
        assertThat(result().at("/parts/java-data/error/0").asText())
                .isEqualTo(directory + " has no libtorch_cpu.so: name a folder of libtorch in PYTORCH_LIBRARY_PATH");
    }

    /** The smaller test is {@link #packedKit_hasTheJarsOfItsParts_andNeedsALibtorch}. */
    @Test
    @Tag("nightly")
    void packedKit_withoutNd4jAndOnnxRuntime_trains() throws Exception {
        environment.put("PYTORCH_LIBRARY_PATH", libtorch().toString());
        JsonNode result = done(packed(), "java-sft");
        assertThat(result.at("/kit/revision").asText()).isNotEmpty();
        assertThat(result.at("/libtorch/undefined_symbols")).isEmpty();
        assertThat(result.at("/parts/java-sft/lines/0/steps").asInt()).isEqualTo(6);
    }

    private JsonNode done(Path kit, String... parts) throws IOException, InterruptedException {
        Ended ended = run(Stream.concat(Stream.of(kit.resolve("run.sh")), Stream.of(parts))
                .toArray());
        assertThat(ended.output).contains(parts[parts.length - 1] + ": done");
        assertThat(ended.status).isZero();
        return result();
    }

    /** The smaller test is {@link #packedKit_hasTheJarsOfItsParts_andNeedsALibtorch}. */
    @Test
    @Tag("nightly")
    void packedKit_withoutNd4jAndOnnxRuntime_runsEveryCommand() throws Exception {
        environment.put("PYTORCH_LIBRARY_PATH", libtorch().toString());
        JsonNode result = done(packed(), "java-grpo", "java-eval", "java-bench");
        assertThat(result.at("/parts/java-grpo/lines/0/steps").asInt()).isEqualTo(3);
        assertThat(result.at("/parts/java-eval/lines/0/reasoned").asInt()).isEqualTo(24);
        assertThat(result.at("/parts/java-bench/lines/0/decoders")).hasSize(4);
    }

    @Test
    void part_thatHangs_costsItsLimit() throws Exception {
        String parts =
                """
                import kit, sys
                kit.parts = lambda java: [kit.Part("hangs", 0.3, ["bash", "-c", "echo '{\\"seen\\": 1}'; sleep 60 & sleep 60"]),
                                          kit.Part("after", 9, ["echo", '{"seen": 2}'])]
                sys.argv = ["kit.py"]
                kit.main()
                """;
        environment.merge("PYTHONPATH", KIT.toString(), (own, more) -> own + ":" + more);
        Ended ended = run("python3", "-c", parts);
        assertThat(ended.status).isEqualTo(1);
        JsonNode result = result();
        assertThat(result.at("/parts/hangs/status").asText()).isEqualTo("timed out");
        assertThat(result.at("/parts/hangs/lines/0/seen").asInt()).isEqualTo(1);
        assertThat(result.at("/parts/hangs/seconds").asDouble()).isBetween(1.7, 30.0); // six times a card's limit
        assertThat(result.at("/parts/after/status").asText()).isEqualTo("done");
        assertThat(result.at("/parts/after/lines/0/seen").asInt()).isEqualTo(2);
    }

    @Test
    void checkout_hasNoJava_andSaysSo() throws Exception {
        Ended ended = kit("goldens-fp32", "java-data");
        assertThat(ended.status).isEqualTo(1);
        JsonNode result = result();
        assertThat(result.at("/parts/goldens-fp32/status").asText()).isEqualTo("failed");
        assertThat(result.at("/parts/goldens-fp32/error").toString()).contains("a fake that cannot be loaded");
        assertThat(result.at("/parts/java-data/error/0").asText())
                .isEqualTo("java.tar.xz is missing: pack.sh makes it");
    }

    @Test
    void bf16Goldens_belowTheRuleOfProcessors_areNamed() throws Exception {
        String check =
                """
                import kit
                lines = [{"checkpoint": "llama", "smallest_cosine": 0.9991}, {"checkpoint": "qwen3", "smallest_cosine": 0.9989},
                         {"checkpoint": "qwen3_5", "smallest_cosine": 0.99}, {"checkpoint": "qwen2", "error": "x"},
                         {"checkpoint": "gemma3", "smallest_cosine": float("nan")}]
                print(*kit.bf16_goldens(lines), sep="\\n")
                """;
        environment.merge("PYTHONPATH", KIT.toString(), (own, more) -> own + ":" + more);
        assertThat(run("python3", "-c", check).output.lines())
                .containsExactly(
                        "qwen3: smallest_cosine = 0.9989, must be at least 0.999",
                        "qwen2: smallest_cosine = None, must be at least 0.999",
                        "gemma3: smallest_cosine = nan, must be at least 0.999");
    }

    @Test
    void wrongArguments_areRefused() throws Exception {
        assertThat(kit("decode"))
                .isEqualTo(new Ended(
                        2,
                        "error: no part is named decode; parts are goldens-fp32, goldens-bf16, speed, training, memory,"
                                + " java-data, java-load, java-sft, java-grpo, java-eval, java-bench\n"));
        environment.put("DEVICE", "tpu");
        assertThat(kit()).isEqualTo(new Ended(2, "error: DEVICE = tpu must be cuda or cpu\n"));
        environment.put("DEVICE", "cuda");
        environment.put("PATH", fakePath().toString());
        assertThat(kit())
                .isEqualTo(new Ended(
                        69,
                        "error: no NVIDIA card found: nvidia-smi and PyTorch name none; DEVICE=cpu ./run.sh measures the"
                                + " processor\n"));
        Files.createFile(directory.resolve("other"));
        environment.remove("PATH");
        assertThat(run(KIT.resolve("pack.sh"), directory))
                .isEqualTo(
                        new Ended(2, "error: " + directory + " holds something else than a kit; name a new folder\n"));
    }

    /** A PATH with what run.sh needs and without nvidia-smi. */
    private Path fakePath() throws IOException, InterruptedException {
        Path bin = Files.createDirectories(directory.resolve("bin"));
        String where = "import shutil, sys; print(*map(shutil.which, ('bash', 'dirname', 'env')), sys.executable)";
        for (String tool : run("python3", "-c", where).output.strip().split(" ", -1)) {
            String name = tool.contains("python") ? "python3" : tool.substring(tool.lastIndexOf('/') + 1);
            executable(bin.resolve(name), "#!/bin/sh\nexec " + tool + " \"$@\"\n");
        }
        return bin;
    }

    private static void executable(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void everyMethodThatTheKitCallsIsInTheText() throws IOException {
        Path root = KIT.resolve("../..").normalize();
        List<String> defined = named(root.resolve("par-serve/src/main/resources/dev/prpf/par"), "(?m)^  def (\\w+)\\(");
        List<String> called =
                new ArrayList<>(named(KIT.resolve("../torchscript"), "script\\.(\\w+)\\(|self\\.run\\(\"(\\w+)\""));
        called.addAll(named(KIT, "self\\.(?:decoder|grpo|optimizer)\\.(\\w+)\\(| decoder\\.(\\w+)\\("));
        called.removeIf("zero_grad"::equals); // PyTorch's optimizer
        assertThat(called).hasSizeGreaterThan(30).contains("fuse_layer", "load_states", "loss_piece", "step");
        assertThat(defined).containsAll(called);
    }

    /** Returns the first matched group of each match of a pattern in the files of a folder. */
    private static List<String> named(Path folder, String pattern) throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> files =
                Files.find(folder, 2, (file, found) -> file.toString().matches(".*\\.(py|torchscript)"))) {
            for (Path file : files.toList()) {
                Pattern.compile(pattern)
                        .matcher(Files.readString(file))
                        .results()
                        .forEach(match ->
                                names.add(match.group(match.groupCount() > 1 && match.group(1) == null ? 2 : 1)));
            }
        }
        return names;
    }

    @Test
    void engineParts_withPyTorch_agreeWithTransformers() throws Exception {
        environment.remove("PYTHONPATH");
        assumeThat(run("python3", "-c", "import torch, transformers, safetensors").status)
                .as("python3 has PyTorch, transformers and safetensors")
                .isZero();
        Ended ended = kit("goldens-fp32", "goldens-bf16", "speed", "training");
        assertThat(ended.status).as(ended.output).isZero();
        List<JsonNode> lines = new ArrayList<>();
        result().at("/parts/training/lines").forEach(lines::add);
        List<JsonNode> steps = lines.stream().filter(line -> line.has("step")).toList();
        assertThat(steps).hasSize(8);
        for (int i = 0; i < steps.size(); i += 2) {
            double ours = steps.get(i).get("first_loss").asDouble();
            assertThat(steps.get(i + 1).get("first_loss").asDouble()).isBetween(ours - 1e-3, ours + 1e-3);
        }
    }
}

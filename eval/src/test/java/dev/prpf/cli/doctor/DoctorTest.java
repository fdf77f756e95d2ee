package dev.prpf.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.UnavailableException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
    private static final List<String> NO_GPU = List.of("/no/such/nvidia-smi");

    @TempDir
    Path directory;

    private static Check named(List<Check> checks, String name) {
        return checks.stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private List<Check> machine(String flags, List<String> gpus) throws IOException {
        Path processors = Files.writeString(
                directory.resolve("cpuinfo"), "processor\t: 0\nflags\t\t: fpu " + flags + "\nbugs : x\n");
        return new Machine(processors, gpus).checks(directory);
    }

    @Test
    void aProcessorWithoutAvx2IsMissingWhatNothingWorksWithout() throws IOException {
        Check old = named(machine("sse4_2 avx", NO_GPU), "instruction sets");
        assertThat(old.failed()).isTrue();
        assertThat(old.advice()).contains("AVX2");
        Check recent = named(machine("avx2 fma amx_int8 avx512f", NO_GPU), "instruction sets");
        assertThat(recent.failed()).isFalse();
        assertThat(recent.found())
                .isEqualTo("avx2 fma avx512f amx_int8 (not: f16c avx_vnni avx512_vnni avx512_bf16 amx_tile amx_bf16)");
    }

    @Test
    void gpusAreListedAndADriverThatFailsIsSaid() throws IOException {
        assertThat(named(machine("avx2", NO_GPU), "gpu"))
                .isEqualTo(Check.ok("machine", "gpu", "none (no nvidia-smi); everything runs on the processor"));
        List<Check> two =
                machine("avx2", List.of("printf", "NVIDIA H100, 81559 MiB, 560.1, 9.0\\nNVIDIA A10, 1, 2, 8.6\\n"))
                        .stream()
                        .filter(check -> check.name().equals("gpu"))
                        .toList();
        assertThat(two).hasSize(2);
        assertThat(two.get(0).found()).startsWith("NVIDIA H100, 81559 MiB, 560.1, 9.0");
        assertThat(two.get(0).advice()).contains("PRPF_PROFILE=cuda");
        Check failed = named(machine("avx2", List.of("sh", "-c", "echo no device; exit 9")), "gpu");
        assertThat(failed.state()).isEqualTo(Check.State.WARNING);
        assertThat(failed.found()).isEqualTo("sh says: no device");
    }

    @Test
    void foldersThatCannotBeWrittenAreMissing() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        Properties properties = new Properties();
        properties.setProperty("user.home", directory.toString());
        properties.setProperty("java.io.tmpdir", directory.toString());
        Folders folders = new Folders(
                Map.of("HF_HOME", directory.toString(), "DJL_CACHE_DIR", file + "/djl", "PRPF_TESTDATA", "/no/data"),
                properties);
        List<Check> checks = folders.checks();
        assertThat(named(checks, "javacpp cache").state()).isEqualTo(Check.State.OK);
        assertThat(named(checks, "javacpp cache").found()).contains(directory + "/.javacpp/cache", "to be created");
        assertThat(named(checks, "djl cache").state()).isEqualTo(Check.State.MISSING);
        assertThat(named(checks, "djl cache").advice()).contains("DJL_CACHE_DIR=DIR");
        assertThat(named(checks, "hub cache").state()).isEqualTo(Check.State.OK);
        assertThat(named(checks, "benchmarks").found()).isEqualTo("/no/data (PRPF_TESTDATA) is no folder");
        assertThat(checks).noneMatch(Check::failed);
    }

    @Test
    void enginesAndModelsOfThisBuildAreFoundWithTheirVersions() {
        assertThat(Engines.checks()).allMatch(check -> check.state() == Check.State.OK);
        assertThat(named(Engines.checks(), "onnx runtime").found()).matches("onnxruntime-\\d+\\.\\d+\\.\\d+");
        assertThat(named(Engines.checks(), "libtorch").found()).startsWith("pytorch-native-cpu-");
        assertThat(named(Engines.checks(), "text encoder").found()).startsWith("langchain4j-embeddings-bge-small-zh");
    }

    @Test
    void whatIsEssentialAndMissingEndsWith69AfterTheWholeList() {
        List<Check> checks = List.of(
                Check.ok("machine", "jdk", "17"),
                Check.missing("data", "benchmarks", "nothing", "get them"),
                Check.essential(false, "engines", "libtorch", "is not on the class path", "build again"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            assertThatThrownBy(() -> DoctorCommand.report(checks, true))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessage("libtorch: is not on the class path; build again");
            assertThat(DoctorCommand.report(checks.subList(0, 2), false)).isZero();
        } finally {
            ResultStream.redirect(before);
        }
        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("{\"ok\":false,\"checks\":[{\"group\":\"machine\",\"name\":\"jdk\",\"state\":\"ok\","
                        + "\"essential\":false,\"found\":\"17\",\"advice\":null},")
                .contains("missing  benchmarks             nothing\n" + " ".repeat(32) + "-> get them\n");
    }
}

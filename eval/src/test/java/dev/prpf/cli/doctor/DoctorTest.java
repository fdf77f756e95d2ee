package dev.prpf.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.cli.doctor.DoctorCommand.Folders;
import dev.prpf.par.device.CudaRuntime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
    private static final List<String> NO_GPU = List.of("/no/such/nvidia-smi");

    @TempDir
    Path directory;

    private CudaRuntime cuda = new CudaRuntime(12040, 12040, "", 90);

    private static Check named(List<Check> checks, String name) {
        return checks.stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private List<Check> machine(String flags, List<String> gpus) throws IOException {
        return machine(flags, gpus, false, false);
    }

    private List<Check> machine(String flags, List<String> gpus, boolean reasoner, boolean perceiver)
            throws IOException {
        Path processors = Files.writeString(
                directory.resolve("cpuinfo"), "processor\t: 0\nflags\t\t: fpu " + flags + "\nbugs : x\n");
        return new Machine(processors, gpus, reasoner, perceiver).checks(directory);
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
        assertThat(two.get(0).advice())
                .isEqualTo(
                        "this build runs on the processor; PRPF_PROFILE=cuda ./prpf runs the reasoner on the GPU, see"
                                + " docs/GPU.md");
        assertThat(two.get(1).advice())
                .isEqualTo("this build runs on the processor; PRPF_PROFILE=cuda ./prpf runs the reasoner on the GPU,"
                        + " cuda-mpp the perceiver too, see docs/GPU.md");
        Check failed = named(machine("avx2", List.of("sh", "-c", "echo no device; exit 9")), "gpu");
        assertThat(failed.state()).isEqualTo(Check.State.WARNING);
        assertThat(failed.found()).isEqualTo("sh says: no device");
        assertThat(failed.advice()).contains("driver");
    }

    private String profile(String... cards) throws IOException {
        return named(machine("avx2", List.of("printf", String.join("\\n", cards))), "profile")
                .found();
    }

    /** The job files of {@code prpf launch} read the text before the colon. */
    @Test
    void theProfileIsTheOneThatEveryCardHasKernelsFor() throws IOException {
        String a10 = "NVIDIA A10, 1 MiB, 2, 8.6";
        String h100 = "NVIDIA H100, 1 MiB, 2, 9.0";
        assertThat(named(machine("avx2", NO_GPU), "profile").found()).isEqualTo("cpu: everything on the processor");
        String cuda = "cuda: the reasoner on the GPU, the perceiver on the processor";
        assertThat(profile(a10, a10))
                .isEqualTo(cuda + "; cuda-mpp: the perceiver on the GPU too, for configurations that say device: cuda");
        assertThat(profile(a10, h100))
                .isEqualTo(cuda + " (its kernels for GPUs are for compute capability 3.7 to 8.9)");
        assertThat(profile("NVIDIA B200, 1 MiB, 2, 10.0"))
                .isEqualTo("cuda-pip: as cuda, with libtorch of a Python environment (docs/GPU.md)");
        assertThat(machine("avx2", List.of("sh", "-c", "echo no device; exit 9")))
                .as("a driver that fails tells no profile")
                .noneMatch(check -> check.name().equals("profile"));
    }

    @Test
    void aCudaBuildUsesEveryCardAndOneOfThePerceiverWarnsOfThoseWithoutKernels() throws IOException {
        List<String> a10 = List.of("echo", "NVIDIA A10, 1 MiB, 2, 8.6");
        List<String> h100 = List.of("echo", "NVIDIA H100, 1 MiB, 2, 9.0");
        for (Check fits : List.of(
                named(machine("avx2", a10, true, true), "gpu"),
                named(machine("avx2", a10, true, false), "gpu"),
                named(machine("avx2", h100, true, false), "gpu"))) {
            assertThat(fits.state()).isEqualTo(Check.State.OK);
            assertThat(fits.advice()).isNull();
        }
        Check tooNew = named(machine("avx2", h100, true, true), "gpu");
        assertThat(tooNew.state()).isEqualTo(Check.State.WARNING);
        assertThat(tooNew.advice())
                .isEqualTo("the perceiver cannot use it: nd4j-cuda-11.6 has kernels for compute capability 3.7 to 8.9;"
                        + " PRPF_PROFILE=cuda ./prpf runs it on the processor, see docs/GPU.md");
    }

    @Test
    void aCudaBuildWithoutACardSaysSo() throws IOException {
        assertThat(named(machine("avx2", NO_GPU, true, false), "gpu"))
                .isEqualTo(Check.missing(
                        "machine",
                        "gpu",
                        "none (no nvidia-smi)",
                        "this build is for a GPU; PRPF_PROFILE=cpu ./prpf is not"));
    }

    @Test
    void aSlowNvidiaSmiIsNoBrokenDriver() throws IOException {
        Check slow = named(machine("avx2", List.of("sleep", "60")), "gpu");
        assertThat(slow.state()).isEqualTo(Check.State.WARNING);
        assertThat(slow.found()).isEqualTo("sleep did not answer within 3 s");
        assertThat(slow.advice()).startsWith("run sleep by hand").doesNotContain("reinstall");
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
        assertThat(named(checks, "benchmarks").found()).isEqualTo("/no/data (PRPF_TESTDATA) is not a folder");
        assertThat(checks).noneMatch(Check::failed);
    }

    @Test
    void enginesAndModelsOfThisBuildAreFoundWithTheirVersions() {
        List<Check> checks = new Engines(Engines.class.getClassLoader(), Map.of()).checks();
        assertThat(checks).allMatch(check -> check.state() == Check.State.OK);
        assertThat(named(checks, "onnx runtime").found()).matches("onnxruntime-\\d+\\.\\d+\\.\\d+");
        assertThat(named(checks, "libtorch").found()).startsWith("pytorch-native-cpu-");
        assertThat(named(checks, "runs on").found())
                .isEqualTo("reasoner: processor; perceiver: processor; encoders: processor (prpf.encoders.device)");
        assertThat(named(checks, "text encoder").found()).startsWith("langchain4j-embeddings-bge-small-zh");
        for (String optional : List.of("bge-small-en-v1.5", "e5-small-v2", "all-minilm-l6-v2")) {
            assertThat(named(checks, optional).found())
                    .matches("not in this build; PRPF_PROFILE=cpu,encoders .*|langchain4j-embeddings-.*");
        }
    }

    private void jar(String name, String resource, String content) throws IOException {
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(directory.resolve(name + ".jar")))) {
            jar.putNextEntry(new JarEntry(resource));
            jar.write(content.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** The engines of a class path of jars with these names, each with the one file that tells what it is. */
    private List<Check> ofJars(Map<String, String> environment) throws IOException {
        List<URL> jars = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.jar")) {
            for (Path file : files) {
                jars.add(file.toUri().toURL());
            }
        }
        try (URLClassLoader classes =
                new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            return new Engines(classes, environment, build -> cuda).checks();
        }
    }

    private void cudaJars() throws IOException {
        jar(
                "pytorch-native-cu124-2.5.1-linux-x86_64",
                "native/lib/pytorch.properties",
                "flavor=cu124\nversion=2.5.1\n");
        jar("pytorch-jni-2.5.1-0.32.0", "jnilib/pytorch.properties", "jni_version=2.5.1-0.32.0");
    }

    @Test
    void aCudaBuildSaysWhatRunsOnTheGpuAndInWhichVersions() throws IOException {
        cudaJars();
        assertThat(named(ofJars(Map.of()), "libtorch"))
                .isEqualTo(Check.ok("engines", "libtorch", "pytorch-native-cu124-2.5.1-linux-x86_64 (CUDA 12.4)"));
        assertThat(named(ofJars(Map.of()), "runs on").found())
                .startsWith("reasoner: GPU; perceiver: processor; encoders: processor");
        jar("nd4j-cuda-11.6-1.0.0-M2.1", "org/nd4j/linalg/jcublas/JCublasBackend.class", "");
        assertThat(named(ofJars(Map.of()), "runs on").found()).startsWith("reasoner: GPU; perceiver: GPU;");
        jar("nd4j-native-1.0.0-M2.1", "org/nd4j/linalg/cpu/nativecpu/CpuBackend.class", "");
        assertThat(named(ofJars(Map.of()), "nd4j backend").found())
                .isEqualTo("two: nd4j-native-1.0.0-M2.1, nd4j-cuda-11.6-1.0.0-M2.1");
    }

    @Test
    void aCudaBuildThatCannotRunHereFailsWithTheWayOut() throws IOException {
        cudaJars();
        cuda = new CudaRuntime(0, 0, "", 0);
        Check libtorch = named(ofJars(Map.of("LD_LIBRARY_PATH", "/opt")), "libtorch");
        assertThat(libtorch.failed()).isTrue();
        assertThat(libtorch.found()).contains("no libcudart.so", "(LD_LIBRARY_PATH=/opt)");
        assertThat(libtorch.advice()).contains("LD_LIBRARY_PATH=/usr/local/cuda/lib64");
    }

    @Test
    void aPerceiverForCudaNeedsTheLibrariesOfCuda11() throws IOException {
        jar("nd4j-cuda-11.6-1.0.0-M2.1", "org/nd4j/linalg/jcublas/JCublasBackend.class", "");
        for (String library : List.of("libcudart.so.11.0", "libcublas.so.11", "libcusolver.so.11")) {
            Files.createFile(directory.resolve(library));
        }
        Map<String, String> environment = Map.of("LD_LIBRARY_PATH", "/no/such:" + directory);
        Check lacking = named(ofJars(environment), "nd4j backend");
        assertThat(lacking.failed()).isTrue();
        assertThat(lacking.found()).isEqualTo("nd4j-cuda-11.6-1.0.0-M2.1 (CUDA 11.6), without libcusparse.so.11");
        assertThat(lacking.advice()).startsWith("install CUDA 11.6 and name its folder in LD_LIBRARY_PATH");
        Files.createFile(directory.resolve("libcusparse.so.11"));
        assertThat(named(ofJars(environment), "nd4j backend"))
                .isEqualTo(new Check(
                        "engines",
                        "nd4j backend",
                        Check.State.OK,
                        true,
                        "nd4j-cuda-11.6-1.0.0-M2.1 (CUDA 11.6)",
                        null));
    }

    @Test
    void whatIsEssentialAndMissingEndsWith69AfterTheWholeList() {
        List<Check> checks = List.of(
                Check.ok("machine", "jdk", "17"),
                Check.missing("data", "benchmarks", "nothing", "get them"),
                Check.essential(false, "engines", "libtorch", "is not on the class path", "build again"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
        JsonOption json = new JsonOption();
        json.json = true;
        try {
            assertThatThrownBy(() -> DoctorCommand.report(checks, json))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessage("libtorch: is not on the class path; build again");
            DoctorCommand.report(checks.subList(0, 2), new JsonOption());
        } finally {
            ResultStream.redirect(before);
        }
        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("{\"ok\":false,\"checks\":[{\"group\":\"machine\",\"name\":\"jdk\",\"state\":\"ok\","
                        + "\"essential\":false,\"found\":\"17\",\"advice\":null},")
                .contains("missing  benchmarks             nothing\n" + " ".repeat(32) + "-> get them\n");
    }
}

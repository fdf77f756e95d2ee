package dev.prpf.par.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.error.ExitCode;
import dev.prpf.par.device.LibtorchBuild.Refusal;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibtorchBuildTest {
    private static final String REBUILD = "build again: rm -r .prpf, then any ./prpf command";

    private static CudaRuntime card(LibtorchBuild build) {
        return new CudaRuntime(12040, 12040, "", 90);
    }

    @TempDir
    Path directory;

    private final List<URL> jars = new ArrayList<>();
    private final List<URLClassLoader> opened = new ArrayList<>();

    @AfterEach
    void closeClassPaths() throws IOException {
        for (URLClassLoader classes : opened) {
            classes.close();
        }
    }

    private void jar(String name, String resource, String content) throws IOException {
        Path file = directory.resolve(name + ".jar");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
            jar.putNextEntry(new JarEntry(resource));
            jar.write(content.getBytes(StandardCharsets.UTF_8));
        }
        jars.add(file.toUri().toURL());
    }

    private void jni(String version) throws IOException {
        jar("pytorch-jni", "jnilib/pytorch.properties", "jni_version=" + version);
    }

    private void bundled(String flavor, String version) throws IOException {
        jar("native-" + flavor, "native/lib/pytorch.properties", "version=" + version + "-2025\nflavor=" + flavor);
    }

    private ClassLoader classes() {
        URLClassLoader classes = new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        opened.add(classes);
        return classes;
    }

    private String wheel(String version, String cuda) throws IOException {
        Path lib = Files.createDirectories(directory.resolve("torch/lib"));
        Files.createFile(lib.resolve("libtorch.so"));
        Files.writeString(
                lib.resolveSibling("version.py"),
                "from typing import Optional\n__version__ = '" + version + "'\ndebug = False\ncuda: Optional[str] = "
                        + cuda + "\nhip: Optional[str] = None\n");
        return lib.toString();
    }

    private LibtorchBuild onPath(String... more) {
        Map<String, String> environment = new HashMap<>(Map.of(LibtorchBuild.PATH, more[0]));
        for (int i = 1; i < more.length; i += 2) {
            environment.put(more[i], more[i + 1]);
        }
        return LibtorchBuild.find(classes(), environment);
    }

    @Test
    void theJarOnTheClassPathIsDescribed() throws IOException {
        jni("2.5.1-0.32.0");
        bundled("cu124", "2.5.1");
        LibtorchBuild build = LibtorchBuild.find(classes(), Map.of());
        assertThat(build).isEqualTo(new LibtorchBuild(List.of("native-cu124"), "2.5.1", 12040, "2.5.1", false));
        assertThat(build.label()).isEqualTo("native-cu124 (CUDA 12.4)");
        assertThat(build.refusal(Map.of(), LibtorchBuildTest::card)).isNull();
        assertThat(build.jniFlavor(classes())).as("DJL's own rule").isNull();
    }

    @Test
    void twoVersionsOnTheClassPathAreRefused() throws IOException {
        jni("2.7.1-0.35.1");
        bundled("cu124", "2.5.1");
        assertThat(LibtorchBuild.find(classes(), Map.of()).refusal(Map.of(), LibtorchBuildTest::card))
                .isEqualTo(new Refusal(
                        "native-cu124 (CUDA 12.4), and DJL's JNI on the class path is made for 2.7.1", REBUILD));
        bundled("cpu", "2.7.1");
        Refusal two = Objects.requireNonNull(
                LibtorchBuild.find(classes(), Map.of()).refusal(Map.of(), LibtorchBuildTest::card));
        assertThat(two).isEqualTo(new Refusal("two are on the class path, native-cu124 and native-cpu", REBUILD));
        assertThat(two.toException())
                .hasMessage("libtorch cannot run: two are on the class path, native-cu124 and native-cpu; " + REBUILD)
                .extracting(ExitCode::of)
                .isEqualTo(ExitCode.UNAVAILABLE);
    }

    @Test
    void aWheelIsReadFromItsVersionFile() throws IOException {
        jni("2.7.1-0.35.1");
        String lib = wheel("2.7.1+cu126", "'12.6'");
        LibtorchBuild build = onPath("/no/such:" + lib + "/libtorch.so");
        assertThat(build).isEqualTo(new LibtorchBuild(List.of(lib), "2.7.1", 12060, "2.7.1", true));
        assertThat(build.label()).isEqualTo(lib + " (PYTORCH_LIBRARY_PATH): libtorch 2.7.1 (CUDA 12.6)");
        assertThat(build.refusal(Map.of(), LibtorchBuildTest::card)).isNull();
        assertThat(onPath(lib, "PYTORCH_FLAVOR", "cpu").cuda())
                .as("its libraries for processors, without those for CUDA")
                .isZero();
    }

    @Test
    void aWheelForProcessorsIsNone() throws IOException {
        jni("2.7.1-0.35.1");
        assertThat(onPath(wheel("2.7.1+cpu", "None")).cuda()).isZero();
    }

    @Test
    void wheelOfAnotherVersion_isRefusedUnlessTheVariableNamesIt() throws IOException {
        jni("2.7.1-0.35.1");
        String lib = wheel("2.11.0+cu128", "'12.8'");
        assertThat(onPath(lib).refusal(Map.of(), LibtorchBuildTest::card))
                .isEqualTo(new Refusal(
                        "PYTORCH_LIBRARY_PATH=" + lib
                                + " has version 2.11.0, and DJL's JNI on the class path is made for 2.7.1",
                        "name the folder torch/lib of a Python environment with torch==2.7.1, or unset"
                                + " PYTORCH_LIBRARY_PATH"));
        assertThat(onPath(lib, "PYTORCH_VERSION", "2.7.1").refusal(Map.of(), LibtorchBuildTest::card))
                .isNull();
    }

    @Test
    void aPathWithoutLibtorchIsRefusedAndNotReplaced() throws IOException {
        jni("2.7.1-0.35.1");
        bundled("cpu", "2.7.1");
        assertThat(Objects.requireNonNull(onPath("/no/such").refusal(Map.of(), LibtorchBuildTest::card))
                        .found())
                .startsWith("PYTORCH_LIBRARY_PATH=/no/such has no libtorch.so with a version.py above its folder");
    }

    @Test
    void aBuildWithoutLibtorchNamesTheVariable() throws IOException {
        jni("2.7.1-0.35.1");
        Refusal none = Objects.requireNonNull(
                LibtorchBuild.find(classes(), Map.of()).refusal(Map.of(), LibtorchBuildTest::card));
        assertThat(none.found())
                .isEqualTo("none is on the class path, and DJL's JNI on the class path is made for 2.7.1");
        assertThat(none.wayOut()).contains("PRPF_PROFILE=cuda-pip needs PYTORCH_LIBRARY_PATH");
    }

    /** The names under which DJL's jars of the two versions hold their JNI. */
    @Test
    void theJniIsTheOneForTheWheelsCuda() throws IOException {
        jar("jni", "jnilib/linux-x86_64/cu128/libdjl_torch.so", "");
        jar("jni-cpu", "jnilib/linux-x86_64/cpu/libdjl_torch.so", "");
        assertThat(new LibtorchBuild(List.of(), "2.7.1", 12060, "2.7.1", true).jniFlavor(classes()))
                .isEqualTo("cu128");
        assertThat(new LibtorchBuild(List.of(), "2.7.1", 0, "2.7.1", true).jniFlavor(classes()))
                .isEqualTo("cpu");
    }
}

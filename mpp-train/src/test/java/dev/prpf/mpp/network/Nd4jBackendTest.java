package dev.prpf.mpp.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
class Nd4jBackendTest {
    @TempDir
    Path directory;

    /** Runs in a JVM of its own, with the class path of another build. */
    public static void main(String[] arguments) {
        try {
            System.out.println(Device.current().label());
        } catch (PrpfException e) {
            System.out.println(ExitCode.of(e).status() + " " + e.getMessage());
        }
        System.exit(0);
    }

    private String startedWith(String classPath) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classPath,
                        Nd4jBackendTest.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("PATH", directory.toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    private static String withoutCpuBackend() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !new File(entry).getName().startsWith("nd4j-native-1"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** A class path with the CUDA backend's service file in front. */
    private String withCuda(String classPath) throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(
                services.resolve("org.nd4j.linalg.factory.Nd4jBackend"), "org.nd4j.linalg.jcublas.JCublasBackend\n");
        return directory + File.pathSeparator + classPath;
    }

    private void driverSays(String script) throws IOException {
        Path driver = Files.writeString(directory.resolve("nvidia-smi"), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(driver, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void aMissingBackendIsAMissingLibrary() throws IOException, InterruptedException {
        assertThat(startedWith(withoutCpuBackend()))
                .contains("69 ND4J has 0 backends on the class path")
                .contains("build with one profile");
    }

    @Test
    void twoBackendsAreOneTooMany() throws IOException, InterruptedException {
        assertThat(startedWith(withCuda(System.getProperty("java.class.path"))))
                .contains("69 ND4J has 2 backends on the class path")
                .contains("JCublasBackend");
    }

    @Test
    void aCudaBuildWithoutADriverDoesNotFallBack() throws IOException, InterruptedException {
        assertThat(startedWith(withCuda(withoutCpuBackend())))
                .startsWith("69 this build runs on CUDA and there is no usable NVIDIA card")
                .contains("nvidia-smi cannot be run")
                .contains("PRPF_PROFILE=cpu");
    }

    @Test
    void cudaBuildRejectsACardThatIsTooNew() throws IOException, InterruptedException {
        driverSays("echo 'NVIDIA H200, 9.0'");
        assertThat(startedWith(withCuda(withoutCpuBackend())))
                .startsWith("69 this build runs on CUDA, and nd4j-cuda-11.6 has no kernels for card 0, NVIDIA H200 of"
                        + " compute capability 9.0")
                .contains("PRPF_PROFILE=cpu");
    }

    @ParameterizedTest
    @CsvSource({"3.5,false", "3.7,true", "7.5,true", "8.0,true", "8.6,true", "8.9,true", "9.0,false", "12.0,false"})
    void kernelsAreThereForTheseCards(String capability, boolean there) {
        NvidiaGpu card = NvidiaGpu.first(List.of("echo", "Some card, of a kind, " + capability));
        assertThat(card.name()).isEqualTo("Some card, of a kind");
        if (there) {
            assertThatCode(card::requireKernels).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(card::requireKernels)
                    .isInstanceOf(PrpfException.class)
                    .hasMessageContaining("compute capability " + capability);
        }
    }

    @Test
    void driverWithoutCardsIsRejected() {
        assertThatThrownBy(() -> NvidiaGpu.first(List.of("sh", "-c", "echo No devices were found; exit 6")))
                .hasMessageContaining("sh failed: No devices were found");
        assertThatThrownBy(() -> NvidiaGpu.first(List.of("echo", "nothing"))).hasMessageContaining("\"nothing\"");
    }

    @Test
    void thisBuildRunsOnItsDeviceAndOnNoOther() {
        Device here = Nd4jBackend.device();
        assertThat(Device.current().label()).isEqualTo(here.label()).isIn("cpu", "cuda");
        assertThatCode(() -> Device.require(here)).doesNotThrowAnyException();
        Device other = here == Device.CPU ? Device.CUDA : Device.CPU;
        assertThatThrownBy(() -> Device.require(other))
                .isInstanceOf(PrpfException.class)
                .hasMessageContaining("device: " + other.label())
                .hasMessageContaining("never falls back")
                .hasMessageContaining("PRPF_PROFILE=" + (other == Device.CPU ? "cpu " : "cuda-mpp "));
    }
}

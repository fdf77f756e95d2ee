package dev.prpf.mpp.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.run.PrpfException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class Nd4jBackendTest {
    /** Started in a JVM of its own, without a backend. */
    public static void main(String[] arguments) {
        try {
            System.out.println(MppNetwork.device());
        } catch (PrpfException e) {
            System.out.println(e.exitCode().status() + " " + e.getMessage());
        }
        System.exit(0);
    }

    private static String startedWith(String classPath) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        Nd4jBackendTest.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    @Test
    void aMissingBackendIsAMissingLibrary() throws IOException, InterruptedException {
        String without = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !new File(entry).getName().startsWith("nd4j-native-1"))
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(startedWith(without))
                .contains("69 ND4J has 0 backends on the class path")
                .contains("build with one profile");
    }

    @Test
    void thisBuildRunsOnItsDevice() {
        assertThat(MppNetwork.device()).isIn("cpu", "cuda");
    }
}

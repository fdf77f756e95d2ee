package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the two profiles put on the class path, asked of Maven itself: {@code dependency:tree} reads descriptions only, none of the CUDA
 * libraries' gigabytes.
 */
class CudaProfileTest {
    private static final Path ROOT = Path.of(System.getProperty("prpf.root", ".."));
    private static final String ND4J_CUDA = "org.nd4j:nd4j-cuda-11.6:jar:linux-x86_64:1.0.0-M2.1:runtime";
    private static final String ND4J_CPU = "org.nd4j:nd4j-native:jar:linux-x86_64-avx2:1.0.0-M2.1:runtime";
    private static final String TORCH_CUDA = "ai.djl.pytorch:pytorch-native-cu124:jar:linux-x86_64:2.5.1:runtime";
    private static final String TORCH_CPU = "ai.djl.pytorch:pytorch-native-cpu:jar:linux-x86_64:2.7.1:runtime";

    @TempDir
    Path directory;

    /** The tree of all modules, without the network; once more with it where this machine's repository lacks a description. */
    private String tree(String profile) throws IOException, InterruptedException {
        Path tree = directory.resolve("tree.txt");
        List<String> maven = List.of(
                Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(),
                "-B",
                "-P" + profile,
                "dependency:tree",
                "-DappendOutput=true",
                "-DoutputFile=" + tree);
        List<String> offline = new ArrayList<>(maven);
        offline.add("-o");
        // without the network Maven leaves out what hangs on a description it lacks, and says so in its log alone
        if (!succeeds(offline) || log().contains("no dependency information available")) {
            Files.deleteIfExists(tree);
            boolean resolved = succeeds(maven);
            assumeThat(resolved || !log().matches("(?s).*(Unknown host|Could not transfer|Network is unreachable).*"))
                    .as("Maven's repository cannot be reached and the local one lacks a description")
                    .isTrue();
            assertThat(resolved).as(log()).isTrue();
        }
        return Files.readString(tree);
    }

    private boolean succeeds(List<String> command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                        .directory(ROOT.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("log.txt").toFile())
                        .start()
                        .waitFor()
                == 0;
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("log.txt"), StandardCharsets.UTF_8);
    }

    @Test
    void cudaResolvesToTheCudaLibrariesAndNoOthers() throws IOException, InterruptedException {
        assertThat(tree("cuda"))
                .contains(ND4J_CUDA, TORCH_CUDA)
                .contains("org.nd4j:nd4j-cuda-11.6:jar:1.0.0-M2.1:runtime", "org.bytedeco:cuda:jar:11.6-8.3-1.5.7")
                .doesNotContain("org.nd4j:nd4j-native:", "pytorch-native-cpu");
    }

    @Test
    void cpuResolvesToTheProcessorsLibrariesAndNoOthers() throws IOException, InterruptedException {
        assertThat(tree("cpu")).contains(ND4J_CPU, TORCH_CPU).doesNotContain("nd4j-cuda", "pytorch-native-cu1");
    }
}

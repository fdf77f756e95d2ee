package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks with Maven the class path of the profiles and the enforcer's rules. Maven reads only POM files, not the CUDA libraries. The suite
 * checks one profile and one broken rule; .ci/nightly checks all.
 */
@Tag("slow")
class CudaProfileTest {
    private static final Path ROOT =
            Path.of(System.getProperty("prpf.root", "..")).toAbsolutePath().normalize();
    private static final String ND4J_CUDA = "org.nd4j:nd4j-cuda-11.6:jar:linux-x86_64:1.0.0-M2.1:runtime";
    private static final String ND4J_CPU = "org.nd4j:nd4j-native:jar:linux-x86_64-avx2:1.0.0-M2.1:runtime";
    private static final String ONNX_CUDA = "com.microsoft.onnxruntime:onnxruntime_gpu:";
    private static final String ONNX_CPU = "com.microsoft.onnxruntime:onnxruntime:";

    @TempDir
    Path directory;

    /** Returns Maven's output, without the network; runs it again with the network if the local repository lacks a POM file. */
    private String maven(String... arguments) throws IOException, InterruptedException {
        List<String> online = new ArrayList<>(
                List.of(Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(), "-B"));
        online.addAll(List.of(arguments));
        List<String> offline = new ArrayList<>(online);
        offline.add("-o");
        // without the network Maven omits dependencies of a missing POM file, and only its log says so
        String said = said(offline);
        if (said.contains("no dependency information available") || said.contains("in offline mode")) {
            said = said(online);
            assumeThat(said)
                    .as("Maven's repository cannot be reached and the local one lacks a description")
                    .doesNotContain("Unknown host", "Could not transfer", "Network is unreachable");
        }
        return said;
    }

    private String said(List<String> command) throws IOException, InterruptedException {
        Path log = directory.resolve("log.txt");
        ProcessBuilder builder = new ProcessBuilder(command).directory(ROOT.toFile());
        builder.environment().put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        builder.redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor();
        return Files.readString(log, StandardCharsets.UTF_8);
    }

    /** The dependencies of all modules; the enforcer's rules have passed then. */
    private String tree(String profile) throws IOException, InterruptedException {
        String tree = maven("-P" + profile, "validate", "dependency:tree");
        assertThat(tree).contains("BUILD SUCCESS");
        return tree;
    }

    private static String version(String tree, String artifact) {
        List<String> versions = Pattern.compile("ai\\.djl\\.pytorch:" + artifact + ":jar(?::linux-x86_64)?:([^:]+):")
                .matcher(tree)
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList();
        assertThat(versions).as(artifact).hasSize(1);
        return versions.get(0);
    }

    private static void assertOneVersionOfPytorch(String tree, String flavor) {
        String library = version(tree, "pytorch-native-" + flavor);
        assertThat(version(tree, "pytorch-jni")).isEqualTo(library + "-" + version(tree, "pytorch-engine"));
    }

    @Test
    @Tag("nightly")
    void cpuIsTheProcessorsLibraries() throws IOException, InterruptedException {
        String tree = tree("cpu");
        assertOneVersionOfPytorch(tree, "cpu");
        assertThat(tree).contains(ND4J_CPU, ONNX_CPU).doesNotContain("nd4j-cuda", "pytorch-native-cu", ONNX_CUDA);
    }

    @Test
    void cudaIsTheReasonerOnTheCardAndThePerceiverOnTheProcessor() throws IOException, InterruptedException {
        String tree = tree("cuda");
        assertOneVersionOfPytorch(tree, "cu124");
        assertThat(tree).contains(ND4J_CPU, ONNX_CUDA).doesNotContain("nd4j-cuda", "pytorch-native-cpu", ONNX_CPU);
    }

    @Test
    @Tag("nightly")
    void cudaMppIsBothOnTheCard() throws IOException, InterruptedException {
        String tree = tree("cuda-mpp");
        assertOneVersionOfPytorch(tree, "cu124");
        assertThat(tree)
                .contains(ND4J_CUDA, ONNX_CUDA, "org.bytedeco:cuda:jar:linux-x86_64:11.6-8.3-1.5.7")
                .doesNotContain("org.nd4j:nd4j-native:", "pytorch-native-cpu", ONNX_CPU);
    }

    /** A Python environment has libtorch; the one on par-serve's own class path is for compiling and testing. */
    @Test
    @Tag("nightly")
    void cudaPipHasTheJniAndNoLibtorch() throws IOException, InterruptedException {
        String tree = tree("cuda-pip");
        assertThat(version(tree, "pytorch-jni")).isEqualTo("2.7.1-" + version(tree, "pytorch-engine"));
        assertThat(tree)
                .contains(ONNX_CUDA, ":pytorch-native-cpu:jar:linux-x86_64:2.7.1:provided")
                .doesNotContain(":pytorch-native-cpu:jar:linux-x86_64:2.7.1:runtime", "pytorch-native-cu1", ONNX_CPU);
    }

    @Test
    void aBuildOfTwoVersionsOfPytorchFails() throws IOException, InterruptedException {
        assertThat(maven("-Pcuda", "-Dpytorch.jni.version=2.7.1-0.35.1", "validate"))
                .contains("PyTorch's native library must be 2.5.1, and its JNI of the same version and of DJL 0.32.0")
                .contains("ai.djl.pytorch:pytorch-jni:jar:2.7.1-0.35.1 <--- banned")
                .contains("BUILD FAILURE");
    }

    @Test
    @Tag("nightly")
    void aBuildOfBothOnnxRuntimesFails() throws IOException, InterruptedException {
        String dependency = "<dependency><groupId>com.microsoft.onnxruntime</groupId>"
                + "<artifactId>%s</artifactId><version>${onnxruntime.version}</version></dependency>";
        String parent = Files.readString(ROOT.resolve("pom.xml"));
        String version = parent.substring(parent.indexOf("<version>"), parent.indexOf("</version>"));
        Path pom = Files.writeString(
                directory.resolve("pom.xml"),
                "<project><modelVersion>4.0.0</modelVersion><parent><groupId>dev.prpf</groupId>"
                        + "<artifactId>prpf-parent</artifactId>" + version + "</version><relativePath>"
                        + directory
                                .toRealPath()
                                .relativize(ROOT.resolve("pom.xml").toRealPath())
                        + "</relativePath></parent><artifactId>both</artifactId><dependencies>"
                        + dependency.formatted("onnxruntime") + dependency.formatted("onnxruntime_gpu")
                        + "</dependencies></project>");
        assertThat(maven("-Pcuda", "-f", pom.toString(), "validate"))
                .contains("Of ONNX Runtime and of ND4J's backends one each: onnxruntime_gpu and nd4j-native.")
                .contains(ONNX_CPU + "jar:1.28.0 <--- banned")
                .contains("BUILD FAILURE");
    }

    @Test
    @Tag("nightly")
    void aProfileThatDoesNotExistIsNoSilentBuildForTheProcessor() throws IOException, InterruptedException {
        assertThat(maven("-Pcuda_mpp", "validate"))
                .contains("The requested profile doesn't exist: cuda_mpp", "BUILD FAILURE");
    }
}

package dev.prpf.par.device;

import dev.prpf.base.error.PrpfException.UnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A libtorch build, by the files next to it: the one on the class path, or that of a Python environment named by {@link #PATH}.
 *
 * @param places the jar or the folder; several if the class path has more than one
 * @param version of libtorch, such as 2.5.1; empty if none was found
 * @param cuda version that it was built with, 12040 for 12.4; 0 for a CPU build
 * @param jni libtorch version for which DJL's JNI of this build was made
 * @param onPath whether {@link #PATH} names it
 */
public record LibtorchBuild(List<String> places, String version, int cuda, String jni, boolean onPath) {
    /** The variable for a libtorch outside the class path, read by DJL. */
    public static final String PATH = "PYTORCH_LIBRARY_PATH";

    private static final String FLAVOR = "PYTORCH_FLAVOR";
    private static final String BUNDLED = "native/lib/pytorch.properties";
    private static final String JNI = "jnilib/pytorch.properties";
    private static final Pattern JAR = Pattern.compile(".*/([^/]+)\\.jar!.*");
    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+\\.\\d+");
    private static final Pattern CUDA_OF_FLAVOR = Pattern.compile("cu(\\d+)(\\d)");
    /** Matches {@code cuda: Optional[str] = '12.6'} in a wheel's version.py; a CPU build has None there. */
    private static final Pattern CUDA_OF_WHEEL = Pattern.compile("(?m)^cuda\\b.*= *'(\\d+)\\.(\\d+)'");
    /** JNI flavors for wheels; those of libtorch 2.5.1 have the C++ ABI from before C++11. */
    private static final List<String> CUDA_JNI = List.of("cu124-precxx11", "cu128");

    private static final List<String> CPU_JNI = List.of("cpu-precxx11", "cpu");
    private static final String REBUILD = "build again: rm -r .prpf, then any ./prpf command";
    private static final int CUDA_12_8 = 12080;

    /** Returns the libtorch that DJL would load with this class path and these variables. */
    public static LibtorchBuild find(ClassLoader classes, Map<String, String> environment) {
        String jni = version(property(classes, JNI, "jni_version"));
        String path = environment.get(PATH);
        if (path != null) {
            return onPath(path, jni, environment);
        }
        int cuda = cuda(CUDA_OF_FLAVOR, property(classes, BUNDLED, "flavor"));
        return new LibtorchBuild(jars(classes), version(property(classes, BUNDLED, "version")), cuda, jni, false);
    }

    /** Takes the first entry with a libtorch.so, or that names one, as DJL does. */
    private static LibtorchBuild onPath(String path, String jni, Map<String, String> environment) {
        Path folder = Stream.of(path.split(":"))
                .map(entry -> Path.of(entry.replaceFirst("/libtorch\\.so$", "")))
                .filter(entry -> Files.isRegularFile(entry.resolve("libtorch.so")))
                .findFirst()
                .orElse(null);
        if (folder == null) {
            return new LibtorchBuild(List.of(path), "", 0, jni, true);
        }
        String description = description(folder.toAbsolutePath());
        String flavor = environment.getOrDefault(FLAVOR, "");
        int cuda = Math.max(cuda(CUDA_OF_WHEEL, description), cuda(CUDA_OF_FLAVOR, flavor));
        return new LibtorchBuild(
                List.of(folder.toAbsolutePath().toString()),
                version(environment.getOrDefault("PYTORCH_VERSION", description)),
                flavor.startsWith("cpu") ? 0 : cuda,
                jni,
                true);
    }

    private static String description(Path folder) {
        Path file = folder.resolveSibling("version.py");
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read", e);
        }
    }

    private static List<String> jars(ClassLoader classes) {
        try {
            return Collections.list(classes.getResources(BUNDLED)).stream()
                    .map(place -> JAR.matcher(place.toString()).replaceFirst("$1"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("the class path cannot be read", e);
        }
    }

    private static String property(ClassLoader classes, String resource, String key) {
        Properties properties = new Properties();
        try (InputStream text = classes.getResourceAsStream(resource)) {
            if (text != null) {
                properties.load(text);
            }
            return properties.getProperty(key, "");
        } catch (IOException e) {
            throw new UncheckedIOException(resource + " cannot be read", e);
        }
    }

    private static String version(String text) {
        Matcher version = VERSION.matcher(text);
        return version.find() ? version.group() : "";
    }

    private static int cuda(Pattern pattern, String text) {
        Matcher cuda = pattern.matcher(text);
        return cuda.find() ? 1000 * Integer.parseInt(cuda.group(1)) + 10 * Integer.parseInt(cuda.group(2)) : 0;
    }

    /** Returns the {@code PYTORCH_FLAVOR} of the JNI for this libtorch; null if DJL finds its JNI without it. */
    public @Nullable String jniFlavor(ClassLoader classes) {
        return !onPath
                ? null
                : (cuda == 0 ? CPU_JNI : CUDA_JNI)
                        .stream()
                                .filter(flavor ->
                                        classes.getResource("jnilib/linux-x86_64/" + flavor + "/libdjl_torch.so")
                                                != null)
                                .findFirst()
                                .orElse(null);
    }

    /**
     * Returns why this libtorch cannot run here, or null.
     *
     * @param cuda queries CUDA's runtime library; called for a CUDA build
     */
    public @Nullable Refusal refusal(Map<String, String> environment, Function<LibtorchBuild, CudaRuntime> cuda) {
        Refusal mismatch = mismatch();
        return mismatch != null || this.cuda == 0 ? mismatch : cuda.apply(this).refusal(this, environment);
    }

    private @Nullable Refusal mismatch() {
        if (places.size() > 1) {
            return new Refusal("two are on the class path, " + String.join(" and ", places), REBUILD);
        }
        if (!version.isEmpty() && version.equals(jni)) {
            return null;
        }
        String rule = ", and DJL's JNI on the class path is made for " + jni;
        if (!onPath) {
            return places.isEmpty()
                    ? new Refusal(
                            "none is on the class path" + rule,
                            REBUILD + "; a build of PRPF_PROFILE=cuda-pip needs " + PATH + " (docs/GPU.md)")
                    : new Refusal(label() + rule, REBUILD);
        }
        String found = version.isEmpty() ? "no libtorch.so with a version.py above its folder" : "version " + version;
        return new Refusal(
                PATH + "=" + places.get(0) + " has " + found + rule,
                "name the folder torch/lib of a Python environment with torch==" + jni + ", or unset " + PATH);
    }

    /**
     * Returns whether libtorch has kernels for a compute capability, 90 for 9.0. Kernels run on GPUs of the same major version and at least their
     * minor version. Source: the lists of PyTorch's builds, sm_50 to sm_90 for CUDA 12.4 and 12.6, sm_75 to sm_120 for CUDA 12.8.
     */
    boolean runsOn(int capability) {
        return cuda >= CUDA_12_8 ? capability >= 75 : capability >= 50 && capability < 100;
    }

    /** Returns the compute capabilities that have kernels, for messages. */
    String capabilities() {
        return cuda >= CUDA_12_8 ? "7.5 to 12.1" : "5.0 to 9.0";
    }

    /** Returns the jar or the folder, and the CUDA that libtorch was built with. */
    public String label() {
        return String.join(" and ", places)
                + (onPath ? " (" + PATH + "): libtorch " + version : "")
                + (cuda == 0 ? "" : " (CUDA " + CudaRuntime.dotted(cuda) + ")");
    }

    /**
     * The reason why libtorch cannot run here.
     *
     * @param found the value seen and the rule that it breaks
     * @param wayOut the next step
     */
    public record Refusal(String found, String wayOut) {
        /** Returns the error, which ends a command with 69. */
        public UnavailableException toException() {
            return new UnavailableException("libtorch cannot run: " + found + "; " + wayOut);
        }
    }
}

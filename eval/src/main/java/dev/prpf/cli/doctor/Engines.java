package dev.prpf.cli.doctor;

import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.onnx.OnnxModel.OnnxDevice;
import dev.prpf.par.device.CudaRuntime;
import dev.prpf.par.device.LibtorchBuild;
import dev.prpf.par.device.LibtorchBuild.Refusal;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks for the native libraries and models on the class path, without loading them, except CUDA's runtime.
 *
 * @param classes finds resources on the class path
 * @param cuda what CUDA's runtime library reports; called for a build for CUDA
 */
record Engines(ClassLoader classes, Map<String, String> environment, Function<LibtorchBuild, CudaRuntime> cuda) {
    private static final String ND4J_CPU = "org/nd4j/linalg/cpu/nativecpu/CpuBackend.class";
    private static final String ND4J_CUDA = "org/nd4j/linalg/jcublas/JCublasBackend.class";
    private static final String ND4J_NATIVE = "org/nd4j/linalg/cpu/nativecpu/bindings/linux-x86_64-avx2/libnd4jcpu.so";
    /** Sonames of the CUDA libraries that nd4j-cuda-11.6 links. */
    private static final List<String> ND4J_CUDA_NEEDS =
            List.of("libcudart.so.11.0", "libcublas.so.11", "libcusolver.so.11", "libcusparse.so.11");

    private static final Path LOADER_CACHE = Path.of("/etc/ld.so.cache");

    private static final Pattern JAR = Pattern.compile(".*/([^/]+)\\.jar!.*");
    private static final Pattern CUDA = Pattern.compile("cu(?:da-)?(\\d+)\\.?(\\d)");
    private static final String ABSENT = "is not on the class path";
    private static final String REBUILD = "build again: rm -r .prpf, then any ./prpf command";

    Engines(ClassLoader classes, Map<String, String> environment) {
        this(classes, environment, CudaRuntime::find);
    }

    List<Check> checks() {
        List<Check> checks = new ArrayList<>();
        checks.add(library("onnx runtime", "ai/onnxruntime/native/linux-x64/libonnxruntime.so"));
        checks.add(backend());
        checks.add(libtorch());
        checks.add(Check.ok(
                "engines",
                "runs on",
                "reasoner: " + place(reasonerOnGpu()) + "; perceiver: " + place(perceiverOnGpu()) + "; encoders: "
                        + place(OnnxDevice.chosen() == OnnxDevice.CUDA) + " (" + OnnxDevice.PROPERTY + ")"));
        checks.add(library("tokenizers", "native/lib/linux-x86_64/cpu/libtokenizers.so"));
        checks.add(model("text encoder", "bge-small-zh-v1.5.onnx"));
        checks.add(model("text encoder, 8 bits", "bge-small-zh-v1.5-q.onnx"));
        checks.add(model("English text encoder", "bge-small-en-v1.5-q.onnx"));
        ShippedEncoders.TEXT.stream().skip(1).map(EncoderSpec::id).forEach(id -> checks.add(optionalEncoder(id)));
        checks.add(model("ocr detector", "models/ch_PP-OCRv4_det_infer.onnx"));
        checks.add(model("ocr recogniser", "models/ch_PP-OCRv4_rec_infer.onnx"));
        checks.add(model("chinese font", "fonts/WenQuanZhengHei.ttf"));
        return checks;
    }

    private static String place(boolean onGpu) {
        return onGpu ? "GPU" : "processor";
    }

    /** Returns whether this build's libtorch is one for CUDA, as in the profiles cuda and cuda-mpp. */
    boolean reasonerOnGpu() {
        return LibtorchBuild.find(classes, environment).cuda() != 0;
    }

    /** Returns whether this build's ND4J is one for CUDA, as in the profile cuda-mpp. */
    boolean perceiverOnGpu() {
        return jar(ND4J_CUDA) != null;
    }

    /** Returns the name, with version, of the jar that holds a resource; null if no jar does. */
    private @Nullable String jar(String resource) {
        URL place = classes.getResource(resource);
        if (place == null) {
            return null;
        }
        Matcher matcher = JAR.matcher(place.toString());
        return matcher.matches() ? matcher.group(1) : place.toString();
    }

    private Check library(String name, String resource) {
        String jar = jar(resource);
        return Check.essential(jar != null, "engines", name, Objects.requireNonNullElse(jar, ABSENT), REBUILD);
    }

    private Check model(String name, String resource) {
        String jar = jar(resource);
        return jar == null ? Check.missing("models", name, ABSENT, REBUILD) : Check.ok("models", name, jar);
    }

    private Check optionalEncoder(String id) {
        String absent = "not in this build; PRPF_PROFILE=cpu,encoders ./prpf builds with it";
        return Check.ok("models", id, Objects.requireNonNullElse(jar(id + ".onnx"), absent));
    }

    private Check backend() {
        String name = "nd4j backend";
        String cuda = jar(ND4J_CUDA);
        if (cuda == null) {
            return library(name, ND4J_NATIVE);
        }
        String cpu = jar(ND4J_CPU);
        if (cpu != null) {
            String found = "two: " + cpu + ", " + cuda;
            return Check.essential(false, "engines", name, found, "only one can be used; " + REBUILD);
        }
        List<String> absent = ND4J_CUDA_NEEDS.stream().filter(this::isAbsent).toList();
        return Check.essential(
                absent.isEmpty(),
                "engines",
                name,
                cuda + cudaVersion(cuda) + (absent.isEmpty() ? "" : ", without " + String.join(", ", absent)),
                "install CUDA 11.6 and name its folder in LD_LIBRARY_PATH; PRPF_PROFILE=cuda ./prpf runs the perceiver"
                        + " on the processor");
    }

    /** Returns whether the loader finds no library of this name in LD_LIBRARY_PATH or its own list. */
    private boolean isAbsent(String library) {
        boolean named = Arrays.stream(
                        environment.getOrDefault("LD_LIBRARY_PATH", "").split(":"))
                .filter(folder -> !folder.isEmpty())
                .anyMatch(folder -> Files.exists(Path.of(folder, library)));
        try {
            return !named
                    && !Files.readString(LOADER_CACHE, StandardCharsets.ISO_8859_1)
                            .contains("/" + library + "\0");
        } catch (IOException e) {
            return true;
        }
    }

    private Check libtorch() {
        LibtorchBuild build = LibtorchBuild.find(classes, environment);
        Refusal refusal = build.refusal(environment, cuda);
        return refusal == null
                ? Check.ok("engines", "libtorch", build.label())
                : Check.essential(false, "engines", "libtorch", refusal.found(), refusal.wayOut());
    }

    /** " (CUDA 11.6)" of nd4j-cuda-11.6 and the like; empty where the name has none. */
    private static String cudaVersion(String name) {
        Matcher matcher = CUDA.matcher(name);
        return matcher.find() ? " (CUDA " + matcher.group(1) + "." + matcher.group(2) + ")" : "";
    }
}

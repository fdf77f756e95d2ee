package dev.prpf.cli.doctor;

import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The native libraries and the models on the class path; they are looked for, not loaded. */
final class Engines {
    private static final String ND4J_CPU = "org/nd4j/linalg/cpu/nativecpu/CpuBackend.class";
    private static final String ND4J_CUDA = "org/nd4j/linalg/jcublas/JCublasBackend.class";
    private static final String ND4J_NATIVE = "org/nd4j/linalg/cpu/nativecpu/bindings/linux-x86_64-avx2/libnd4jcpu.so";
    private static final Pattern JAR = Pattern.compile(".*/([^/]+)\\.jar!.*");
    private static final String ABSENT = "is not on the class path";
    private static final String REBUILD = "build again: rm -r .prpf, then any ./prpf command";

    private Engines() {}

    static List<Check> checks() {
        List<Check> checks = new ArrayList<>();
        checks.add(library("onnx runtime", "ai/onnxruntime/native/linux-x64/libonnxruntime.so"));
        checks.add(backend());
        checks.add(libtorch());
        checks.add(library("tokenizers", "native/lib/linux-x86_64/cpu/libtokenizers.so"));
        checks.add(model("text encoder", "bge-small-zh-v1.5.onnx"));
        checks.add(model("text encoder, 8 bits", "bge-small-zh-v1.5-q.onnx"));
        checks.add(model("ocr detector", "models/ch_PP-OCRv4_det_infer.onnx"));
        checks.add(model("ocr recogniser", "models/ch_PP-OCRv4_rec_infer.onnx"));
        checks.add(model("chinese font", "fonts/WenQuanZhengHei.ttf"));
        return checks;
    }

    /** Whether this build uses a GPU where there is one. */
    static boolean areForGpu() {
        return jar(ND4J_CUDA) != null;
    }

    /** The name of the jar that holds a resource, which names its version; null where none does. */
    private static @Nullable String jar(String resource) {
        URL place = Engines.class.getClassLoader().getResource(resource);
        if (place == null) {
            return null;
        }
        Matcher matcher = JAR.matcher(place.toString());
        return matcher.matches() ? matcher.group(1) : place.toString();
    }

    private static Check library(String name, String resource) {
        String jar = jar(resource);
        return Check.essential(jar != null, "engines", name, Objects.requireNonNullElse(jar, ABSENT), REBUILD);
    }

    private static Check model(String name, String resource) {
        String jar = jar(resource);
        return jar == null ? Check.missing("models", name, ABSENT, REBUILD) : Check.ok("models", name, jar);
    }

    private static Check backend() {
        String name = "nd4j backend";
        String cuda = jar(ND4J_CUDA);
        if (cuda == null) {
            return library(name, ND4J_NATIVE);
        }
        String cpu = jar(ND4J_CPU);
        String found = cpu == null ? cuda : "two: " + cpu + ", " + cuda;
        return Check.essential(cpu == null, "engines", name, found, "only one can be used; " + REBUILD);
    }

    private static Check libtorch() {
        String own = System.getenv("PYTORCH_LIBRARY_PATH");
        return own == null
                ? library("libtorch", "pytorch/cpu/linux-x86_64/libtorch_cpu.so")
                : Check.essential(true, "engines", "libtorch", own + " (PYTORCH_LIBRARY_PATH)", REBUILD);
    }
}

package dev.prpf.cli.doctor;

import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.ShippedEncoders;
import dev.prpf.data.onnx.OnnxDevice;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The native libraries and the models on the class path; they are looked for, not loaded.
 *
 * @param classes finds what is on the class path
 * @param environment the environment's variables
 */
record Engines(ClassLoader classes, Map<String, String> environment) {
    private static final String ND4J_CPU = "org/nd4j/linalg/cpu/nativecpu/CpuBackend.class";
    private static final String ND4J_CUDA = "org/nd4j/linalg/jcublas/JCublasBackend.class";
    private static final String ND4J_NATIVE = "org/nd4j/linalg/cpu/nativecpu/bindings/linux-x86_64-avx2/libnd4jcpu.so";
    /** DJL's description of the libtorch in the same jar; its flavor is cpu, or cu124 for CUDA 12.4. */
    private static final String LIBTORCH = "native/lib/pytorch.properties";

    private static final Pattern JAR = Pattern.compile(".*/([^/]+)\\.jar!.*");
    private static final Pattern CUDA = Pattern.compile("cu(?:da-)?(\\d+)\\.?(\\d)");
    private static final String ABSENT = "is not on the class path";
    private static final String REBUILD = "build again: rm -r .prpf, then any ./prpf command";

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
        ShippedEncoders.TEXT.stream().skip(1).map(EncoderSpec::id).forEach(id -> checks.add(optionalEncoder(id)));
        checks.add(model("ocr detector", "models/ch_PP-OCRv4_det_infer.onnx"));
        checks.add(model("ocr recogniser", "models/ch_PP-OCRv4_rec_infer.onnx"));
        checks.add(model("chinese font", "fonts/WenQuanZhengHei.ttf"));
        return checks;
    }

    private static String place(boolean onGpu) {
        return onGpu ? "GPU" : "processor";
    }

    /** Whether this build's libtorch is one for CUDA, as those of the profiles cuda and cuda-mpp are. */
    boolean reasonerOnGpu() {
        return flavor().startsWith("cu");
    }

    /** Whether this build's ND4J is one for CUDA, as that of the profile cuda-mpp is. */
    boolean perceiverOnGpu() {
        return jar(ND4J_CUDA) != null;
    }

    /** The name of the jar that holds a resource, which names its version; null where none does. */
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
        String found = cpu == null ? cuda + cudaVersion(cuda) : "two: " + cpu + ", " + cuda;
        return Check.essential(cpu == null, "engines", name, found, "only one can be used; " + REBUILD);
    }

    private Check libtorch() {
        String jar = jar(LIBTORCH);
        String own = environment.get("PYTORCH_LIBRARY_PATH");
        String shipped = jar == null ? ABSENT : jar + cudaVersion(flavor());
        String found = own == null ? shipped : own + " (PYTORCH_LIBRARY_PATH)";
        return Check.essential(own != null || jar != null, "engines", "libtorch", found, REBUILD);
    }

    private String flavor() {
        Properties properties = new Properties();
        try (InputStream text = classes.getResourceAsStream(LIBTORCH)) {
            if (text != null) {
                properties.load(text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(LIBTORCH + " cannot be read", e);
        }
        return properties.getProperty("flavor", "");
    }

    /** " (CUDA 11.6)" of nd4j-cuda-11.6 and the like; empty where the name has none. */
    private static String cudaVersion(String name) {
        Matcher matcher = CUDA.matcher(name);
        return matcher.find() ? " (CUDA " + matcher.group(1) + "." + matcher.group(2) + ")" : "";
    }
}

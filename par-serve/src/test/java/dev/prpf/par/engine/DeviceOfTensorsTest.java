package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.IValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that every tensor is created on the decoder's device. Needs no GPU: libtorch's device "meta", which has shapes without values, refuses to
 * mix its tensors with the host's, as a GPU does.
 */
class DeviceOfTensorsTest {
    private static final Path MAIN = Path.of(System.getProperty("prpf.root", ".."), "par-serve/src/main");
    private static final Pattern CREATION = Pattern.compile(
            "torch\\.(empty|zeros|ones|full|rand|randn|randint|arange|tensor|scalar_tensor|eye|linspace|normal|triu_indices|tril_indices)"
                    + "\\(|torch\\.(device|cpu|cuda)\\(");

    /** Matches code that creates or moves an array by its own choice of device. */
    private static final Pattern OWN_CHOICE = Pattern.compile(
            "Device\\.(cpu|gpu|of|fromName)\\(|newBaseManager\\(|newSubManager\\(\\)"
                    + "|JniUtils\\.(create|full|zerosLike|onesLike|arange|normal|uniform|eye)|toDevice\\(|\"cpu\"|\"staged\"");

    /** Reads of an array past {@link HostValues}. */
    private static final Pattern HOST_READ =
            Pattern.compile("\\.to(Float|Double|Int|Boolean|Uint8)Array\\(|\\.get(Float|Double|Long|Int|Boolean)\\(\\)"
                    + "|getByteBuffer\\(|toByteBuffer\\(");

    private static final Script SCRIPT = Script.decoder();
    private static final Script META = Script.load(DeviceOfTensorsTest.class, "device.torchscript");

    private PtNDManager memory;

    @BeforeEach
    void open() {
        memory = TorchRuntime.newManager();
    }

    @AfterEach
    void close() {
        memory.close();
    }

    private static List<String> violations(String ending, Pattern pattern, List<String> allowed) throws IOException {
        try (Stream<Path> files = Files.walk(MAIN)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .flatMap(file -> lines(file)
                            .filter(line -> pattern.matcher(line).find())
                            .map(line -> file.getFileName() + ": " + line.strip()))
                    .filter(line -> allowed.stream().noneMatch(line::equals))
                    .toList();
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void noScriptMakesATensorWithoutADevice() throws IOException {
        assertThat(violations(
                        ".torchscript",
                        CREATION,
                        List.of(
                                "weights.torchscript: return torch.empty(size, dtype=dtype, device=torch.device(\"cpu\"))",
                                "weights.torchscript: return torch.to(torch.narrow(torch.reshape(x, [-1]), 0, begin,"
                                        + " count), torch.device(\"cpu\"))",
                                "weights.torchscript: return torch.mul(torch.randn(size, dtype=6,"
                                        + " device=ops.prim.device(like)), scale)")))
                .isEmpty();
        assertThat(violations(".torchscript", Pattern.compile("torch\\.new_zeros"), List.of()))
                .as("the scripts are found")
                .isNotEmpty();
    }

    @Test
    void noJavaChoosesADevice() throws IOException {
        assertThat(violations(
                        ".java",
                        OWN_CHOICE,
                        List.of(
                                "LibtorchBuild.java: private static final List<String> CPU_JNI ="
                                        + " List.of(\"cpu-precxx11\", \"cpu\");",
                                "LibtorchBuild.java: flavor.startsWith(\"cpu\") ? 0 : cuda,",
                                "TorchRuntime.java: NDManager manager = Engine.getEngine(\"PyTorch\").newBaseManager();",
                                "Tensors.java: return Script.decoder().differentiable(owner, \"staged\", shape,"
                                        + " scalarType);")))
                .isEmpty();
    }

    @Test
    void noJavaReadsAnArrayPastHostValues() throws IOException {
        assertThat(violations(".java", HOST_READ, List.of())).isNotEmpty().allSatisfy(line -> assertThat(line)
                .startsWith("HostValues.java: "));
    }

    @Test
    void theRunsDeviceIsTheEnginesOwn() {
        assertThat(TorchRuntime.device()).matches("cpu|gpu:\\d+");
    }

    private PtNDArray[] meta(PtNDArray... arrays) {
        return META.tensors(memory, "meta", (Object) arrays);
    }

    private PtNDArray meta(PtNDArray array) {
        return meta(new PtNDArray[] {array})[0];
    }

    private static void assertOnMeta(PtNDArray... arrays) {
        assertThat(arrays).isNotEmpty();
        for (PtNDArray array : arrays) {
            try (IValue there = META.value("is_meta", array)) {
                assertThat(there.toLong()).isOne();
            }
        }
    }

    @Test
    void weightsAreMadeWhereTheyAreAskedFor() {
        PtNDArray like = meta(TorchRuntime.anchor());
        PtNDArray host = Tensors.create(memory, new long[] {2, 2}, new float[] {1, 2, 3, 4});
        assertOnMeta(SCRIPT.tensor(memory, "placed", host, Precision.BF16.scalarType(), like));
        assertOnMeta(SCRIPT.tensor(memory, "normal", new long[] {3}, 0.02, like));
    }

    /** The methods that make tensors and that libtorch's "meta" has all operators for. */
    @ParameterizedTest
    @ValueSource(strings = {"llama", "qwen3_5"})
    void weightsCachesAndLayersStayOnTheirDevice(String family) {
        DecoderConfig config = family.equals("llama") ? TinyModels.config(40, 64, false) : TinyModels.qwen35(40, 64);
        try (DecoderWeights weights = ModelInit.random(config, 7);
                CausalLm decoder = CausalLm.of(
                        FusedShape.linear(config, Precision.FP32),
                        (scratch, names) -> meta(weights.read(scratch, names)))) {
            IValue fused = decoder.fused();
            PtNDArray[] caches = SCRIPT.tensors(memory, "new_caches", fused, 2L, 8L);
            assertOnMeta(caches);
            PtNDArray x = zeros(2, 3, 32);
            assertOnMeta(SCRIPT.tensor(memory, "head", x, fused));
            PtNDArray heads = zeros(2, 4, 3, 8);
            PtNDArray[] none = {};
            assertOnMeta(SCRIPT.tensor(memory, "small_causal", heads, heads, heads, 0.5));
            assertOnMeta(SCRIPT.tensor(memory, "band", x, 3L, 5L, 2L));
            assertOnMeta(SCRIPT.tensor(memory, "delta_convolution", zeros(2, 3, 32), zeros(4, 32), none, none));
        }
    }

    private PtNDArray zeros(long... shape) {
        int size = (int) Arrays.stream(shape).reduce(1, (a, b) -> a * b);
        return meta(Tensors.create(memory, shape, new float[size]));
    }

    @Test
    void tokensAreChosenOnTheLogitsDevice() {
        PtNDArray logits = zeros(2, 40);
        assertOnMeta(SCRIPT.tensors(memory, "greedy", logits));
        assertOnMeta(SCRIPT.tensors(memory, "warped", logits, 0.7, 0L, 0.9, 0.1));
    }
}

package dev.prpf.par.engine;

import ai.djl.pytorch.engine.PtNDArray;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.par.bench.MachineSpeed;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Loads SmolLM2-135M's shape as on a GPU. Each argument FILES-MATRICES names two formats. Prints the ratio of the peak
 * to its matrices.
 */
final class LoadingWork {
    private static final DecoderConfig SHAPE =
            TinyModels.llama(49_152, 576, 1536, 30, AttentionShape.of(9, 3, 64, 1e5), 2048, true, List.of(2));

    private LoadingWork() {}

    public static void main(String[] arguments) {
        FakeCard.insert();
        DecoderConfig small = TinyModels.config(40, 64, true);
        CausalLm.of(ModelInit.random(small, 3), Precision.BF16).close();
        Script made = Script.load(MachineSpeed.class, "bench.torchscript");
        for (String each : arguments) {
            String[] formats = each.toUpperCase(Locale.ROOT).split("-", -1);
            load(made, Precision.valueOf(formats[0]), Precision.valueOf(formats[1]));
        }
    }

    private static void load(Script made, Precision stored, Precision precision) {
        Map<String, long[]> shapes = SHAPE.parameterShapes();
        WeightSource source = (scratch, names) -> names.stream()
                .map(name -> {
                    long[] shape = Objects.requireNonNull(shapes.get(name));
                    long type = (shape.length == 1 ? Precision.FP32 : stored).scalarType();
                    return made.tensor(scratch, "ones", shape, type, TorchRuntime.anchor());
                })
                .toArray(PtNDArray[]::new);
        ProcessMemory.Measured<CausalLm> loaded =
                ProcessMemory.peakOf(() -> CausalLm.of(FusedShape.of(SHAPE, precision), source));
        try (CausalLm decoder = loaded.result()) {
            System.out.printf(
                    Locale.ROOT,
                    "%s to %s %s %.3f%n",
                    stored.label(),
                    precision.label(),
                    decoder.shape().kernel(),
                    (double) Objects.requireNonNull(loaded.peakBytes())
                            / decoder.shape().loadedBytes());
        }
    }
}

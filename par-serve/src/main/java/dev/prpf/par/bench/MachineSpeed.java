package dev.prpf.par.bench;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.TorchRuntime;

/**
 * The highest speed of this machine, measured with libtorch on its threads.
 *
 * @param readBandwidth 10⁹ bytes a second, reading 256 MiB of float32 once
 * @param gemmFp32 10⁹ operations a second, a product of two square matrices of width 768 in float32, 8192 on a GPU
 * @param gemmBf16 the same in bfloat16
 */
public record MachineSpeed(
        @JsonProperty("read_gb_s") double readBandwidth,
        @JsonProperty("gemm_fp32_gflop_s") double gemmFp32,
        @JsonProperty("gemm_bf16_gflop_s") double gemmBf16) {
    private static final long BYTES = 256L << 20;
    private static final long WIDTH = 768;

    /** On a GPU, a product of the smaller width takes less time than its launch. */
    private static final long WIDTH_ON_CARD = 8192;

    private static final int RUNS = 8;
    private static final double FAST_ENOUGH_SECONDS = 1;

    /** Measures the peak speeds. The best of several runs counts, since disturbances only slow a run down. */
    public static MachineSpeed measure() {
        Script script = Script.load(MachineSpeed.class, "bench.torchscript");
        try (PtNDManager memory = TorchRuntime.newManager()) {
            PtNDArray long256 = script.tensor(
                    memory,
                    "ones",
                    new long[] {BYTES / Float.BYTES},
                    Precision.FP32.scalarType(),
                    TorchRuntime.anchor());
            double read = BYTES / fastest(script, "total", long256);
            return new MachineSpeed(
                    read / 1e9, gemm(script, memory, Precision.FP32), gemm(script, memory, Precision.BF16));
        }
    }

    /** Returns the faster of both: the peak of a prompt's products in any format. */
    public double gemmPeak() {
        return Math.max(gemmFp32, gemmBf16);
    }

    private static double gemm(Script script, PtNDManager memory, Precision precision) {
        long width = TorchRuntime.card() == null ? WIDTH : WIDTH_ON_CARD;
        PtNDArray square =
                script.tensor(memory, "ones", new long[] {width, width}, precision.scalarType(), TorchRuntime.anchor());
        return 2.0 * width * width * width / fastest(script, "square", square) / 1e9;
    }

    private static double fastest(Script script, String method, PtNDArray argument) {
        double best = Double.POSITIVE_INFINITY;
        double all = 0;
        for (int i = 0; i < RUNS && all < FAST_ENOUGH_SECONDS; i++) {
            try (PtNDManager scratch = TorchRuntime.newManager()) {
                TorchRuntime.synchronise();
                long start = System.nanoTime();
                script.tensor(scratch, method, argument);
                TorchRuntime.synchronise();
                double seconds = (System.nanoTime() - start) / 1e9;
                best = Math.min(best, seconds);
                all += seconds;
            }
        }
        return best;
    }
}

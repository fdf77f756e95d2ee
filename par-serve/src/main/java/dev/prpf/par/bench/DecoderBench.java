package dev.prpf.par.bench;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderConfig.SpecialTokens;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.DecoderFlops;
import dev.prpf.par.engine.DeltaNetShape;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.generate.GenerationRequest;
import dev.prpf.par.generate.Generator;
import dev.prpf.par.generate.SamplingParams;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures a decoder in several number formats and batch sizes.
 *
 * @param model its name in the metrics
 * @param config its shape
 * @param loading creates its decoder in a number format; closed here
 * @param settings of the measurement; refused with 2 if prompt and new tokens exceed the model's positions
 */
public record DecoderBench(
        String model, DecoderConfig config, Function<Precision, CausalLm> loading, Settings settings) {
    private static final Logger LOG = LoggerFactory.getLogger(DecoderBench.class);
    private static final int WARM_UP_TOKENS = 4;
    private static final String SMOLLM2_135M = "135m";

    public DecoderBench {
        settings.requireRoom(config);
    }

    /**
     * Returns a known decoder shape by name, in any case, to measure without weights: {@code 135m} is SmolLM2-135M's {@code config.json}.
     *
     * @throws PrpfException 2 for an unknown name
     */
    public static DecoderConfig knownShape(String label) {
        if (!label.toLowerCase(Locale.ROOT).equals(SMOLLM2_135M)) {
            throw new UsageException("--shape = " + label + ", must be one of " + SMOLLM2_135M);
        }
        return new DecoderConfig(
                DecoderFamily.LLAMA,
                49_152,
                576,
                1536,
                DecoderConfig.fullAttention(30),
                AttentionShape.of(9, 3, 64, 100_000),
                null,
                8192,
                1e-5,
                true,
                new SpecialTokens(1, List.of(2), 2));
    }

    /**
     * Measures all metrics, one number format after the other.
     *
     * @throws dev.prpf.base.error.PrpfException 75 at the next token after a signal
     */
    public BenchMetrics run(StopSignal stop) {
        LOG.info("memory and products of matrices");
        MachineSpeed machine = MachineSpeed.measure();
        stop.requireNone();
        List<BenchMetrics.Row> rows = new ArrayList<>();
        for (Precision precision : settings.precisions()) {
            Long before = ProcessMemory.residentBytes();
            try (CausalLm decoder = loading.apply(precision)) {
                rows.addAll(rows(decoder, before, machine, stop));
            }
        }
        return new BenchMetrics(
                model,
                config.parameterCount(),
                TorchRuntime.device(),
                TorchRuntime.threads(),
                machine,
                settings.prompt(),
                settings.newTokens(),
                settings.rounds(),
                List.copyOf(rows));
    }

    private List<BenchMetrics.Row> rows(
            CausalLm decoder, @Nullable Long before, MachineSpeed machine, StopSignal stop) {
        List<BenchMetrics.Row> rows = new ArrayList<>();
        Long after = ProcessMemory.residentBytes();
        for (int batch : settings.batches()) {
            LOG.info("{}, batch {}", decoder.shape().precision().label(), batch);
            ProcessMemory.Measured<Speed> speed = ProcessMemory.peakOf(() -> speed(decoder, batch, stop));
            Long used = speed.peakBytes();
            Double resident = used == null || before == null || after == null ? null : (used + after - before) / 1e6;
            rows.add(row(decoder, batch, speed.result(), machine, resident));
        }
        return rows;
    }

    private record Speed(BenchMetrics.Spread prefill, BenchMetrics.@Nullable Spread decode) {}

    private Speed speed(CausalLm decoder, int batch, StopSignal stop) {
        seconds(decoder, batch, stop, WARM_UP_TOKENS);
        double[] first = new double[settings.rounds()];
        double[] all = new double[settings.rounds()];
        for (int i = 0; i < first.length; i++) {
            first[i] = seconds(decoder, batch, stop, 1);
            all[i] = seconds(decoder, batch, stop, 1 + settings.newTokens());
        }
        double read = (double) batch * settings.prompt();
        double written = (double) batch * settings.newTokens();
        double[] writing = IntStream.range(0, first.length)
                .mapToDouble(i -> all[i] - first[i])
                .filter(seconds -> seconds > 0)
                .map(seconds -> written / seconds)
                .toArray();
        BenchMetrics.Spread prefill = BenchMetrics.Spread.of(
                DoubleStream.of(first).map(seconds -> read / seconds).toArray());
        return new Speed(prefill, writing.length == 0 ? null : BenchMetrics.Spread.of(writing));
    }

    /** Measures the time of generating from a batch of prompts without common prefixes. */
    private double seconds(CausalLm decoder, int batch, StopSignal stop, int newTokens) {
        int vocabulary = config.vocabularySize();
        int length = Math.min(newTokens, config.maxPositions() - settings.prompt() + 1);
        SamplingParams greedy = SamplingParams.greedy(length, List.of());
        List<GenerationRequest> requests = IntStream.range(0, batch)
                .mapToObj(row -> LongStream.range(0, settings.prompt())
                        .map(i -> (7 * i + 31L * row) % vocabulary)
                        .toArray())
                .map(ids -> new GenerationRequest(Prompt.ofText(ids), greedy, 0, null))
                .toList();
        Generator generator = new Generator(decoder);
        long start = System.nanoTime();
        generator.generate(requests, batch, stop::requested);
        double seconds = (System.nanoTime() - start) / 1e9;
        stop.requireNone();
        return seconds;
    }

    private BenchMetrics.Row row(
            CausalLm decoder, int batch, Speed speed, MachineSpeed machine, @Nullable Double resident) {
        DecodingCost cost = new DecodingCost(config);
        double flop = cost.prefillFlop(batch, settings.prompt());
        double prefillSeconds = batch * settings.prompt() / speed.prefill().median();
        double remembered = settings.prompt() + settings.newTokens() / 2.0;
        BenchMetrics.Spread decode = speed.decode();
        Double ofBandwidth = decode == null
                ? null
                : decode.median()
                        / batch
                        * cost.stepBytes(decoder, batch, remembered)
                        / (machine.readBandwidth() * 1e9);
        return new BenchMetrics.Row(
                decoder.shape().precision().label(),
                decoder.shape().kernel().label(),
                batch,
                speed.prefill(),
                decode,
                flop / prefillSeconds / (machine.gemmPeak() * 1e9),
                ofBandwidth,
                resident);
    }

    /**
     * The settings of a measurement.
     *
     * @param precisions number formats, one decoder each
     * @param batches numbers of concurrent prompts
     * @param prompt number of prompt tokens
     * @param newTokens number of generated tokens
     * @param rounds number of measurements of each metric
     */
    public record Settings(List<Precision> precisions, List<Integer> batches, int prompt, int newTokens, int rounds) {
        public Settings {
            precisions = List.copyOf(precisions);
            batches = List.copyOf(batches);
            batches.forEach(batch -> positive("--batch", batch));
            positive("--prompt", prompt);
            positive("--new", newTokens);
            positive("--rounds", rounds);
        }

        private static void positive(String option, int value) {
            if (value < 1) {
                throw new UsageException(option + " = " + value + ", must be at least 1");
            }
        }

        /** Requires enough positions; called before loading. */
        void requireRoom(DecoderConfig config) {
            if ((long) prompt + newTokens > config.maxPositions()) {
                throw new UsageException("--prompt = " + prompt + " and --new = " + newTokens + ": the model has "
                        + config.maxPositions() + " positions, their sum must be at most that");
            }
        }
    }

    /** The minimum operations and bytes for a decoder's shape, independent of the implementation. */
    static final class DecodingCost {
        private final DecoderConfig config;
        private final DecoderFlops flops;

        DecodingCost(DecoderConfig config) {
            this.config = config;
            flops = new DecoderFlops(config);
        }

        /** Returns the operations of prefill: every position through the layers, the last one through the head. */
        double prefillFlop(int batch, int tokens) {
            return batch * flops.of(0, tokens, 1);
        }

        /** Returns the bytes that one step of a batch reads (and for delta-net states also writes): all matrices once, and each row's cache. */
        double stepBytes(CausalLm decoder, int batch, double remembered) {
            AttentionShape attention = config.attention();
            double keysAndValues = 2.0 * attention.keyValueHeads() * attention.headDim() * remembered * fullLayers();
            DeltaNetShape delta = config.deltaNet();
            double states = delta == null
                    ? 0
                    : 2.0 * delta.valueHeads() * delta.keyDim() * delta.valueDim() * (config.layers() - fullLayers());
            return decoder.shape().precision().weightBytes() * (double) flops.matrixWeights()
                    + batch * (decoder.shape().activationBytes() * keysAndValues + Float.BYTES * states);
        }

        private long fullLayers() {
            return config.mixers().stream()
                    .filter(AttentionShape.class::isInstance)
                    .count();
        }
    }
}

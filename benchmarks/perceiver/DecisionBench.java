package dev.prpf.mpp.bench;

import dev.prpf.base.files.TemporaryFolder;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.data.onnx.OperationCount;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.host.HostStream;
import dev.prpf.mpp.network.host.ParameterStore;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.training.MppConfig;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Latency and operations of decisions, with encoders that have seen none of the content before.
 *
 * @param seconds measured a kind of decision, after half as much that is not
 */
record DecisionBench(MppConfig config, NetworkShape shape, double seconds, MadeInputs inputs) {
    static final int COLD_TOKENS = 64;

    /** Nanoseconds of one decision's parts; frame is 0 where no image is read. */
    record Parts(long frame, long text, long fusion) {
        long total() {
            return frame + text + fusion;
        }
    }

    /** Decisions, and the tokens that went through the text encoder for one of them. */
    record Measured(List<Parts> parts, double tokens) {}

    /** Uses an encoder that finds nothing in its store. */
    static <T> T withEncoder(MppConfig config, boolean stream, Function<SampleEncoder, T> work) {
        try (TemporaryFolder store = TemporaryFolder.open("prpf-store")) {
            EncoderSettings settings = config.encoder().settings(store.path(), null);
            try (SampleEncoder encoder =
                    stream ? SampleEncoder.openForStream(settings) : SampleEncoder.open(settings)) {
                return work.apply(encoder);
            }
        }
    }

    /** Three texts and the longest trajectory, none of them seen before, through encoder and training graph as {@code gate predict} does it. */
    BenchResult.Decision cold(MppModel model) {
        int steps = shape.window().maxSteps();
        Measured measured = measured(false, NetworkShape.CONTEXT + steps, encoder -> {
            List<String> texts = coldTexts(steps);
            long start = System.nanoTime();
            float[][] vectors = encoder.encodeTexts(texts);
            long encoded = System.nanoTime();
            model.perceive(List.of(features(vectors)));
            return new Parts(0, encoded - start, System.nanoTime() - encoded);
        });
        double text = gflop(encoder -> encoder.encodeTexts(coldTexts(steps)));
        BenchResult.Gflop gflop = new BenchResult.Gflop(
                null, text, NetworkSummary.of(shape, steps).flops() / 1e9);
        return row("cold: 3 texts, " + steps + " frames", measured, gflop);
    }

    private List<String> coldTexts(int steps) {
        return IntStream.range(0, NetworkShape.CONTEXT + steps)
                .mapToObj(i -> inputs.text(COLD_TOKENS))
                .toList();
    }

    private static SampleFeatures features(float[][] vectors) {
        float[][] steps = Arrays.copyOfRange(vectors, NetworkShape.CONTEXT, vectors.length);
        float[][] context = Arrays.copyOf(vectors, NetworkShape.CONTEXT);
        return new SampleFeatures("made", context, steps, new boolean[steps.length], null, null);
    }

    /** Measures a decision on one new frame of n tokens in a running stream, without text recognition. */
    BenchResult.Decision streaming(ParameterStore network, int tokens) {
        HostStream session = inputs.session(network, shape.window().maxSteps());
        Measured measured = measured(true, 1, encoder -> {
            String text = inputs.text(tokens);
            return decided(encoder, session, text);
        });
        double text = gflop(encoder -> encoder.encodeTexts(List.of(inputs.text(tokens))));
        BenchResult.Gflop gflop = new BenchResult.Gflop(null, text, streamingGflop(shape));
        return row("streaming: 1 frame of " + tokens + " tokens", measured, gflop);
    }

    /** A frame's vector, and the stream's answer. */
    private static Parts decided(SampleEncoder encoder, HostStream session, String text) {
        long start = System.nanoTime();
        float[] vector = encoder.encodeTexts(List.of(text))[0];
        long encoded = System.nanoTime();
        session.step(vector, true);
        session.answer();
        return new Parts(0, encoded - start, System.nanoTime() - encoded);
    }

    /** Measures decisions on this many texts each, after a warm-up of half as many seconds. */
    private Measured measured(boolean stream, int texts, Function<SampleEncoder, Parts> decision) {
        return withEncoder(config, stream, encoder -> {
            Timing.repeat(seconds / 2, () -> decision.apply(encoder));
            List<Parts> parts = Timing.repeat(seconds, () -> decision.apply(encoder));
            return new Measured(parts, texts * (double) encoder.tokens() / encoder.encoded());
        });
    }

    static double streamingGflop(NetworkShape shape) {
        return (NetworkSummary.flopsOfStep(shape)
                        + NetworkSummary.flopsOfAnswer(shape, shape.window().maxSteps()))
                / 1e9;
    }

    /** Operations of every network that the work asks an encoder for. */
    private double gflop(Function<SampleEncoder, ?> work) {
        try (OperationCount count = OperationCount.open()) {
            withEncoder(config, false, work);
            return count.flops() / 1e9;
        }
    }

    static BenchResult.Decision row(String what, Measured measured, BenchResult.Gflop gflop) {
        Double frame = gflop.frameEncoder() == null
                ? null
                : timing(measured, Parts::frame).median();
        double text = timing(measured, Parts::text).median();
        double fusion = timing(measured, Parts::fusion).median();
        Timing total = timing(measured, Parts::total);
        return new BenchResult.Decision(what, measured.tokens, total, frame, text, fusion, gflop);
    }

    private static Timing timing(Measured measured, ToLongFunction<Parts> part) {
        return Timing.of(measured.parts().stream().mapToLong(part));
    }
}

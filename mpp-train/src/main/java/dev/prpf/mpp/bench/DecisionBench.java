package dev.prpf.mpp.bench;

import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.OperationCount;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.data.encode.TemporaryStore;
import dev.prpf.mpp.MppConfig;
import dev.prpf.mpp.MppModel;
import dev.prpf.mpp.network.definition.NetworkFlops;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.streaming.StreamingNetwork;
import dev.prpf.mpp.streaming.StreamingSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Latency and operations of decisions, with encoders that have seen none of the content before. */
final class DecisionBench {
    private static final int COLD_TOKENS = 64;
    private static final int PASSES = 3;

    private final MppConfig config;
    private final double seconds;
    private final NetworkShape shape;
    private final NetworkFlops flops;
    private final MadeInputs inputs;

    /** @param seconds measured a kind of decision, after half as much that is not */
    DecisionBench(MppConfig config, NetworkShape shape, double seconds) {
        this.config = config;
        this.seconds = seconds;
        this.shape = shape;
        this.flops = new NetworkFlops(shape);
        this.inputs = new MadeInputs(config.seed());
    }

    /** Nanoseconds of one decision's parts; frame is 0 where no picture is read. */
    private record Parts(long frame, long text, long fusion) {
        long total() {
            return frame + text + fusion;
        }
    }

    private EncoderSettings settings(Path store) {
        return config.encoder().settings(store, null);
    }

    /** Three texts and ten steps, none of them seen before, through encoder and training graph as {@code mpp predict} does it. */
    DecisionSpeed cold(MppModel model) {
        int steps = shape.maxSteps();
        List<Parts> parts;
        double tokens;
        try (TemporaryStore store = TemporaryStore.unless(null);
                SampleEncoder encoder = SampleEncoder.open(settings(store.path()))) {
            parts = measured(() -> {
                List<String> texts = coldTexts(steps);
                long start = System.nanoTime();
                float[][] vectors = encoder.encodeTexts(texts);
                long encoded = System.nanoTime();
                model.perceive(List.of(features(vectors)));
                return new Parts(0, encoded - start, System.nanoTime() - encoded);
            });
            tokens = (NetworkShape.CONTEXT + steps) * (double) encoder.tokens() / encoder.encoded();
        }
        double text = gflop(encoder -> encoder.encodeTexts(coldTexts(steps)));
        return row(
                "cold: 3 texts, " + steps + " frames",
                tokens,
                parts,
                new DecisionSpeed.Gflop(null, text, flops.batch(steps) / 1e9));
    }

    private List<String> coldTexts(int steps) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < NetworkShape.CONTEXT + steps; i++) {
            texts.add(inputs.text(COLD_TOKENS));
        }
        return texts;
    }

    private static SampleFeatures features(float[][] vectors) {
        float[][] steps = Arrays.copyOfRange(vectors, NetworkShape.CONTEXT, vectors.length);
        float[][] context = Arrays.copyOf(vectors, NetworkShape.CONTEXT);
        return new SampleFeatures("made", context, steps, new boolean[steps.length], null, null);
    }

    /** One new frame of so many tokens in a running stream, text recognition left out. */
    DecisionSpeed streaming(StreamingNetwork network, int tokens) {
        List<Parts> parts;
        double counted;
        StreamingSession session = running(network);
        try (TemporaryStore store = TemporaryStore.unless(null);
                SampleEncoder encoder = SampleEncoder.openForStream(settings(store.path()))) {
            parts = measured(() -> {
                String text = inputs.text(tokens);
                long start = System.nanoTime();
                float[] vector = encoder.encodeTexts(List.of(text))[0];
                long encoded = System.nanoTime();
                session.step(vector, true);
                session.answer();
                return new Parts(0, encoded - start, System.nanoTime() - encoded);
            });
            counted = (double) encoder.tokens() / encoder.encoded();
        }
        double text = gflop(encoder -> encoder.encodeTexts(List.of(inputs.text(tokens))));
        return row(
                "streaming: 1 frame of " + tokens + " tokens",
                counted,
                parts,
                new DecisionSpeed.Gflop(null, text, streamingGflop()));
    }

    /** One new screenshot in a running stream, its text recognised; every picture several times, never from a store. */
    DecisionSpeed screens(StreamingNetwork network, List<Path> pictures) {
        List<Parts> parts = new ArrayList<>();
        double tokens = 0;
        List<String> texts = new ArrayList<>();
        StreamingSession session = running(network);
        for (int pass = 0; pass <= PASSES; pass++) {
            try (TemporaryStore store = TemporaryStore.unless(null);
                    SampleEncoder encoder = SampleEncoder.openForStream(settings(store.path()))) {
                load(encoder);
                long before = encoder.tokens();
                for (Path picture : pictures) {
                    long start = System.nanoTime();
                    String text = encoder.screenText(picture);
                    long read = System.nanoTime();
                    float[] vector = encoder.encodeTexts(List.of(text))[0];
                    long encoded = System.nanoTime();
                    session.step(vector, true);
                    session.answer();
                    parts.add(new Parts(read - start, encoded - read, System.nanoTime() - encoded));
                    texts.add(text);
                }
                tokens = (double) (encoder.tokens() - before) / pictures.size();
            }
        }
        List<String> once = texts.subList(0, pictures.size());
        double text = gflop(encoder -> once.forEach(screen -> encoder.encodeTexts(List.of(screen))));
        double frame = gflop(encoder -> pictures.forEach(encoder::screenText));
        return row(
                "streaming: 1 screenshot, text recognised",
                tokens,
                parts.subList(pictures.size(), parts.size()),
                new DecisionSpeed.Gflop(frame / pictures.size(), text / pictures.size(), streamingGflop()));
    }

    /** As long as was asked for; what half that time gave before is forgotten. */
    private List<Parts> measured(Supplier<Parts> decision) {
        during(seconds / 2, decision);
        return during(seconds, decision);
    }

    private static List<Parts> during(double seconds, Supplier<Parts> decision) {
        List<Parts> parts = new ArrayList<>();
        long end = System.nanoTime() + (long) (seconds * 1e9);
        while (parts.size() < 3 || System.nanoTime() < end) {
            parts.add(decision.get());
        }
        return parts;
    }

    /** The models are loaded when something is first asked of them; a stream has them loaded. */
    private void load(SampleEncoder encoder) {
        encoder.encodeTexts(List.of(inputs.text(COLD_TOKENS)));
    }

    private StreamingSession running(StreamingNetwork network) {
        StreamingSession session = new StreamingSession(network);
        for (int place = 0; place < NetworkShape.CONTEXT; place++) {
            session.context(place, inputs.contextText(shape));
        }
        for (int i = 0; i < shape.maxSteps(); i++) {
            session.step(inputs.vector(shape.width()), i % 2 == 0);
        }
        return session;
    }

    private double streamingGflop() {
        return (flops.step() + flops.answer(shape.maxSteps())) / 1e9;
    }

    /** Operations of every network that the work asks an encoder for. */
    private double gflop(Consumer<SampleEncoder> work) {
        try (OperationCount count = OperationCount.open()) {
            try (TemporaryStore store = TemporaryStore.unless(null);
                    SampleEncoder encoder = SampleEncoder.open(settings(store.path()))) {
                work.accept(encoder);
            }
            return count.flops() / 1e9;
        }
    }

    private static DecisionSpeed row(String what, double tokens, List<Parts> parts, DecisionSpeed.Gflop gflop) {
        Double frame = gflop.frameEncoder() == null ? null : median(parts, Parts::frame);
        Timing total = Timing.of(parts.stream().mapToLong(Parts::total).toArray());
        return new DecisionSpeed(
                what, tokens, total, frame, median(parts, Parts::text), median(parts, Parts::fusion), gflop);
    }

    private static double median(List<Parts> parts, ToLongFunction<Parts> part) {
        return Timing.of(parts.stream().mapToLong(part).toArray()).median();
    }
}

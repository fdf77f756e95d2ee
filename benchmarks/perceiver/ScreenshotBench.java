package dev.prpf.mpp.bench;

import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.host.HostStream;
import dev.prpf.mpp.network.host.ParameterStore;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.training.MppConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Latency and operations of decisions on screenshots that no store has, with the configured frame encoder: text recognition, a tower, or
 * both. Every screenshot is seen in several passes, each with a store of its own; what loads in a pass does not count.
 */
record ScreenshotBench(MppConfig config, NetworkShape shape, MadeInputs inputs, List<Path> images) {
    private static final int PASSES = 3;

    /** Measurements of one pass. */
    private record Pass(List<DecisionBench.Parts> parts, EncodingCost cost, double tokens) {}

    /**
     * Three texts and all screenshots, or the last that the network sees, at once, as {@code gate predict} does it. With {@code clip:DIR} it
     * is what PRPF B.6 measures: text encoder, image encoder and fusion of one sample.
     */
    BenchResult.Decision cold(MppModel model) {
        List<Path> shown =
                images.subList(Math.max(0, images.size() - shape.window().maxSteps()), images.size());
        List<Pass> passes = passes(false, encoder -> {
            List<String> texts = Stream.generate(() -> inputs.text(DecisionBench.COLD_TOKENS))
                    .limit(NetworkShape.CONTEXT)
                    .toList();
            EncodingCost.Costed<SampleFeatures> features =
                    EncodingCost.Costed.of(encoder::cost, () -> features(encoder, texts, shown));
            long fusion = Timing.nanos(() -> model.perceive(List.of(features.result())));
            return List.of(parts(features.cost(), fusion));
        });
        double fusion = NetworkSummary.of(shape, shown.size()).flops() / 1e9;
        return row("cold: 3 texts, " + shown.size() + " screenshots, " + kind(), passes, fusion);
    }

    private static SampleFeatures features(SampleEncoder encoder, List<String> texts, List<Path> shown) {
        float[][] context = encoder.encodeTexts(texts);
        float[][] steps = encoder.encodeImages(shown);
        boolean[] screenshot = new boolean[steps.length];
        Arrays.fill(screenshot, true);
        return new SampleFeatures("made", context, steps, screenshot, null, null);
    }

    /** Measures a decision on one new screenshot in a running stream. */
    BenchResult.Decision streaming(ParameterStore network) {
        HostStream session = inputs.session(network, shape.window().maxSteps());
        List<Pass> passes = passes(true, encoder -> images.stream()
                .map(image -> {
                    EncodingCost.Costed<float[][]> vector =
                            EncodingCost.Costed.of(encoder::cost, () -> encoder.encodeImages(List.of(image)));
                    return parts(vector.cost(), Timing.nanos(() -> {
                        session.step(vector.result()[0], true);
                        session.answer();
                    }));
                })
                .toList());
        return row("streaming: 1 screenshot, " + kind(), passes, DecisionBench.streamingGflop(shape));
    }

    private static DecisionBench.Parts parts(EncodingCost cost, long fusion) {
        return new DecisionBench.Parts(
                Math.round(cost.frameSeconds() * 1e9), Math.round(cost.textSeconds() * 1e9), fusion);
    }

    /** The kind of frame encoder, without its path. */
    private String kind() {
        String name = config.encoder().frameEncoder().replaceFirst(":.*", "");
        return name.equals("ocr") ? "text recognised" : name;
    }

    /** The first pass is forgotten. */
    private List<Pass> passes(boolean stream, Function<SampleEncoder, List<DecisionBench.Parts>> decisions) {
        List<Pass> passes = new ArrayList<>();
        for (int i = 0; i <= PASSES; i++) {
            passes.add(DecisionBench.withEncoder(config, stream, encoder -> {
                List<DecisionBench.Parts> parts = decisions.apply(encoder);
                return new Pass(parts, encoder.cost(), (double) encoder.tokens() / parts.size());
            }));
        }
        return passes.subList(1, passes.size());
    }

    private static BenchResult.Decision row(String what, List<Pass> passes, double fusion) {
        List<DecisionBench.Parts> parts =
                passes.stream().flatMap(pass -> pass.parts().stream()).toList();
        Pass last = passes.get(passes.size() - 1);
        int decisions = last.parts().size();
        BenchResult.Gflop gflop = new BenchResult.Gflop(
                last.cost().frameFlops() / decisions / 1e9, last.cost().textFlops() / decisions / 1e9, fusion);
        return DecisionBench.row(what, new DecisionBench.Measured(parts, last.tokens()), gflop);
    }
}

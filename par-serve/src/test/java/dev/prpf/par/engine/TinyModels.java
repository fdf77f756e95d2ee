package dev.prpf.par.engine;

import dev.prpf.par.engine.DecoderConfig.Mixer;
import dev.prpf.par.engine.DecoderConfig.SpecialTokens;
import java.util.Collections;
import java.util.List;

/** Decoders small enough for tests. */
public final class TinyModels {
    private TinyModels() {}

    /** Two layers, four heads over two key-value heads. */
    public static DecoderConfig config(int vocabulary, int maxPositions, boolean tied) {
        return llama(vocabulary, 32, 48, 2, AttentionShape.of(4, 2, 8, 10_000.0), maxPositions, tied, List.of(2));
    }

    /** Returns a small Llama shape. */
    public static DecoderConfig llama(
            int vocabulary,
            int width,
            int feedForward,
            int layers,
            AttentionShape attention,
            int maxPositions,
            boolean tied,
            List<Integer> end) {
        return new DecoderConfig(
                DecoderFamily.LLAMA,
                vocabulary,
                width,
                feedForward,
                DecoderConfig.fullAttention(layers),
                attention,
                null,
                maxPositions,
                1e-5,
                tied,
                new SpecialTokens(null, end, null));
    }

    /** The shape of SmolLM2-135M. */
    public static DecoderConfig shape135m() {
        return llama(49_152, 576, 1536, 30, AttentionShape.of(9, 3, 64, 1e5), 4096, true, List.of(2));
    }

    /** A Qwen3.5: two gated delta-nets, then full attention with an output gate. */
    public static DecoderConfig qwen35(int vocabulary, int maxPositions) {
        return qwen35(vocabulary, maxPositions, true);
    }

    /** Returns a Qwen3.5 with three position axes, as vision-language models have; with delta-nets or without. */
    public static DecoderConfig seeing(int vocabulary, int maxPositions, boolean deltaNets) {
        Mixer.Kind first = deltaNets ? Mixer.Kind.LINEAR_ATTENTION : Mixer.Kind.FULL_ATTENTION;
        AttentionShape attention =
                new AttentionShape(4, 2, 16, 16, 10_000, RotaryScaling.none(), List.of(4, 2, 2), 0, 1 / Math.sqrt(16));
        return new DecoderConfig(
                DecoderFamily.QWEN3_5,
                vocabulary,
                32,
                48,
                List.of(first, Mixer.Kind.FULL_ATTENTION),
                attention,
                deltaNets ? new DeltaNetShape(2, 4, 8, 8, 4) : null,
                maxPositions,
                1e-6,
                false,
                new SpecialTokens(null, List.of(2), null));
    }

    /** A decoder for a vision encoder, with two layers of full attention. */
    public static DecoderConfig seeing(DecoderFamily family, int width) {
        DecoderConfig qwen35 = seeing(1000, 1024, false);
        return new DecoderConfig(
                family, 1000, width, 48, qwen35.mixers(), 1024, qwen35.normEpsilon(), false, qwen35.tokens(), 0);
    }

    /** The text model of Qwen3.5-9B, as its config.json publishes it; no test has its weights. */
    public static DecoderConfig published9B() {
        Mixer.Kind linear = Mixer.Kind.LINEAR_ATTENTION;
        List<Mixer.Kind> four = List.of(linear, linear, linear, Mixer.Kind.FULL_ATTENTION);
        return new DecoderConfig(
                DecoderFamily.QWEN3_5,
                248_320,
                4096,
                12_288,
                Collections.nCopies(8, four).stream().flatMap(List::stream).toList(),
                AttentionShape.of(16, 4, 256, 10_000_000.0),
                new DeltaNetShape(16, 32, 128, 128, 4),
                262_144,
                1e-6,
                false,
                new SpecialTokens(null, List.of(2), null));
    }

    /** A Qwen3.5 of more width, so that its memory can be seen; three delta-nets, then full attention. */
    public static DecoderConfig wide35(int vocabulary, int width) {
        Mixer.Kind linear = Mixer.Kind.LINEAR_ATTENTION;
        return new DecoderConfig(
                DecoderFamily.QWEN3_5,
                vocabulary,
                width,
                3 * width,
                List.of(linear, linear, linear, Mixer.Kind.FULL_ATTENTION),
                AttentionShape.of(width / 64, width / 128, 64, 10_000.0),
                new DeltaNetShape(width / 128, width / 64, 64, 64, 4),
                4096,
                1e-6,
                true,
                new SpecialTokens(null, List.of(2), null));
    }

    /** Returns a Qwen3.5 with a tied or a separate head. */
    public static DecoderConfig qwen35(int vocabulary, int maxPositions, boolean tied) {
        return new DecoderConfig(
                DecoderFamily.QWEN3_5,
                vocabulary,
                32,
                48,
                List.of(Mixer.Kind.LINEAR_ATTENTION, Mixer.Kind.LINEAR_ATTENTION, Mixer.Kind.FULL_ATTENTION),
                AttentionShape.of(4, 2, 8, 10_000.0),
                new DeltaNetShape(2, 4, 8, 8, 4),
                maxPositions,
                1e-6,
                tied,
                new SpecialTokens(null, List.of(2), null));
    }
}

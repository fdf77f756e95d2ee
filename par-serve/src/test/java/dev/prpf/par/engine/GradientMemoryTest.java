package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.engine.GradientMemory.Batch;
import dev.prpf.par.engine.GradientMemory.Logits;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks estimates worked out by hand; MemoryOfTrainingTest compares them with resident memory. */
class GradientMemoryTest {
    /** V 100, D 8, F 16, one layer, N 2, K 1, H 4: 8 * (8 + 2 * 4) + 2 * 8 * 16 = 384 after a norm, 8 * 8 + 8 * 16 = 192 others. */
    private static final DecoderConfig ONE_LAYER =
            TinyModels.llama(100, 8, 16, 1, AttentionShape.of(2, 1, 4, 10_000), 64, true, List.of(1));

    private static final Batch BATCH = new Batch(3, 16, 32, false);
    private static final Logits LOGITS = new Logits(12, 32);

    /** Bytes of a position: 2 streams, 2 normed streams, 4 of width F, and of attention q and k, copies of k and v, the output. */
    private static final long KEPT = 48 * (4 * 8 * 4 + 4 * 16 * 4 + (8 + 4 + 8 + 8 + 8) * 4);

    private static final long HEAD = 12 * 32 * 100;

    /** Adapters of the one layer's products, from the one into its mixer to the last. */
    private static List<List<GradientMemory.Adapters>> ranks(long into, long out, long gateUp, long down) {
        return List.of(List.of(
                new GradientMemory.Adapters(into, 8, 16),
                new GradientMemory.Adapters(out, 8, 8),
                new GradientMemory.Adapters(gateUp, 8, 32),
                new GradientMemory.Adapters(down, 16, 8)));
    }

    private static long bytes(Precision precision, long into, long out, long gateUp, long down) {
        return new GradientMemory(ONE_LAYER, precision, ranks(into, out, gateUp, down))
                .remembered(BATCH, LOGITS)
                .activations();
    }

    @Test
    void inFloat32() {
        GradientMemory memory = new GradientMemory(ONE_LAYER, Precision.FP32, List.of());

        long copies = 8 * 384; // before and after the norm's weight
        long rows = 2 * 4 * 32 * 8;
        assertThat(memory.remembered(BATCH, LOGITS).bytes()).isEqualTo(KEPT + copies + rows + HEAD);
    }

    @Test
    void frozenMatricesAreNotCopiedAndNeedNoGradient() {
        GradientMemory memory = new GradientMemory(ONE_LAYER, Precision.FP32, ranks(1, 1, 1, 1));

        long adapters = 48 * 4 * 4 + 4 * (24 + 16 + 40 + 24);
        assertThat(memory.remembered(BATCH, LOGITS).activations()).isEqualTo(KEPT + adapters + 2 * 4 * 32 * 8);
        assertThat(memory.remembered(BATCH, LOGITS).logits()).isEqualTo(12 * 32 * 100);
    }

    @Test
    void adaptersAddTheirCopiesAndTheProductsWithAAndItsInput() {
        long none = bytes(Precision.FP32, 0, 0, 0, 0);

        assertThat(bytes(Precision.FP32, 5, 0, 0, 0) - none).isEqualTo(48 * (5 + 8) * 4 + 5 * 24 * 4);
        assertThat(bytes(Precision.FP32, 0, 0, 0, 3) - none).isEqualTo(48 * (3 + 16) * 4 + 3 * 24 * 4);
        assertThat(bytes(Precision.FP32, 0, 2, 0, 0) - none)
                .as("attention keeps its output in any case")
                .isEqualTo(48 * 2 * 4 + 2 * 16 * 4);
        assertThat(bytes(Precision.BF16, 0, 2, 0, 0) - bytes(Precision.BF16, 0, 0, 0, 0))
                .as("with all scores the product alone does")
                .isEqualTo(48 * (2 + 8) * 2 + 2 * 16 * 2);
    }

    @Test
    void inBfloat16ScoresAreKeptAndTheHeadIsCopied() {
        GradientMemory memory = new GradientMemory(ONE_LAYER, Precision.BF16, List.of());

        long kept = 48 * (2 * 8 * 4 + 2 * 8 * 2 + 4 * 16 * 2 + (3 * 8 + 2 * 16 + 8) * 2);
        long copies = 6 * 384 + 2 * 192;
        long head = 12 * 32 * 100 + 2 * 100 * 8;
        assertThat(memory.remembered(BATCH, LOGITS).bytes()).isEqualTo(kept + copies + 2 * 4 * 32 * 8 + head);
        assertThat(memory.remembered(new Batch(3, 16, 32, true), LOGITS).bytes())
                .as("a packed row's mask instead of all scores")
                .isNotEqualTo(memory.remembered(BATCH, LOGITS).bytes());
    }

    @Test
    void withCheckpointingLayersCostTheirInputsOnly() {
        DecoderConfig ten = TinyModels.llama(100, 8, 16, 10, AttentionShape.of(2, 1, 4, 10_000), 64, true, List.of(1));
        GradientMemory one = new GradientMemory(ONE_LAYER, Precision.FP32, List.of());
        GradientMemory more = new GradientMemory(ten, Precision.FP32, List.of());

        assertThat(more.checkpointed(BATCH, LOGITS).bytes()
                        - one.checkpointed(BATCH, LOGITS).bytes())
                .isEqualTo(9 * 4 * 48 * 8);
        assertThat(more.remembered(BATCH, LOGITS).bytes()
                        - one.remembered(BATCH, LOGITS).bytes())
                .isEqualTo(9 * (KEPT + 8 * 384));
        assertThat(one.checkpointed(BATCH, new Logits(12, 1_000)).bytes())
                .as("no more labels than there are")
                .isEqualTo(one.checkpointed(BATCH, LOGITS).bytes());
    }

    @Test
    void deltaNetsAreCounted() {
        DecoderConfig config = TinyModels.qwen35(100, 64);
        GradientMemory memory = new GradientMemory(config, Precision.FP32, List.of());

        assertThat(memory.remembered(new Batch(6, 16, 32, false), LOGITS).bytes())
                .isGreaterThan(memory.remembered(BATCH, LOGITS).bytes());
    }

    @Test
    void aDecoderSharesWhatItCanWithItsWeights() {
        assertThat(FusedShape.linear(ONE_LAYER, Precision.FP32).bytes()).isEqualTo(4 * 384);
        assertThat(new FusedShape(ONE_LAYER, Precision.FP32, MatmulKernel.ONEDNN_FP32).bytes())
                .as("all matrices and the head laid out anew")
                .isEqualTo(4 * (576 + 800));
        assertThat(FusedShape.linear(ONE_LAYER, Precision.BF16).bytes()).isEqualTo(2 * (576 + 800));
        assertThat(FusedShape.of(ONE_LAYER, Precision.FP32).activationBytes()).isEqualTo(4);
    }
}

package dev.prpf.mpp.network.definition;

import dev.prpf.mpp.network.definition.PerceiverDefinition.Fast;
import dev.prpf.mpp.network.definition.PerceiverDefinition.Slow;

/**
 * Floating-point operations of a network, from its definition; see {@link NetworkSummary}.
 *
 * @param shape the network's dimensions
 */
public record NetworkFlops(NetworkShape shape) {
    /** A new step on the streaming path: its projections. */
    public long step() {
        Size step = new Size(1, shape.stepWidth());
        return shape.fast()
                ? NetworkSummary.of(shape, 1, definition -> definition.recentTokens(step))
                        .flops()
                : 0;
    }

    /** Logits on the streaming path, from projected texts and steps, of which at most the last {@code steps} are seen. */
    public long answer(int steps) {
        int seen = Math.min(steps, shape.maxSteps());
        Slow<Size> slow = new Slow<>(
                new Size(NetworkShape.CONTEXT, shape.dimension()),
                Input.FRAMES.size(shape, seen),
                Input.FRAME_MASK.size(shape, seen));
        Fast<Size> fast =
                new Fast<>(new Size(shape.recentSteps(), shape.dimension()), Input.RECENT_MASK.size(shape, seen));
        return NetworkSummary.of(
                        shape,
                        seen,
                        definition -> definition.outputs(shape.slow() ? slow : null, shape.fast() ? fast : null))
                .flops();
    }

    /** One sample of T steps on the batch path, forward; padded places count, a backward pass takes twice as much. */
    public long batch(int steps) {
        return NetworkSummary.of(shape, steps).flops();
    }
}

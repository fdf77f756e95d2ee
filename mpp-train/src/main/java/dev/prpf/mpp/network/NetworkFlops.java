package dev.prpf.mpp.network;

/**
 * Floating-point operations of a network, from its dimensions: two a multiply-accumulate of a matrix product, nothing for the rest, as
 * such counts are made.
 *
 * @param shape the network's dimensions
 */
public record NetworkFlops(NetworkShape shape) {
    /** A new context text on the streaming path, with the most sentences where it is pooled from them. */
    public long contextText() {
        return shape.slow()
                ? product(1, shape.width(), shape.dimension()) + 2 * product(1, shape.sentences(), shape.width())
                : 0;
    }

    /** A new step on the streaming path: its projections and its score. */
    public long step() {
        int d = shape.dimension();
        return product(1, shape.width(), d)
                + (shape.slow() ? product(1, shape.width(), 1) : 0)
                + (shape.fast() ? product(1, d, d) : 0);
    }

    /** An answer on the streaming path: the pooling of so many projected steps, both encoders, the fusion, the heads. */
    public long answer(int steps) {
        int seen = Math.min(steps, shape.maxSteps());
        long pooling = shape.slow() ? product(1, seen, shape.dimension()) : 0;
        return pooling + afterProjection(Math.min(seen, shape.recentSteps()));
    }

    /** One sample of so many steps on the batch path, forward; padded places count, a backward pass takes twice as much. */
    public long batch(int steps) {
        int d = shape.dimension();
        int sentences = NetworkShape.CONTEXT * shape.sentences();
        long slow = NetworkShape.CONTEXT * product(1, shape.width(), d)
                + 2 * product(sentences, shape.width(), NetworkShape.CONTEXT)
                + 2 * product(steps, shape.stepWidth(), 1)
                + product(1, shape.stepWidth(), d);
        long fast = product(shape.recentSteps(), shape.stepWidth(), d) + product(shape.recentSteps(), d, d);
        return (shape.slow() ? slow : 0) + (shape.fast() ? fast : 0) + afterProjection(shape.recentSteps());
    }

    private long afterProjection(int recent) {
        int n = shape.slowTokens();
        int d = shape.dimension();
        long flops = 2 * product(1, shape.fusedWidth(), d) + product(1, d, 1L + shape.scenarios());
        if (shape.slow()) {
            flops += encoder(n) + readout(n);
        }
        if (shape.fast()) {
            flops += encoder(recent) + readout(recent);
        }
        if (shape.slow() && shape.fast()) {
            flops += cross(n, recent) + cross(recent, n);
        }
        return flops;
    }

    private long encoder(int n) {
        int d = shape.dimension();
        long linear = product(n, d, 4L * d) + 2 * product(n, d, shape.feedForward());
        return shape.layers() * (linear + 2 * product(n, d, n));
    }

    private long cross(int asking, int answering) {
        int d = shape.dimension();
        return product(asking, d, 2L * d) + product(answering, d, 2L * d) + 2 * product(asking, d, answering);
    }

    private long readout(int n) {
        return 2 * product(n, shape.dimension(), 1);
    }

    /** (rows, inner) times (inner, columns). */
    private static long product(long rows, long inner, long columns) {
        return 2 * rows * inner * columns;
    }
}

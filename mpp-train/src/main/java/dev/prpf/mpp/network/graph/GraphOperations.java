package dev.prpf.mpp.network.graph;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Operations;
import dev.prpf.mpp.network.definition.Operations.DropoutSite;
import dev.prpf.mpp.network.definition.Operations.Input;
import dev.prpf.mpp.network.definition.Operations.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;

/**
 * Builds a network as a SameDiff graph from its definition, with the parameters as variables. Axes: B batch, T steps, N and M rows per
 * sample, H heads, Q queries, d width.
 */
record GraphOperations(SameDiff graph, NetworkShape shape, DataType type, int steps, List<DropoutSite> dropoutSites)
        implements Operations<GraphOperations.Node> {
    /** A value in the graph, (B * N, width). */
    record Node(SDVariable rows, Size size) {}

    @Override
    public Node input(Input input) {
        Size size = input.size(shape, steps);
        return new Node(placeholder(input.name(), size), size);
    }

    private SDVariable placeholder(String name, Size size) {
        return graph.placeHolder(name, type, -1, size.columns());
    }

    @Override
    public Node linear(Node x, String name, int outputs, Activation activation) {
        SDVariable y =
                times(x.rows, graph.getVariable(name + ".weight"), outputs).add(graph.getVariable(name + ".bias"));
        return new Node(activation == Activation.RELU ? graph.nn.relu(y, 0) : y, new Size(x.size.rows(), outputs));
    }

    /** Returns the product x Wᵀ. The library's gradient of a product of one row and one column is wrong in this version, hence the sum. */
    private SDVariable times(SDVariable x, SDVariable weight, int outputs) {
        return outputs == 1 ? x.mul(weight).sum(true, 1) : graph.mmul(x, weight, false, true, false);
    }

    @Override
    public Node pool(Node x, Pooling pooling, @Nullable Node mask) {
        int n = x.size.rows();
        int width = x.size.columns();
        SDVariable scores = times(x.rows, graph.getVariable(pooling.name()), pooling.queries()) // (B * N, Q)
                .reshape(-1, n, pooling.queries())
                .permute(0, 2, 1) // (B, Q, N)
                .mul(pooling.scale());
        if (mask != null) {
            scores = scores.add(bias(mask).reshape(-1, pooling.queries(), n));
        }
        SDVariable pooled = graph.mmul(graph.nn.softmax(scores, 2), x.rows.reshape(-1, n, width)); // (B, Q, width)
        return new Node(pooled.reshape(-1, width), new Size(pooling.queries(), width));
    }

    private static SDVariable bias(Node mask) {
        return mask.rows.rsub(1.0).mul(MASKED);
    }

    @Override
    public Node tokens(String name, List<Node> parts) {
        int width = parts.get(0).size.columns();
        SDVariable[] blocks = parts.stream()
                .map(part -> part.rows.reshape(-1, part.size.rows(), width)) // (B, N of the part, d)
                .toArray(SDVariable[]::new);
        SDVariable tokens = blocks.length == 1 ? blocks[0] : graph.concat(1, blocks); // (B, N, d)
        int n = parts.stream().mapToInt(part -> part.size.rows()).sum();
        SDVariable positions = graph.getVariable(name + ".position").reshape(1, n, width);
        return new Node(tokens.add(positions).reshape(-1, width), new Size(n, width));
    }

    @Override
    public Node attention(Node query, Node keyValue, @Nullable Node mask) {
        int d = shape.transformer().dimension();
        int n = query.size.rows();
        int m = keyValue.size.rows();
        List<SDVariable> keysAndValues = blocks(keyValue, d);
        SDVariable q = heads(blocks(query, d).get(0), n); // (B, H, N, d / H)
        SDVariable k = heads(keysAndValues.get(keysAndValues.size() - 2), m); // (B, H, M, d / H)
        SDVariable v = heads(keysAndValues.get(keysAndValues.size() - 1), m); // (B, H, M, d / H)
        double scale = 1 / Math.sqrt((double) d / shape.transformer().heads());
        SDVariable scores = graph.mmul(q, k, false, true, false).mul(scale); // (B, H, N, M)
        if (mask != null) {
            scores = scores.add(bias(mask).reshape(-1, 1, 1, m));
        }
        SDVariable attended = graph.mmul(graph.nn.softmax(scores, 3), v) // (B, H, N, d / H)
                .permute(0, 2, 1, 3) // (B, N, H, d / H)
                .reshape(-1, d); // (B * N, d)
        return new Node(attended, new Size(n, d));
    }

    /** Splits a value into blocks of d columns. */
    private List<SDVariable> blocks(Node x, int d) {
        return x.size.columns() == d ? List.of(x.rows) : List.of(graph.split(x.rows, x.size.columns() / d, 1));
    }

    private SDVariable heads(SDVariable x, int n) {
        int heads = shape.transformer().heads();
        return x.reshape(-1, n, heads, shape.transformer().dimension() / heads) // (B, N, H, d / H)
                .permute(0, 2, 1, 3); // (B, H, N, d / H)
    }

    @Override
    public Node residualNorm(Node x, Node sublayer, String name) {
        SDVariable sum = x.rows.add(dropped(sublayer.rows, sublayer.size));
        SDVariable centred = sum.sub(sum.mean(true, 1));
        SDVariable variance = centred.mul(centred).mean(true, 1).add(NORM_EPSILON); // (B * N, 1)
        SDVariable normed = centred.div(graph.math.sqrt(variance));
        return new Node(normed.mul(graph.getVariable(name + ".gain")).add(graph.getVariable(name + ".bias")), x.size);
    }

    @Override
    public Node join(List<Node> parts) {
        SDVariable[] columns = parts.stream().map(Node::rows).toArray(SDVariable[]::new);
        Size size = new Size(
                parts.get(0).size.rows(),
                parts.stream().mapToInt(part -> part.size.columns()).sum());
        SDVariable joined = columns.length == 1 ? columns[0] : graph.concat(1, columns);
        return new Node(dropped(joined, size), size);
    }

    private SDVariable dropped(SDVariable x, Size size) {
        if (shape.transformer().dropout() == 0) {
            return x;
        }
        DropoutSite site = DropoutSite.of(dropoutSites.size(), size);
        dropoutSites.add(site);
        return x.mul(placeholder(site.name(), size));
    }
}

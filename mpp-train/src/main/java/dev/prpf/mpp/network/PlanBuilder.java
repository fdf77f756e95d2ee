package dev.prpf.mpp.network;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.nd4j.autodiff.functions.DifferentialFunction;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.autodiff.samediff.VariableType;
import org.nd4j.autodiff.samediff.internal.SameDiffOp;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.BaseOp;
import org.nd4j.linalg.api.ops.DynamicCustomOp;
import org.nd4j.linalg.api.ops.Op;
import org.nd4j.linalg.api.ops.OpContext;
import org.nd4j.linalg.api.ops.ReduceOp;
import org.nd4j.linalg.api.ops.ScalarOp;
import org.nd4j.linalg.api.ops.impl.reduce.Mmul;
import org.nd4j.linalg.api.ops.impl.reduce.MmulBp;
import org.nd4j.linalg.api.ops.impl.transforms.same.Identity;
import org.nd4j.linalg.api.shape.LongShapeDescriptor;
import org.nd4j.linalg.api.shape.Shape;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Turns a SameDiff graph into prepared steps for fixed input shapes: keeps what the wanted values need, orders it, allocates every
 * array and operation context once.
 *
 * <p>Products of two matrices are prepared as column-major ones: a row-major C = A B is the column-major Cᵀ = Bᵀ Aᵀ over the same
 * memory, which BLAS takes as it is, while the library's own path copies a row-major result. The two gradients of such a product
 * are two products, each made only if somebody wants it.
 */
final class PlanBuilder {
    private final SameDiff graph;
    private final Map<String, SameDiffOp> operations;
    private final Map<String, INDArray> fixedOutputs;
    private final Map<String, INDArray> values = new HashMap<>();
    private final Map<String, String> aliases = new HashMap<>();
    private final List<PlanStep> steps = new ArrayList<>();
    private final Set<String> wantedValues = new HashSet<>();

    /**
     * @param graph the graph
     * @param given placeholders and variables by name; a variable not given keeps the graph's own array
     * @param fixedOutputs values to be written into these arrays instead of new ones
     */
    PlanBuilder(SameDiff graph, Map<String, INDArray> given, Map<String, INDArray> fixedOutputs) {
        this.graph = graph;
        this.operations = graph.getOps();
        this.fixedOutputs = fixedOutputs;
        for (SDVariable variable : graph.variables()) {
            String name = variable.name();
            INDArray own = given.get(name);
            if (own != null) {
                values.put(name, own);
            } else if (variable.getVariableType() == VariableType.CONSTANT
                    || variable.getVariableType() == VariableType.VARIABLE) {
                values.put(name, variable.getArr());
            }
        }
    }

    /** Prepares (and thereby runs once) everything the wanted values need, in an order that satisfies every dependency. */
    List<PlanStep> build(Collection<String> wanted) {
        for (DifferentialFunction function : order(reachable(wanted))) {
            prepare(function);
        }
        return steps;
    }

    INDArray value(String name) {
        INDArray value = values.get(name);
        if (value == null) {
            throw new IllegalStateException("the plan has no value " + name);
        }
        return value;
    }

    private Set<String> reachable(Collection<String> wanted) {
        Set<String> needed = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>(wanted);
        while (!open.isEmpty()) {
            String value = open.pop();
            if (!wantedValues.add(value)) {
                continue;
            }
            String producer = Objects.requireNonNull(graph.getVariables().get(value), value)
                    .getOutputOfOp();
            if (producer != null && needed.add(producer)) {
                open.addAll(inputsOf(producer));
            }
        }
        return needed;
    }

    private List<String> inputsOf(String operation) {
        SameDiffOp found = operations.get(operation);
        return found == null || found.getInputsToOp() == null ? List.of() : found.getInputsToOp();
    }

    private List<DifferentialFunction> order(Set<String> needed) {
        List<DifferentialFunction> open = new ArrayList<>();
        for (DifferentialFunction function : graph.ops()) {
            if (needed.contains(function.getOwnName())) {
                open.add(function);
            }
        }
        List<DifferentialFunction> ordered = new ArrayList<>();
        Set<String> known = new HashSet<>(values.keySet());
        while (!open.isEmpty()) {
            int before = open.size();
            open.removeIf(function -> {
                boolean ready = known.containsAll(inputsOf(function.getOwnName()));
                if (ready) {
                    ordered.add(function);
                    known.addAll(List.of(function.outputVariablesNames()));
                }
                return ready;
            });
            if (open.size() == before) {
                throw new IllegalStateException("no value for the inputs of "
                        + open.get(0).getOwnName() + ": " + inputsOf(open.get(0).getOwnName()));
            }
        }
        return ordered;
    }

    private void prepare(DifferentialFunction function) {
        String[] inputs = function.argNames() == null ? new String[0] : function.argNames();
        String[] outputs = function.outputVariablesNames();
        if (function instanceof Identity || function.opName().equals("identity")) {
            values.put(outputs[0], value(inputs[0]));
            aliases.put(outputs[0], original(inputs[0]));
        } else if (function instanceof Mmul product && areMatrices(inputs)) {
            prepareProduct(product, inputs, outputs[0]);
        } else if (function instanceof MmulBp gradient && areMatrices(inputs)) {
            prepareProductGradient(gradient, inputs, outputs);
        } else if (function instanceof DynamicCustomOp custom) {
            prepareCustom(custom, inputs, outputs);
        } else {
            prepareLegacy((BaseOp) function, inputs, outputs[0]);
        }
    }

    private boolean areMatrices(String[] inputs) {
        for (String input : inputs) {
            if (value(input).rank() != 2 || value(input).ordering() != 'c') {
                return false;
            }
        }
        return true;
    }

    /** C = op(A) op(B). */
    private void prepareProduct(Mmul product, String[] inputs, String output) {
        boolean transposeA = product.iArgs()[0] == 1;
        boolean transposeB = product.iArgs()[1] == 1;
        INDArray a = transposeA ? value(inputs[0]).transpose() : value(inputs[0]);
        INDArray b = transposeB ? value(inputs[1]).transpose() : value(inputs[1]);
        multiply(a, b, output, List.of(inputs));
    }

    /** dA = G op(B)ᵀ and dB = Aᵀ G, or Gᵀ A when B is transposed. */
    private void prepareProductGradient(MmulBp gradient, String[] inputs, String[] outputs) {
        boolean transposeA = gradient.iArgs()[0] == 1;
        boolean transposeB = gradient.iArgs()[1] == 1;
        if (transposeA) {
            prepareCustom(gradient, inputs, outputs);
            return;
        }
        INDArray a = value(inputs[0]);
        INDArray b = value(inputs[1]);
        INDArray g = value(inputs[2]);
        if (wantedValues.contains(outputs[0])) {
            multiply(g, transposeB ? b : b.transpose(), outputs[0], List.of(inputs[1], inputs[2]));
        }
        if (wantedValues.contains(outputs[1])) {
            INDArray left = transposeB ? g.transpose() : a.transpose();
            multiply(left, transposeB ? a : g, outputs[1], List.of(inputs[0], inputs[2]));
        }
    }

    private void multiply(INDArray a, INDArray b, String output, List<String> inputs) {
        INDArray c = output(output, LongShapeDescriptor.fromShape(new long[] {a.size(0), b.size(1)}, a.dataType()));
        OpContext context = Nd4j.getExecutioner().buildContext();
        context.setInputArray(0, b.transpose());
        context.setInputArray(1, a.transpose());
        context.setOutputArray(0, c.transpose());
        Mmul product = new Mmul();
        context.setIArguments(0, 0, 0);
        add(product, context, inputs.toArray(String[]::new), output);
    }

    private void prepareCustom(DynamicCustomOp operation, String[] inputs, String[] outputs) {
        OpContext context = Nd4j.getExecutioner().buildContext();
        context.setArgs(arrays(inputs), operation.iArgs(), operation.dArgs(), operation.tArgs(), operation.bArgs());
        List<LongShapeDescriptor> shapes = operation.calculateOutputShape(context);
        for (int i = 0; i < shapes.size(); i++) {
            context.setOutputArray(i, output(outputs[i], shapes.get(i)));
        }
        add(operation, context, inputs, outputs);
    }

    private void prepareLegacy(BaseOp operation, String[] inputs, String output) {
        OpContext context = Nd4j.getExecutioner().buildContext();
        boolean argumentOnly = false;
        if (inputs.length == 2 && operation instanceof ReduceOp && operation.opType() != Op.Type.REDUCE3) {
            int[] axes = value(inputs[1]).toIntVector();
            operation.setDimensions(Shape.normalizeAxis(value(inputs[0]).rank(), axes));
            argumentOnly = true;
        } else if (inputs.length == 2 && operation instanceof ScalarOp scalar) {
            scalar.setScalar(value(inputs[1]));
        }
        context.setInputArray(0, value(inputs[0]));
        if (inputs.length == 2 && !argumentOnly) {
            context.setInputArray(1, value(inputs[1]));
        }
        context.setOutputArray(
                0, output(output, operation.calculateOutputShape(context).get(0)));
        add(operation, context, inputs, output);
    }

    private INDArray[] arrays(String[] names) {
        INDArray[] arrays = new INDArray[names.length];
        for (int i = 0; i < names.length; i++) {
            arrays[i] = value(names[i]);
        }
        return arrays;
    }

    private INDArray output(String name, LongShapeDescriptor found) {
        INDArray array = fixedOutputs.get(name);
        if (array == null) {
            DataType type = graph.getVariable(name).dataType();
            array = Nd4j.createUninitializedDetached(type, found.getOrder() == 'f' ? 'f' : 'c', found.getShape());
        }
        values.put(name, array);
        return array;
    }

    private void add(Object operation, OpContext context, String[] inputs, String... outputs) {
        List<String> originals = new ArrayList<>();
        for (String input : inputs) {
            originals.add(original(input));
        }
        PlanStep step = new PlanStep(new PreparedOperation(operation, context), originals, List.of(outputs));
        step.run();
        steps.add(step);
    }

    private String original(String name) {
        return aliases.getOrDefault(name, name);
    }
}

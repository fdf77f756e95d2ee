package dev.prpf.mpp.network;

import dev.prpf.mpp.network.definition.NetworkEngine;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.Parameter;
import dev.prpf.mpp.network.graph.GraphEngine;
import dev.prpf.mpp.network.host.HostEngine;
import java.nio.FloatBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.nd4j.linalg.api.buffer.DataType;

/** Engines with the same made parameters, in which biases, gains and positions do something. */
public final class MadeEngines {
    private static final long SEED = 3;

    private MadeEngines() {}

    public static HostEngine host(NetworkShape shape, int threads) {
        return filled(new HostEngine(shape, SEED, threads));
    }

    public static GraphEngine graph(NetworkShape shape, DataType type) {
        Nd4jBackend.device();
        return filled(new GraphEngine(shape, SEED, type));
    }

    private static <E extends NetworkEngine> E filled(E engine) {
        SplittableRandom random = new SplittableRandom(4);
        FloatBuffer into = engine.values();
        for (Parameter parameter : engine.parameters()) {
            float[] values = parameter.initial(SEED);
            for (int i = 0; i < values.length; i++) {
                values[i] += (float) (0.2 * (random.nextDouble() - 0.5));
            }
            into.put(values);
        }
        engine.valuesChanged();
        return engine;
    }

    /** A gradient of the logits that is always the same, (B, 1 + S). */
    public static double[][] cotangent(int rows, NetworkShape shape) {
        SplittableRandom random = new SplittableRandom(9);
        double[][] made = new double[rows][1 + shape.scenarios()];
        for (double[] row : made) {
            for (int i = 0; i < row.length; i++) {
                row[i] = 2 * random.nextDouble() - 1;
            }
        }
        return made;
    }

    /** Copies of the gradients by the parameters' names. */
    public static Map<String, float[]> gradients(NetworkEngine engine) {
        Map<String, float[]> gradients = new LinkedHashMap<>();
        FloatBuffer flat = engine.gradients();
        for (Parameter parameter : engine.parameters()) {
            float[] own = new float[parameter.length()];
            flat.get(own);
            gradients.put(parameter.name(), own);
        }
        return gradients;
    }
}

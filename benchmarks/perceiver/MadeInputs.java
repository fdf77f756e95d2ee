package dev.prpf.mpp.bench;

import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.host.HostStream;
import dev.prpf.mpp.network.host.ParameterStore;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Vectors and texts without meaning but of the right size. */
final class MadeInputs {
    /** Each is one token of BGE's vocabulary. */
    private static final String CHARACTERS = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经";

    private final SplittableRandom random;

    MadeInputs(long seed) {
        random = new SplittableRandom(seed);
    }

    /** A text of this many tokens, special ones not counted; never the same twice. */
    String text(int tokens) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < tokens; i++) {
            text.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        }
        return text.toString();
    }

    float[] vector(int width) {
        float[] vector = new float[width];
        for (int i = 0; i < width; i++) {
            vector[i] = (float) ((2 * random.nextDouble() - 1) * Math.sqrt(3.0 / width));
        }
        return vector;
    }

    private float[][] vectors(int n, int width) {
        return Stream.generate(() -> vector(width)).limit(n).toArray(float[][]::new);
    }

    /** The vectors of one context text, as many as the network takes, shape (N, E). */
    private float[][] contextText(NetworkShape shape) {
        return vectors(shape.textVectors(), shape.width());
    }

    /** Labelled samples of this many steps; every other one acts. */
    List<SampleFeatures> samples(int n, int steps, NetworkShape shape) {
        List<SampleFeatures> samples = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            float[][][] context = {contextText(shape), contextText(shape), contextText(shape)};
            boolean[] screenshot = new boolean[steps];
            for (int t = 0; t < steps; t += 2) {
                screenshot[t] = true;
            }
            float[] scenarios = new float[shape.scenarios()];
            scenarios[i % scenarios.length] = i % 2;
            samples.add(new SampleFeatures(
                    "made-" + i, context, vectors(steps, shape.width()), screenshot, i % 2 == 1, scenarios));
        }
        return samples;
    }

    /** Returns a stream with a full context and this many steps. */
    HostStream session(ParameterStore network, int steps) {
        HostStream session = new HostStream(network);
        for (int place = 0; place < NetworkShape.CONTEXT; place++) {
            session.context(place, contextText(network.shape()));
        }
        for (int i = 0; i < steps; i++) {
            session.step(vector(network.shape().width()), i % 2 == 0);
        }
        return session;
    }
}

package dev.prpf.mpp;

import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkShape.Channels;
import dev.prpf.mpp.network.definition.NetworkShape.Inputs;
import dev.prpf.mpp.network.definition.NetworkShape.Transformer;
import dev.prpf.mpp.network.definition.NetworkShape.Window;

/** Small networks for tests: E 16, d 32, 4 heads, 2 layers, feed-forward 64, k 4, the last 10 steps, 5 scenarios, no dropout. */
public record MadeShape(Inputs inputs, Window window, Transformer transformer, Channels channels, int scenarios) {
    public static MadeShape small() {
        return new MadeShape(
                new Inputs(16, 0, false), new Window(4, 10, 10), new Transformer(32, 4, 2, 64, 0), Channels.BOTH, 5);
    }

    public NetworkShape shape() {
        return new NetworkShape(inputs, window, transformer, channels, scenarios);
    }

    public MadeShape inputs(int width, int sentences, boolean sharedSteps) {
        return new MadeShape(new Inputs(width, sentences, sharedSteps), window, transformer, channels, scenarios);
    }

    public MadeShape window(int recentSteps, int maxSteps, int maxScreenshots) {
        return new MadeShape(
                inputs, new Window(recentSteps, maxSteps, maxScreenshots), transformer, channels, scenarios);
    }

    public MadeShape transformer(int dimension, int heads, int layers, int feedForward) {
        double dropout = transformer.dropout();
        return new MadeShape(
                inputs, window, new Transformer(dimension, heads, layers, feedForward, dropout), channels, scenarios);
    }

    public MadeShape dropout(double dropout) {
        Transformer same = transformer;
        return new MadeShape(
                inputs,
                window,
                new Transformer(same.dimension(), same.heads(), same.layers(), same.feedForward(), dropout),
                channels,
                scenarios);
    }

    public MadeShape channels(boolean slow, boolean fast) {
        return new MadeShape(inputs, window, transformer, Channels.of(slow, fast), scenarios);
    }

    public MadeShape scenarios(int count) {
        return new MadeShape(inputs, window, transformer, channels, count);
    }
}

package dev.prpf.mpp.network;

import org.jspecify.annotations.Nullable;

/**
 * An input, a parameter or an intermediate value of a {@link HostTape}, with its gradient where one is wanted. Whoever uses a value
 * contributes to its gradient; the first contribution overwrites, the others add, always in the same order.
 */
final class HostValue {
    private final String name;
    private final HostMatrix matrix;
    private final @Nullable HostMatrix gradient;
    private int contributions;

    HostValue(String name, HostMatrix matrix, @Nullable HostMatrix gradient) {
        this.name = name;
        this.matrix = matrix;
        this.gradient = gradient;
    }

    /**
     * One addend of a gradient.
     *
     * @param target the gradient
     * @param adds whether it comes on top of others
     * @param before name of the gradient without it
     * @param after name of the gradient with it
     */
    record Contribution(HostMatrix target, boolean adds, String before, String after) {}

    String name() {
        return name;
    }

    HostMatrix matrix() {
        return matrix;
    }

    boolean wantsGradient() {
        return gradient != null;
    }

    boolean hasContributions() {
        return contributions > 0;
    }

    Contribution contribute() {
        if (gradient == null) {
            throw new IllegalStateException("nobody wants the gradient of " + name);
        }
        String before = gradientName();
        contributions++;
        return new Contribution(gradient, contributions > 1, before, gradientName());
    }

    /** The whole gradient, once every user has contributed. */
    HostMatrix gradient() {
        if (gradient == null || contributions == 0) {
            throw new IllegalStateException("no gradient of " + name + " has been made");
        }
        return gradient;
    }

    /** Name of the gradient with the contributions so far. */
    String gradientName() {
        return name + ".gradient" + contributions;
    }
}

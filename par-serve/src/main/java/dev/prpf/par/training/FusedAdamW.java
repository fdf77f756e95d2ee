package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.HostValues;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Script;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.training.TrainingConfig.AdamWSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * AdamW by libtorch's fused kernel, in place on float32 weights; its state lives as long as the weights. A step on batches without images skips a
 * trained vision encoder, as torch skips parameters without a gradient: no weight decay, no momentum, no count.
 */
public final class FusedAdamW {
    private static final Script SCRIPT = Script.load(FusedAdamW.class, "optimizer.torchscript");
    private static final String MEAN = "exp_avg.";
    private static final String SQUARE = "exp_avg_sq.";
    private static final String COUNT = "step.";

    private final AdamWSettings settings;
    private final @Nullable LearningVision vision;
    private final List<Group> groups = new ArrayList<>();

    /** Parameters with one weight decay, all or none of the vision encoder. */
    private record Group(
            boolean tower,
            List<String> names,
            double decay,
            PtNDArray[] weights,
            PtNDArray[] mean,
            PtNDArray[] square,
            PtNDArray[] counts) {}

    private FusedAdamW(TrainableDecoder decoder, AdamWSettings settings) {
        this.settings = settings;
        vision = decoder.tower();
        for (boolean tower : new boolean[] {false, true}) {
            addGroup(decoder, tower, true);
            addGroup(decoder, tower, false);
        }
    }

    /** Creates an optimizer with fresh state. */
    public static FusedAdamW fresh(TrainableDecoder decoder, AdamWSettings settings) {
        return new FusedAdamW(decoder, settings);
    }

    /** Reads the optimizer that {@link #write} saved. */
    public static FusedAdamW read(Path file, TrainableDecoder decoder, AdamWSettings settings) {
        FusedAdamW optimizer = fresh(decoder, settings);
        try (SafeTensors saved = SafeTensors.open(file)) {
            for (Group group : optimizer.groups) {
                for (int i = 0; i < group.names.size(); i++) {
                    String name = group.names.get(i);
                    group.mean[i] = restore(saved, MEAN + name, group.mean[i], decoder.manager());
                    group.square[i] = restore(saved, SQUARE + name, group.square[i], decoder.manager());
                    group.counts[i] = restore(saved, COUNT + name, group.counts[i], decoder.manager());
                }
            }
        }
        return optimizer;
    }

    private static PtNDArray restore(SafeTensors saved, String name, PtNDArray empty, PtNDManager owner) {
        long[] expected = empty.getShape().getShape();
        long[] found = saved.entry(name).shape();
        if (!Arrays.equals(expected, found)) {
            throw new InvalidDataException("optimizer state " + name + " has shape " + Arrays.toString(found)
                    + ", the model asks for " + Arrays.toString(expected));
        }
        empty.close();
        return Tensors.read(owner, saved, name, Precision.FP32);
    }

    private void addGroup(TrainableDecoder decoder, boolean tower, boolean matrices) {
        Map<String, PtNDArray> parameters = decoder.parameters();
        Set<String> ofTower = vision == null ? Set.of() : vision.parameters().keySet();
        List<String> names = parameters.entrySet().stream()
                .filter(entry -> ofTower.contains(entry.getKey()) == tower)
                .filter(entry -> entry.getValue().getShape().dimension() > 1 == matrices)
                .map(Map.Entry::getKey)
                .toList();
        if (names.isEmpty()) {
            return;
        }
        PtNDArray[] of = names.stream().map(parameters::get).toArray(PtNDArray[]::new);
        PtNDManager owner = decoder.manager();
        groups.add(new Group(
                tower,
                names,
                matrices ? settings.weightDecay() : 0,
                of,
                SCRIPT.tensors(owner, "zeros_like", (Object) of),
                SCRIPT.tensors(owner, "zeros_like", (Object) of),
                SCRIPT.tensors(owner, "counts", of, 0.0)));
    }

    /**
     * Makes one step with the weights' gradients, and zeroes them.
     *
     * @param maxNorm gradients of a larger norm are scaled down to it
     * @return the norm before scaling; if it is not finite, nothing was changed
     */
    public double step(double learningRate, double maxNorm) {
        boolean seen = vision != null && vision.hasGradient();
        List<Group> moved =
                groups.stream().filter(group -> seen || !group.tower).toList();
        List<PtNDArray[]> gradients = moved.stream()
                .map(group ->
                        Arrays.stream(group.weights).map(PtNDArray::getGradient).toArray(PtNDArray[]::new))
                .toList();
        try {
            double norm = norm(gradients);
            if (Double.isFinite(norm)) {
                double scale = Math.min(1.0, maxNorm / (norm + 1e-6));
                for (int i = 0; i < moved.size(); i++) {
                    update(moved.get(i), gradients.get(i), scale, learningRate);
                }
                if (vision != null) {
                    vision.gradientUsed();
                }
            }
            return norm;
        } finally {
            gradients.forEach(group -> Arrays.stream(group).forEach(PtNDArray::close));
        }
    }

    /** Returns the norm over all trained weights; not finite after a step that was far too large. */
    public double weightNorm() {
        return norm(groups.stream().map(Group::weights).toList());
    }

    private static double norm(List<PtNDArray[]> arrays) {
        PtNDArray[] all = arrays.stream().flatMap(Arrays::stream).toArray(PtNDArray[]::new);
        try (PtNDArray norm = SCRIPT.tensor(all[0].getManager(), "norm", (Object) all)) {
            return HostValues.number(norm);
        }
    }

    private void update(Group group, PtNDArray[] gradients, double scale, double learningRate) {
        SCRIPT.tensor(
                        gradients[0].getManager(),
                        "step",
                        group.weights,
                        gradients,
                        group.mean,
                        group.square,
                        group.counts,
                        scale,
                        learningRate,
                        settings.beta1(),
                        settings.beta2(),
                        settings.epsilon(),
                        group.decay)
                .close();
    }

    /** Saves the state under the parameters' names. */
    public void write(Path file) throws IOException {
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        for (Group group : groups) {
            for (int i = 0; i < group.names.size(); i++) {
                tensors.put(MEAN + group.names.get(i), Tensors.float32(group.mean[i]));
                tensors.put(SQUARE + group.names.get(i), Tensors.float32(group.square[i]));
                tensors.put(COUNT + group.names.get(i), Tensors.float32(group.counts[i]));
            }
        }
        SafeTensors.write(file, tensors, Map.of());
    }
}

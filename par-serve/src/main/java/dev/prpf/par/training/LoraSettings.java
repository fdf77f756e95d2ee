package dev.prpf.par.training;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.par.engine.DecoderConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The adapted matrices and the size of adapters.
 *
 * @param rank r, number of columns of B and rows of A; a larger one has more weights to train
 * @param alpha B A is multiplied by alpha / rank
 * @param targets last words of matrices' names without {@code .weight}, like PEFT's {@code target_modules} ({@code q_proj}). Null for all
 *     products of attention, delta-nets and feed-forward layers except {@code in_proj_a} and {@code in_proj_b}, which some servers silently
 *     ignore in adapters
 */
public record LoraSettings(int rank, double alpha, @Nullable List<String> targets) {
    private static final String LAYER = "model.layers.";
    private static final Set<String> EXCLUDED = Set.of("in_proj_a", "in_proj_b");

    public LoraSettings {
        require(rank >= 1, "rank", rank, "at least 1");
        require(alpha > 0 && Double.isFinite(alpha), "alpha", alpha, "> 0");
        if (targets != null) {
            targets = List.copyOf(targets);
            if (targets.isEmpty()) {
                throw new IllegalArgumentException("targets is empty; name matrices, or set null for all");
            }
        }
    }

    /**
     * Returns the names of the adapted matrices, in the decoder's order.
     *
     * @throws dev.prpf.base.error.PrpfException 78 if a target names no matrix of the decoder
     */
    List<String> targetsIn(DecoderConfig config) {
        List<String> products = config.parameterShapes().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(LAYER) && entry.getValue().length == 2)
                .map(Map.Entry::getKey)
                .toList();
        Set<String> known = products.stream().map(LoraSettings::word).collect(Collectors.toCollection(TreeSet::new));
        if (targets != null && !known.containsAll(targets)) {
            List<String> unknown =
                    targets.stream().filter(word -> !known.contains(word)).toList();
            throw new InvalidConfigurationException(
                    "lora.targets = " + unknown + ": the model has no such matrix in its layers; it has " + known);
        }
        return products.stream()
                .filter(name -> targets == null ? !EXCLUDED.contains(word(name)) : targets.contains(word(name)))
                .toList();
    }

    /** Returns the last words of the adapted matrices' names, like PEFT's {@code target_modules}; sorted. */
    public SortedSet<String> words(DecoderConfig config) {
        return targetsIn(config).stream().map(LoraSettings::word).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the shapes of A (rank, in) and B (out, rank) of every target by name, in the decoder's order. */
    Map<String, long[]> shapesIn(DecoderConfig config) {
        Map<String, long[]> shapes = new LinkedHashMap<>();
        for (String target : targetsIn(config)) {
            long[] matrix = Objects.requireNonNull(config.parameterShapes().get(target));
            shapes.put(LoraAdapters.nameOf(target, LoraAdapters.A), new long[] {rank, matrix[1]});
            shapes.put(LoraAdapters.nameOf(target, LoraAdapters.B), new long[] {matrix[0], rank});
        }
        return shapes;
    }

    /** Returns the last word of a name: {@code q_proj} of {@code model.layers.0.self_attn.q_proj.weight}. */
    static String word(String name) {
        String[] words = name.split("\\.", -1);
        return words[words.length - 2];
    }

    /** Returns the factor of B A. */
    public double scale() {
        return alpha / rank;
    }
}

package dev.prpf.par.lora;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.par.engine.DecoderConfig;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The matrices that settings choose of a decoder. */
final class LoraTargets {
    private static final String LAYER = "model.layers.";
    private static final Set<String> LEFT_OUT = Set.of("in_proj_a", "in_proj_b");

    private LoraTargets() {}

    static List<String> of(DecoderConfig config, LoraSettings settings) {
        List<String> products = config.parameterShapes().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(LAYER) && entry.getValue().length == 2)
                .map(java.util.Map.Entry::getKey)
                .toList();
        List<String> chosen = settings.targets();
        if (chosen == null) {
            return products.stream()
                    .filter(name -> !LEFT_OUT.contains(word(name)))
                    .toList();
        }
        Set<String> known = products.stream().map(LoraTargets::word).collect(Collectors.toCollection(TreeSet::new));
        List<String> unknown =
                chosen.stream().filter(word -> !known.contains(word)).toList();
        if (!unknown.isEmpty()) {
            throw new InvalidConfigurationException(
                    "lora.targets = " + unknown + ": the model has no such matrix in its layers; it has " + known);
        }
        return products.stream().filter(name -> chosen.contains(word(name))).toList();
    }

    /** {@code q_proj} of {@code model.layers.0.self_attn.q_proj.weight}. */
    static String word(String name) {
        String[] words = name.split("\\.", -1);
        return words[words.length - 2];
    }
}

package dev.prpf.par.engine;

import dev.prpf.par.engine.DecoderConfig.Mixer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The parameters of a decoder under their Hugging Face names, and their indices in the TorchScript text's list of weights. The list has the
 * embedding, each layer's parameters, the final norm and the head.
 */
public final class DecoderParameters {
    public static final String EMBEDDING = "model.embed_tokens.weight";
    public static final String HEAD = "lm_head.weight";
    private static final String NORM = "model.norm.weight";
    private static final String MODEL = "model.";
    private static final String LANGUAGE_MODEL = "model.language_model.";

    private final Map<String, long[]> shapes = new LinkedHashMap<>();
    private final List<String> places = new ArrayList<>();
    private final List<Integer> begins = new ArrayList<>();

    DecoderParameters(DecoderConfig config) {
        int width = config.hiddenSize();
        place(EMBEDDING, config.vocabularySize(), width);
        for (int i = 0; i < config.layers(); i++) {
            begins.add(places.size());
            layer("model.layers." + i + ".", config, config.mixers().get(i));
        }
        begins.add(places.size());
        place(NORM, width);
        if (config.tiedEmbeddings()) {
            places.add(EMBEDDING);
        } else {
            place(HEAD, config.vocabularySize(), width);
        }
    }

    /** Returns the name of a text model's parameter in a vision-language model. */
    public static String ofVisionLanguage(String name) {
        return name.startsWith(MODEL) ? LANGUAGE_MODEL + name.substring(MODEL.length()) : name;
    }

    /** Returns the name of either model's parameter in a text model. */
    public static String ofText(String name) {
        return name.startsWith(LANGUAGE_MODEL) ? MODEL + name.substring(LANGUAGE_MODEL.length()) : name;
    }

    /** Returns the names of a layer's matrices: those into its mixer, the one out of it, gate, up and down. */
    public static List<String> matrices(DecoderConfig config, int layer) {
        return config.parameterShapes().entrySet().stream()
                .filter(entry ->
                        entry.getKey().startsWith("model.layers." + layer + ".") && entry.getValue().length == 2)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns a layer's matrices, grouped by the product that multiplies them: into the mixer, out of it, gate and up, down. */
    public static List<List<String>> products(DecoderConfig config, int layer) {
        List<String> names = matrices(config, layer);
        int out = names.size() - 4;
        return List.of(
                names.subList(0, out),
                names.subList(out, out + 1),
                names.subList(out + 1, out + 3),
                names.subList(out + 3, out + 4));
    }

    private void layer(String layer, DecoderConfig config, Mixer mixer) {
        int width = config.hiddenSize();
        boolean postNorms = config.family().postNorms();
        place(layer + "input_layernorm.weight", width);
        mixer.parameters(config.family(), width)
                .forEach((name, shape) -> place(layer + mixer.module() + "." + name, shape));
        place(layer + "post_attention_layernorm.weight", width);
        if (postNorms) {
            place(layer + "pre_feedforward_layernorm.weight", width);
        }
        place(layer + "mlp.gate_proj.weight", config.intermediateSize(), width);
        place(layer + "mlp.up_proj.weight", config.intermediateSize(), width);
        place(layer + "mlp.down_proj.weight", width, config.intermediateSize());
        if (postNorms) {
            place(layer + "post_feedforward_layernorm.weight", width);
        }
    }

    private void place(String name, long... shape) {
        places.add(name);
        shapes.put(name, shape);
    }

    Map<String, long[]> shapes() {
        return Collections.unmodifiableMap(shapes);
    }

    /** Returns the name at each index of the list of weights; a tied embedding is the first and the last. */
    List<String> places() {
        return Collections.unmodifiableList(places);
    }

    /** Returns the first index of a layer's parameters; for one past the last layer, their end. */
    int begin(int layer) {
        return begins.get(layer);
    }
}

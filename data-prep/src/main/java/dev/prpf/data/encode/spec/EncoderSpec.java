package dev.prpf.data.encode.spec;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.onnx.ModelFile;
import dev.prpf.data.onnx.OnnxRewiring;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A frozen text encoder.
 *
 * @param id its name, such as "bge-small-zh-v1.5"; {@link #idOf} adds the version of the weights
 * @param text what it takes, and how
 * @param weights its network, as published and in other arithmetic; the first one is the default
 * @param width floats a vector
 * @param normalise whether vectors are scaled to Euclidean length 1
 * @param licence of the weights, for people
 */
public record EncoderSpec(String id, Text text, List<Weights> weights, int width, boolean normalise, String licence) {
    private static final String DIRECTORY = "dir:";

    /**
     * Texts.
     *
     * @param tokenizer a Hugging Face tokenizer.json
     * @param pooling of the tokens' vectors
     * @param prefix what stands before every text, such as E5's "query: "; empty for none
     * @param maxTokens tokens the network takes at once, special ones and the prefix included
     */
    public record Text(ModelFile tokenizer, Pooling pooling, String prefix, int maxTokens) {}

    /**
     * A network's weights in one arithmetic.
     *
     * @param precision their arithmetic
     * @param file an ONNX model
     * @param version names arithmetic and bytes, for ids
     * @param rewiring leaves work out whose results are not read; null to run the model as it is
     */
    public record Weights(Precision precision, ModelFile file, String version, @Nullable OnnxRewiring rewiring) {}

    public EncoderSpec {
        weights = List.copyOf(weights);
    }

    /**
     * The text encoder of a choice.
     *
     * @param choice a name of {@link ShippedEncoders}, or {@code dir:PATH}; see {@link EncoderDirectory}
     * @throws PrpfException 69 if a file of it is missing, saying how to get it; 65 if its description cannot be used
     */
    public static EncoderSpec ofText(String choice) {
        requireTextChoice(choice);
        return choice.startsWith(DIRECTORY)
                ? EncoderDirectory.read(Path.of(choice.substring(DIRECTORY.length())))
                : ShippedEncoders.TEXT.stream()
                        .filter(spec -> spec.id().equals(choice))
                        .findFirst()
                        .orElseThrow();
    }

    /**
     * Refuses, without looking at any file, what is no choice of a text encoder.
     *
     * @throws IllegalArgumentException saying what is allowed
     */
    public static void requireTextChoice(String choice) {
        List<String> shipped =
                ShippedEncoders.TEXT.stream().map(EncoderSpec::id).toList();
        boolean directory = choice.startsWith(DIRECTORY) && choice.length() > DIRECTORY.length();
        require(
                directory || shipped.contains(choice),
                "text-encoder",
                choice,
                String.join(", ", shipped) + " or dir:PATH (PATH: a directory with encoder.yaml)");
        try {
            Objects.requireNonNull(Path.of(choice));
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("text-encoder = " + choice + ": no path: " + e.getReason(), e);
        }
    }

    /**
     * The weights in some arithmetic.
     *
     * @throws PrpfException 78 if there are none
     */
    public Weights weights(Precision precision) {
        return weights.stream()
                .filter(one -> one.precision() == precision)
                .findFirst()
                .orElseThrow(() -> new InvalidConfigurationException("precision = " + precision.label()
                        + ", text-encoder = " + id + ": it has "
                        + weights.get(0).precision().label()
                        + " weights only; set precision: "
                        + weights.get(0).precision().label()));
    }

    /**
     * Looks for the files of a text encoder.
     *
     * @throws PrpfException 69 if one is missing, saying how to get it
     */
    public void requirePresent(Precision precision) {
        weights(precision).file().requirePresent();
        text.tokenizer().requirePresent();
    }

    /** What stores and perceivers know a text encoder by: name, arithmetic, weights, and the rule of long texts. */
    public String idOf(Precision precision, LongText longText) {
        return id + "-" + weights(precision).version() + "-" + longText.label();
    }
}

package dev.prpf.data.encode.spec;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.onnx.ModelFile;
import dev.prpf.data.onnx.OnnxRewiring;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A frozen text encoder.
 *
 * @param id its name, such as "bge-small-zh-v1.5"; {@link #idOf} adds the version of the weights
 * @param text its input settings
 * @param weights its network, as published and in other arithmetic; the first is the default
 * @param width floats per vector
 * @param normalise whether vectors are scaled to Euclidean length 1
 * @param licence the licence of the weights, for display
 */
public record EncoderSpec(String id, Text text, List<Weights> weights, int width, boolean normalise, String licence) {
    private static final String DIRECTORY = "dir:";

    /**
     * The input settings of a text encoder.
     *
     * @param tokenizer a Hugging Face tokenizer.json
     * @param pooling pooling of the token vectors
     * @param prefix text prepended to every input, such as E5's "query: "; empty for none
     * @param maxTokens the network's maximum tokens, including special tokens and prefix
     */
    public record Text(ModelFile tokenizer, Pooling pooling, String prefix, int maxTokens) {}

    /**
     * A network's weights in one arithmetic.
     *
     * @param precision their arithmetic
     * @param file an ONNX model
     * @param version identifies arithmetic and bytes, for ids
     * @param rewiring skips work with unused results; null to run the model unchanged
     */
    public record Weights(
            EncoderPrecision precision, ModelFile file, String version, @Nullable OnnxRewiring rewiring) {}

    public EncoderSpec {
        weights = List.copyOf(weights);
    }

    /**
     * Returns the text encoder of a choice.
     *
     * @param choice a name of {@link ShippedEncoders}, or {@code dir:PATH}; see {@link EncoderDirectory}
     * @throws PrpfException 69 if one of its files is missing, with a hint how to get it; 65 if its description is invalid
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
     * Checks the syntax of a text encoder's choice, without reading files.
     *
     * @throws IllegalArgumentException naming the allowed choices
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
            throw new IllegalArgumentException("text-encoder = " + choice + ": not a path: " + e.getReason(), e);
        }
    }

    /**
     * Returns the weights in an arithmetic.
     *
     * @throws PrpfException 78 if the encoder lacks it
     */
    public Weights weights(EncoderPrecision precision) {
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
     * Checks that the files of the text encoder exist.
     *
     * @throws PrpfException 69 if one is missing, with a hint how to get it
     */
    public void requirePresent(EncoderPrecision precision) {
        weights(precision).file().requirePresent();
        text.tokenizer().requirePresent();
    }

    /** Returns the id for stores and perceivers: name, arithmetic, weights and the rule for long texts. */
    public String idOf(EncoderPrecision precision, LongText longText) {
        return id + "-" + weights(precision).version() + "-" + longText.label();
    }

    /**
     * A user's own text encoder: a directory with {@code model.onnx}, {@code tokenizer.json} and {@code encoder.yaml} (or
     * {@code encoder.json}), which contains this record.
     *
     * @param id a name for ids and stores
     * @param width floats per vector
     * @param pooling pooling of the token vectors: cls, mean or none
     * @param prefix text prepended to every input; empty for none
     * @param normalise whether vectors are scaled to Euclidean length 1
     * @param maxTokens the network's maximum tokens, including special tokens and prefix
     */
    record EncoderDirectory(
            String id, int width, Pooling pooling, String prefix, boolean normalise, int maxTokens, String licence) {
        EncoderDirectory {
            require(id.matches("[A-Za-z0-9][A-Za-z0-9._-]*"), "id", id, "letters, digits, dots, - and _");
            require(width >= 1, "width", width, "at least 1");
            require(maxTokens >= 8, "max-tokens", maxTokens, "at least 8");
        }

        /** @throws PrpfException 69 if a file is missing, 78 if the description breaks a rule */
        static EncoderSpec read(Path directory) {
            Path yaml = directory.resolve("encoder.yaml");
            Path description = Files.isRegularFile(yaml) ? yaml : directory.resolve("encoder.json");
            if (!Files.isRegularFile(description)) {
                throw new UnavailableException("text encoder " + directory + ": " + yaml
                        + " does not exist; the directory must hold model.onnx, tokenizer.json and encoder.yaml, see"
                        + " docs/ENCODERS.md");
            }
            ModelFile model = new ModelFile.OnDisk(directory.resolve("model.onnx"));
            ModelFile tokenizer = new ModelFile.OnDisk(directory.resolve("tokenizer.json"));
            EncoderDirectory read = StrictYaml.read(description, EncoderDirectory.class, List.of());
            String all = model.sha256() + tokenizer.sha256() + read;
            String version = "onnx-"
                    + AtomicFiles.sha256(all.getBytes(StandardCharsets.UTF_8)).substring(0, 16);
            return new EncoderSpec(
                    read.id(),
                    new Text(tokenizer, read.pooling(), read.prefix(), read.maxTokens()),
                    List.of(new Weights(EncoderPrecision.FP32, model, version, null)),
                    read.width(),
                    read.normalise(),
                    read.licence());
        }
    }

    /** The pooling of token vectors, shape (T, W), to a text's vector, shape (W). */
    public enum Pooling {
        /** The vector of the first token, {@code [CLS]}. */
        CLS,
        /** The mean over all tokens, including special ones, as in sentence-transformers. */
        MEAN,
        /** No pooling: the network has an output of shape (B, W). */
        NONE
    }

    /** The arithmetic of a frozen encoder's weights. */
    public enum EncoderPrecision {
        /** The published weights as 32-bit floats. */
        FP32,
        /** 8-bit weights with dynamically quantised activations: about twice as fast, cosine to {@link #FP32} about 0.99. */
        INT8;

        /** Returns the name used in encoder ids and files. */
        public String label() {
            return this == FP32 ? "fp32" : "int8";
        }
    }

    /** The rule for texts that exceed the encoder's tokens. */
    public enum LongText {
        /** Encodes the beginning of the text only. */
        TRUNCATE,
        /** Encodes consecutive windows; the text's vector is the normalised mean of their vectors. */
        MEAN_OF_WINDOWS;

        /** Returns the name used in encoder ids and files. */
        public String label() {
            return this == TRUNCATE ? "truncate" : "mean-of-windows";
        }
    }
}

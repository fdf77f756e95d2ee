package dev.prpf.data.encode.spec;

import static dev.prpf.base.config.Rule.require;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.encode.spec.EncoderSpec.Text;
import dev.prpf.data.encode.spec.EncoderSpec.Weights;
import dev.prpf.data.onnx.ModelFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
 * @param licence the licence of the weights
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
                List.of(new Weights(Precision.FP32, model, version, null)),
                read.width(),
                read.normalise(),
                read.licence());
    }
}

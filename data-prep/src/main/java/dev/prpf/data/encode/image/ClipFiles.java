package dev.prpf.data.encode.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a CLIP vision tower lies: a Hugging Face directory (config.json, preprocessor_config.json, model.safetensors) or an ONNX file,
 * with a preprocessor_config.json beside it or the published values.
 *
 * @param weights the file that holds the weights
 * @param config the directory's config.json; null for an ONNX file
 * @param preprocessing the preprocessor_config.json; null for an ONNX file without one
 */
record ClipFiles(Path weights, @Nullable Path config, @Nullable Path preprocessing) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PREPROCESSING = "preprocessor_config.json";

    /** @throws PrpfException 69, saying what is missing, if there is no tower */
    static ClipFiles find(Path place) {
        if (Files.isDirectory(place)) {
            Path weights = place.resolve("model.safetensors");
            if (!Files.isRegularFile(weights) && Files.isRegularFile(place.resolve("pytorch_model.bin"))) {
                throw new UnavailableException(place + ": holds pytorch_model.bin but no model.safetensors; convert it"
                        + " with transformers' save_pretrained, pickled weights are not read");
            }
            return new ClipFiles(
                    present(weights), present(place.resolve("config.json")), present(place.resolve(PREPROCESSING)));
        }
        Path beside = place.toAbsolutePath().resolveSibling(PREPROCESSING);
        return new ClipFiles(present(place), null, Files.isRegularFile(beside) ? beside : null);
    }

    private static Path present(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new UnavailableException(
                    "CLIP weights: " + file + " does not exist; a frame encoder clip:PATH needs a Hugging Face"
                            + " directory (config.json, preprocessor_config.json, model.safetensors)"
                            + " or an ONNX file, which no Maven artefact carries; frame-encoder ocr"
                            + " needs neither");
        }
        return file;
    }

    /** The preprocessing of pictures for a tower that sees squares of this side. */
    ClipPreprocessing preprocessing(int side) {
        if (preprocessing == null) {
            return ClipPreprocessing.published(side);
        }
        ClipPreprocessing read = ClipPreprocessing.read(preprocessing.toString(), json(preprocessing));
        if (read.side() != side) {
            throw new InvalidDataException(preprocessing + ": crop_size = " + read.side() + ", the tower of " + weights
                    + " sees pictures of side " + side);
        }
        return read;
    }

    static JsonNode json(Path file) {
        try {
            JsonNode root = JSON.readTree(file.toFile());
            if (!root.isObject()) {
                throw new InvalidDataException(file + ": must hold one JSON object");
            }
            return root;
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read as JSON: " + e.getMessage(), e);
        }
    }

    /**
     * Names kind, arithmetic, width, the weights by their SHA-256, and by eight digits what else decides the vectors.
     *
     * @param arithmetic such as "fp32"; "onnx" where the file decides
     * @param settings the tower's shape and its preprocessing, as text
     */
    String id(String arithmetic, int width, String settings) {
        String rest = AtomicFiles.sha256(settings.getBytes(StandardCharsets.UTF_8));
        return "clip-" + arithmetic + "-" + width + "-" + AtomicFiles.sha256(weights) + "-" + rest.substring(0, 8);
    }
}

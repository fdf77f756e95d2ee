package dev.prpf.data.encode.image;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.JsonFile;
import dev.prpf.data.encode.spec.ImagePreprocessing;
import dev.prpf.data.onnx.ModelFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a vision tower lies: a Hugging Face directory (config.json, preprocessor_config.json, model.safetensors) or an ONNX file, with a
 * preprocessor_config.json beside it or the published values.
 *
 * @param weights the file that holds the weights
 * @param config the directory's config.json; null for an ONNX file
 * @param preprocessing the preprocessor_config.json; null for an ONNX file without one
 */
record VisionFiles(Path weights, @Nullable Path config, @Nullable Path preprocessing) {
    private static final String PREPROCESSING = "preprocessor_config.json";

    /** @throws PrpfException 69, saying what is missing, if there is no tower */
    static VisionFiles find(Path place) {
        if (Files.isDirectory(place)) {
            Path weights = place.resolve("model.safetensors");
            if (!Files.isRegularFile(weights) && Files.isRegularFile(place.resolve("pytorch_model.bin"))) {
                throw new UnavailableException(place + ": holds pytorch_model.bin but no model.safetensors; convert it"
                        + " with transformers' save_pretrained, pickled weights are not read");
            }
            return new VisionFiles(
                    present(weights), present(place.resolve("config.json")), present(place.resolve(PREPROCESSING)));
        }
        Path beside = place.toAbsolutePath().resolveSibling(PREPROCESSING);
        return new VisionFiles(present(place), null, Files.isRegularFile(beside) ? beside : null);
    }

    private static Path present(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new UnavailableException(
                    "weights of a vision tower: " + file + " does not exist; an image encoder clip:PATH, siglip:PATH or"
                            + " tower:PATH needs a Hugging Face directory (config.json, preprocessor_config.json,"
                            + " model.safetensors) or an ONNX file, which no Maven artefact carries; frame-encoder ocr"
                            + " needs neither");
        }
        return file;
    }

    /** The preprocessing of images for a tower of this family that sees squares of this side. */
    ImagePreprocessing preprocessing(@Nullable TowerFamily family, int side) {
        boolean clip = family != TowerFamily.SIGLIP;
        if (preprocessing == null) {
            return clip ? ImagePreprocessing.clip(side) : ImagePreprocessing.siglip(side);
        }
        ImagePreprocessing read =
                ImagePreprocessing.read(preprocessing.toString(), JsonFile.object(preprocessing), clip);
        if (read.side() != side) {
            throw new InvalidDataException(preprocessing + ": crop_size = " + read.side() + ", the tower of " + weights
                    + " sees images of side " + side);
        }
        return read;
    }

    /**
     * The encoder's id, which names kind, arithmetic, width, the weights by their SHA-256, and by eight digits what else decides the
     * vectors.
     *
     * @param kind such as "clip-fp32"; "clip-onnx" where the file decides the arithmetic
     * @param shape of the tower, as text
     */
    String id(String kind, int width, String shape, ImagePreprocessing preprocessing) {
        String settings = shape + " " + preprocessing.identity();
        return kind + "-" + width + "-" + new ModelFile.OnDisk(weights).sha256() + "-"
                + AtomicFiles.sha256(settings.getBytes(StandardCharsets.UTF_8)).substring(0, 8);
    }
}

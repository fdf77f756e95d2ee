package dev.prpf.data.encode.image;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.JsonFile;
import dev.prpf.data.encode.spec.ImagePreprocessing;
import dev.prpf.data.onnx.ModelFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The files of a vision encoder: a Hugging Face directory (config.json, preprocessor_config.json, model.safetensors) or an ONNX
 * file. Without a preprocessor_config.json next to it, an ONNX file has the published values.
 *
 * @param config the directory's config.json; null for an ONNX file
 * @param preprocessing the preprocessor_config.json; null for an ONNX file without one
 */
record VisionFiles(Path weights, @Nullable Path config, @Nullable Path preprocessing) {
    private static final String PREPROCESSING = "preprocessor_config.json";

    /** @throws PrpfException 69, naming the missing file */
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
        Path sibling = place.toAbsolutePath().resolveSibling(PREPROCESSING);
        return new VisionFiles(present(place), null, Files.isRegularFile(sibling) ? sibling : null);
    }

    private static Path present(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new UnavailableException("weights of a vision encoder: " + file
                    + " does not exist; an image encoder clip:PATH, siglip:PATH or"
                    + " tower:PATH needs a Hugging Face directory (config.json, preprocessor_config.json,"
                    + " model.safetensors) or an ONNX file, which no Maven artefact contains; frame-encoder ocr"
                    + " needs neither");
        }
        return file;
    }

    /** Returns the preprocessing for a vision encoder of a family and an input side. */
    ImagePreprocessing preprocessing(@Nullable TowerFamily family, int side) {
        boolean clip = family != TowerFamily.SIGLIP;
        if (preprocessing == null) {
            return clip ? ImagePreprocessing.clip(side) : ImagePreprocessing.siglip(side);
        }
        ImagePreprocessing read =
                ImagePreprocessing.read(preprocessing.toString(), JsonFile.object(preprocessing), clip);
        if (read.side() != side) {
            throw new InvalidDataException(preprocessing + ": crop_size = " + read.side() + ", the vision encoder of "
                    + weights + " takes images of side " + side);
        }
        return read;
    }

    /**
     * Returns the encoder's id: kind, arithmetic, width, the weights' SHA-256, and eight digits for all other settings that
     * affect vectors.
     *
     * @param kind such as "clip-fp32"; "clip-onnx" if the file defines the arithmetic
     * @param shape the network's shape as text
     */
    String id(String kind, int width, String shape, ImagePreprocessing preprocessing) {
        String settings = shape + " " + preprocessing.identity();
        return kind + "-" + width + "-" + new ModelFile.OnDisk(weights).sha256() + "-"
                + AtomicFiles.sha256(settings.getBytes(StandardCharsets.UTF_8)).substring(0, 8);
    }
}

package dev.prpf.par.huggingface;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.data.encode.image.VisionProcessor;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderParameters;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.FreeMemory;
import dev.prpf.par.engine.FusedShape;
import dev.prpf.par.engine.NamedWeights;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.engine.WeightSource;
import dev.prpf.par.vision.ModelVisionEncoder;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionTower;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A model directory in transformers' format: {@code config.json}, {@code generation_config.json}, {@code model.safetensors} (or shards with
 * an index). The tokenizer's files are copied unchanged.
 */
public final class HuggingFaceDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(HuggingFaceDirectory.class);
    private static final String CONFIG = "config.json";
    private static final String PREPROCESSOR_CONFIG = "preprocessor_config.json";
    private static final String GENERATION_CONFIG = "generation_config.json";
    private static final Set<String> CARRIED = ConfigObject.keys(
            """
            tokenizer.json tokenizer_config.json special_tokens_map.json added_tokens.json vocab.json merges.txt
            chat_template.jinja preprocessor_config.json video_preprocessor_config.json processor_config.json""");

    private final Path directory;

    private HuggingFaceDirectory(Path directory) {
        this.directory = directory;
    }

    /**
     * Opens a model directory; first restores the previous model if its replacement was interrupted.
     *
     * @throws PrpfException 69 if the directory holds no model
     */
    public static HuggingFaceDirectory open(Path directory) {
        ModelPlace.model(directory).recover();
        if (!Files.isRegularFile(directory.resolve(CONFIG))) {
            throw new UnavailableException(directory + ": " + CONFIG
                    + " is missing; a model directory holds config.json and model.safetensors (make one with: prpf"
                    + " reasoner init)");
        }
        return new HuggingFaceDirectory(directory);
    }

    public Path path() {
        return directory;
    }

    /** Reads the model's shape from {@code config.json}. */
    public DecoderConfig config() {
        Path file = directory.resolve(CONFIG);
        return DecoderConfigJson.read(file.toString(), JsonFile.object(file));
    }

    /**
     * Reads the model's vision encoder from {@code config.json}; null if the model has none.
     *
     * @throws PrpfException 65 for an unsupported vision encoder
     */
    public @Nullable VisionConfig vision() {
        Path file = directory.resolve(CONFIG);
        return VisionConfigJson.read(file.toString(), JsonFile.object(file), config());
    }

    /**
     * Reads the vision encoder of a vision-language model.
     *
     * @param option that requires it, for the message
     * @throws PrpfException 78 if the model has none
     */
    public VisionConfig requiredVision(String option) {
        VisionConfig vision = vision();
        if (vision == null) {
            throw new InvalidConfigurationException(option + ": " + directory
                    + " is a text model (its config.json has no vision_config), so it cannot read images; use a"
                    + " vision-language model, or omit " + option);
        }
        return vision;
    }

    /**
     * Reads {@code generation_config.json} or, if missing, the generation parameters of {@code config.json}, like transformers. Without
     * either, decoding is greedy until an end token.
     */
    public GenerationDefaults generationDefaults() {
        Path own = directory.resolve(GENERATION_CONFIG);
        boolean separate = Files.isRegularFile(own);
        Path file = separate ? own : directory.resolve(CONFIG);
        ObjectNode root = JsonFile.object(file);
        return GenerationDefaults.read(
                file.toString(),
                separate ? root : GenerationDefaults.parameters(root),
                config().tokens().end());
    }

    /**
     * Returns the tokens that end a response.
     *
     * @return at least one
     * @throws PrpfException 65 if the model names no end token of its vocabulary
     */
    public List<Integer> requiredEndTokens() {
        List<Integer> end = generationDefaults().endTokens();
        int vocabulary = config().vocabularySize();
        if (end.stream().noneMatch(id -> id < vocabulary)) {
            throw new InvalidDataException(directory + ": names "
                    + (end.isEmpty() ? "no end token" : "the end tokens " + end + " in a vocabulary of " + vocabulary)
                    + ", so no response would ever end; set eos_token_id in its generation_config.json");
        }
        return end;
    }

    /**
     * Checks that the model has enough positions for the responses. The last new token is never fed back, so it needs none.
     *
     * @param longestPrompt number of tokens of the longest prompt
     * @param maxNewTokens maximum number of tokens of a response
     * @param key the setting of {@code maxNewTokens}, for the message
     * @throws PrpfException 78, naming both and the maximum
     */
    public void requireRoom(int longestPrompt, int maxNewTokens, String key) {
        int positions = config().maxPositions();
        int room = positions - longestPrompt + 1;
        if (maxNewTokens > room) {
            throw new InvalidConfigurationException(
                    key + " = " + maxNewTokens + ": the longest prompt has " + longestPrompt
                            + " tokens and " + directory + " " + positions + " positions, so "
                            + (room < 1 ? "no response fits" : "it must be at most " + room)
                            + "; lower it, use shorter prompts, or a model with more positions");
        }
    }

    /**
     * Checks the configuration and the names of the decoder's weights, without reading the weights.
     *
     * @throws PrpfException 65 for an unsupported model or a parameter that is missing or unknown, 69 without weights
     */
    public void requireWhole() {
        DecoderConfig config = config();
        WeightFiles files = WeightFiles.of(directory);
        files.refuseUnknown(config);
        config.parameterShapes().keySet().forEach(files::place);
    }

    /**
     * Reads all parameters of the decoder for training.
     *
     * @param precision type of matrices in memory; vectors are always float32
     * @throws PrpfException 65 for a parameter that is missing, unknown or of another shape, or a vision encoder without weights, which could
     *     not be saved again
     */
    public DecoderWeights weights(Precision precision) {
        requireWholeVision();
        DecoderConfig config = config();
        return read(
                decoderReader(config),
                config.parameterShapes(),
                precision,
                new DecoderWeights(config, TorchRuntime.newManager()));
    }

    /**
     * Loads the decoder layer by layer for inference.
     *
     * @return the loaded model, which the caller closes
     * @throws PrpfException see {@link #weights}; 3 if it does not fit into the free memory
     */
    public CausalLm decoder(Precision precision) {
        return decoder(FusedShape.of(config(), precision));
    }

    private CausalLm decoder(FusedShape shape) {
        DecoderConfig config = shape.config();
        TorchRuntime.logCard();
        shape.requireRoom(directory.toString(), FreeMemory::bytes);
        try (WeightReader reader = decoderReader(config)) {
            return CausalLm.of(shape, reader.source(config.parameterShapes()));
        }
    }

    /**
     * Loads the decoder's frozen weights layer by layer, with the kernel of training.
     *
     * @return the loaded model, which the caller closes
     * @throws PrpfException see {@link #weights} and {@link #decoder}
     */
    public CausalLm frozen(Precision precision) {
        requireWholeVision();
        return decoder(FusedShape.linear(config(), precision));
    }

    /** Throws 65 if the model has a vision encoder without its weights, which could not be saved again. */
    private void requireWholeVision() {
        VisionConfig vision = vision();
        if (vision != null) {
            WeightFiles.of(directory).requireTower(vision);
        }
    }

    /**
     * Reads all parameters of the vision encoder for training.
     *
     * @param precision see {@link #weights(Precision)}
     * @throws PrpfException 78 if the model has none, 65 for a parameter that is missing, unknown or of another shape
     */
    public VisionWeights visionWeights(Precision precision) {
        VisionConfig vision = requiredVision("the vision encoder");
        return read(
                towerReader(vision),
                vision.parameterShapes(),
                precision,
                new VisionWeights(vision, TorchRuntime.newManager()));
    }

    /**
     * Loads the vision encoder for inference.
     *
     * @return the loaded model, which the caller closes
     * @throws PrpfException see {@link #visionWeights}
     */
    public VisionTower tower(Precision precision) {
        VisionConfig vision = requiredVision("the vision encoder");
        try (WeightReader reader = towerReader(vision)) {
            return VisionTower.of(vision, precision, reader.source(vision.parameterShapes()));
        }
    }

    /**
     * Loads the model's image processor and vision encoder.
     *
     * @param store directory that caches features; null for a cache in memory only
     * @return the loaded model, which the caller closes
     * @throws PrpfException see {@link #visionWeights}; 69 without {@code preprocessor_config.json}
     */
    public ModelVisionEncoder visionEncoder(Precision precision, @Nullable Path store) {
        requiredVision("an image");
        VisionProcessor processor = VisionProcessor.read(directory.resolve(PREPROCESSOR_CONFIG));
        return Closing.ifRefused(tower(precision), tower -> {
            return new ModelVisionEncoder(processor, tower, visionSha256(), store);
        });
    }

    /**
     * Opens the vision encoder of a model with text prompts, without a feature store.
     *
     * @return null for a model that takes only text; logs a warning if its vision encoder is incomplete
     */
    public @Nullable ModelVisionEncoder visionEncoderIfWhole(Precision precision) {
        try {
            return vision() == null ? null : visionEncoder(precision, null);
        } catch (InvalidDataException | UnavailableException e) {
            LOG.warn("{} gets only texts, its vision encoder cannot be opened: {}", directory, e.getMessage());
            return null;
        }
    }

    private static <W extends NamedWeights> W read(
            WeightReader from, Map<String, long[]> shapes, Precision matrices, W weights) {
        try (from) {
            from.read(shapes, matrices, weights);
            return weights;
        } catch (RuntimeException e) {
            weights.close();
            throw e;
        }
    }

    private WeightReader towerReader(VisionConfig vision) {
        WeightFiles places = WeightFiles.of(directory);
        places.requireTower(vision);
        return new WeightReader(places);
    }

    private WeightReader decoderReader(DecoderConfig config) {
        WeightFiles places = WeightFiles.of(directory);
        places.refuseUnknown(config);
        return new WeightReader(places);
    }

    /** Returns the SHA-256 of the vision encoder's weights, over name, type, shape and bytes of each. */
    public String visionSha256() {
        VisionConfig vision = requiredVision("the vision encoder");
        try (WeightReader reader = towerReader(vision)) {
            return reader.sha256(vision.parameterShapes());
        }
    }

    /** Returns the SHA-256 over the checksums of the configuration and of all weight files. */
    public String sha256() {
        TreeSet<Path> files = new TreeSet<>(WeightFiles.of(directory).files());
        files.add(directory.resolve(CONFIG));
        StringBuilder sums = new StringBuilder();
        files.forEach(file -> sums.append(file.getFileName())
                .append(' ')
                .append(AtomicFiles.sha256(file))
                .append('\n'));
        return AtomicFiles.sha256(sums.toString().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes a model that transformers can load.
     *
     * @param target created if missing; files of the same name are replaced
     * @param weights float32
     * @param like source of the vision encoder, tokenizer and generation settings to copy, or null
     */
    public static void write(Path target, DecoderWeights weights, @Nullable Path like) throws IOException {
        write(target, weights, null, like);
    }

    /**
     * Writes a model with a vision encoder.
     *
     * @param vision float32; null to copy the bytes of {@code like}'s, if it has one
     */
    public static void write(Path target, DecoderWeights weights, @Nullable VisionWeights vision, @Nullable Path like)
            throws IOException {
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        weights.arrays().forEach((name, array) -> tensors.put(name, Tensors.float32(array)));
        write(target, weights.config(), tensors, vision, like);
    }

    /** Changes a weight before another directory receives it. */
    @FunctionalInterface
    public interface WeightChange {
        /**
         * Returns the float32 values to write.
         *
         * @param scratch owns the returned array
         * @param name in a text-only model
         */
        PtNDArray apply(PtNDManager scratch, String name, PtNDArray weight);
    }

    /**
     * Writes this model with other values; weights are read, changed and written one at a time.
     *
     * @param vision float32 weights of the vision encoder; null for this model's own
     */
    public void writeChanged(Path target, WeightChange change, @Nullable VisionWeights vision) throws IOException {
        DecoderConfig config = config();
        try (WeightReader reader = decoderReader(config)) {
            WeightSource source = reader.source(config.parameterShapes());
            Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
            config.parameterShapes().forEach((name, shape) -> tensors.put(name, changed(source, name, shape, change)));
            write(target, config, tensors, vision, directory);
        }
    }

    private static SafeTensors.Tensor changed(WeightSource source, String name, long[] shape, WeightChange change) {
        return new SafeTensors.Tensor("F32", shape, out -> {
            try (PtNDManager scratch = TorchRuntime.newManager()) {
                PtNDArray weight = source.read(scratch, List.of(name))[0];
                return Tensors.float32(change.apply(scratch, name, weight))
                        .content()
                        .writeTo(out);
            }
        });
    }

    private static void write(
            Path target,
            DecoderConfig decoder,
            Map<String, SafeTensors.Tensor> weights,
            @Nullable VisionWeights vision,
            @Nullable Path like)
            throws IOException {
        Files.createDirectories(target);
        HuggingFaceDirectory source = like == null ? null : open(like);
        VisionConfig seen = vision != null ? vision.config() : source == null ? null : source.vision();
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        weights.forEach(
                (name, tensor) -> tensors.put(seen == null ? name : DecoderParameters.ofVisionLanguage(name), tensor));
        if (vision != null) {
            vision.arrays().forEach((name, array) -> tensors.put(name, Tensors.float32(array)));
        }
        try (WeightReader reader = vision == null && seen != null && source != null ? source.towerReader(seen) : null) {
            if (reader != null && seen != null) {
                tensors.putAll(reader.stored(seen.parameterShapes()));
            }
            SafeTensors.write(target.resolve(WeightFiles.WHOLE), tensors, Map.of("format", "pt"));
        }
        ObjectNode config = DecoderConfigWriter.write(decoder, "float32");
        writeJson(target.resolve(CONFIG), seen == null ? config : VisionConfigJson.write(config, seen));
        carry(like, target, GENERATION_CONFIG);
        if (!Files.exists(target.resolve(GENERATION_CONFIG))) {
            writeJson(target.resolve(GENERATION_CONFIG), GenerationDefaults.write(decoder));
        }
        for (String name : CARRIED) {
            carry(like, target, name);
        }
    }

    private static void carry(@Nullable Path from, Path to, String name) throws IOException {
        if (from != null && Files.isRegularFile(from.resolve(name))) {
            Files.copy(from.resolve(name), to.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void writeJson(Path file, JsonNode root) throws IOException {
        Files.writeString(file, root.toPrettyString() + "\n");
    }
}

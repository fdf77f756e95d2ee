package dev.prpf.par.huggingface;

import ai.djl.pytorch.engine.PtNDArray;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderWeights;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TorchRuntime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A model as transformers keeps it: {@code config.json}, {@code generation_config.json}, {@code model.safetensors} (or shards with their
 * index) and the tokenizer's files, which are carried along untouched.
 */
public final class HuggingFaceDirectory {
    private static final String CONFIG = "config.json";
    private static final String GENERATION_CONFIG = "generation_config.json";
    private static final Set<String> CARRIED = ConfigObject.keys(
            """
            tokenizer.json tokenizer_config.json special_tokens_map.json added_tokens.json vocab.json merges.txt
            chat_template.jinja""");

    private final Path directory;

    private HuggingFaceDirectory(Path directory) {
        this.directory = directory;
    }

    /**
     * A directory that holds a model; one whose replacement was cut off holds the model before again.
     *
     * @throws PrpfException 69 if there is none
     */
    public static HuggingFaceDirectory open(Path directory) {
        ModelPlace.model(directory).recover();
        if (!Files.isRegularFile(directory.resolve(CONFIG))) {
            throw new UnavailableException(directory + ": there is no " + CONFIG
                    + " here; a model directory holds config.json and model.safetensors (make one with: prpf"
                    + " par init)");
        }
        return new HuggingFaceDirectory(directory);
    }

    public Path path() {
        return directory;
    }

    /** The model's shape, from {@code config.json}. */
    public DecoderConfig config() {
        Path file = directory.resolve(CONFIG);
        return DecoderConfigJson.read(file.toString(), JsonFile.object(file));
    }

    /** What {@code generation_config.json} asks for; the model's own end tokens and greedy where it says nothing or is missing. */
    public GenerationDefaults generationDefaults() {
        Path file = directory.resolve(GENERATION_CONFIG);
        JsonNode root = Files.isRegularFile(file) ? JsonFile.object(file) : JsonNodeFactory.instance.objectNode();
        return GenerationDefaults.read(file.toString(), root, config().tokens().end());
    }

    /**
     * The tokens that end a response.
     *
     * @return at least one
     * @throws PrpfException 65 if the model names none, or none of its vocabulary
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
     * Refuses responses that the model's positions do not hold. The last new token is never fed back, so it needs none.
     *
     * @param longestPrompt tokens of the longest prompt
     * @param maxNewTokens tokens a response may have
     * @param key what sets {@code maxNewTokens}, for the message
     * @throws PrpfException 78, naming both and what would fit
     */
    public void requireRoom(int longestPrompt, int maxNewTokens, String key) {
        int positions = config().maxPositions();
        int room = positions - longestPrompt + 1;
        if (maxNewTokens > room) {
            throw new InvalidConfigurationException(
                    key + " = " + maxNewTokens + ": the longest prompt has " + longestPrompt
                            + " tokens and " + directory + " " + positions + " positions, so "
                            + (room < 1 ? "no response fits" : "it must be at most " + room)
                            + "; lower it, take shorter prompts, or a model with more positions");
        }
    }

    /**
     * Reads every parameter to train it.
     *
     * @param precision the type matrices get in memory; vectors are float32 always
     * @throws PrpfException 65 for a parameter that is missing, unknown or of another shape
     */
    public DecoderWeights weights(Precision precision) {
        return weights((file, name) -> precision);
    }

    /**
     * The model ready to run forward; its matrices come as the files hold them, so that nothing is rounded twice.
     *
     * @return the caller's to close
     * @throws PrpfException as {@link #weights}
     */
    public CausalLm decoder(Precision precision) {
        BiFunction<SafeTensors, String, Precision> stored =
                (file, name) -> file.entry(name).dtype().equals("BF16") ? Precision.BF16 : Precision.FP32;
        try (DecoderWeights weights = weights(stored)) {
            return CausalLm.of(weights, precision);
        }
    }

    private DecoderWeights weights(BiFunction<SafeTensors, String, Precision> matrices) {
        DecoderConfig config = config();
        WeightFiles places = WeightFiles.of(directory);
        places.refuseUnknown(config);
        DecoderWeights weights = new DecoderWeights(config, TorchRuntime.newManager());
        Map<Path, SafeTensors> files = new LinkedHashMap<>(); // opened on first use
        try {
            config.parameterShapes().forEach((name, shape) -> {
                WeightFiles.Place place = places.place(name);
                SafeTensors file = files.computeIfAbsent(place.file(), SafeTensors::open);
                long[] found = file.entry(place.tensor()).shape();
                if (!Arrays.equals(found, shape)) {
                    throw new InvalidDataException(directory + ": " + place.tensor() + " has shape "
                            + Arrays.toString(found) + ", " + CONFIG + " asks for " + Arrays.toString(shape));
                }
                // vectors are few, and what they decide (norms, decays) is multiplied into everything: they stay
                // float32
                Precision kept = shape.length == 1 ? Precision.FP32 : matrices.apply(file, place.tensor());
                weights.put(name, Tensors.read(weights.manager(), file, place.tensor(), kept));
            });
            return weights;
        } catch (RuntimeException e) {
            weights.close();
            throw e;
        } finally {
            files.values().forEach(SafeTensors::close);
        }
    }

    /** SHA-256 over the sums of the configuration and of every file that holds weights. */
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
     * Writes a model that transformers loads as it is.
     *
     * @param target made if missing; files of the same name are replaced
     * @param weights float32
     * @param like a directory whose tokenizer and generation settings are carried along, or null
     */
    public static void write(Path target, DecoderWeights weights, @Nullable Path like) throws IOException {
        Files.createDirectories(target);
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        for (Map.Entry<String, PtNDArray> entry : weights.arrays().entrySet()) {
            tensors.put(entry.getKey(), Tensors.float32(entry.getValue()));
        }
        SafeTensors.write(target.resolve(WeightFiles.WHOLE), tensors, Map.of("format", "pt"));
        writeJson(target.resolve(CONFIG), DecoderConfigWriter.write(weights.config(), "float32"));
        carry(like, target, GENERATION_CONFIG);
        if (!Files.exists(target.resolve(GENERATION_CONFIG))) {
            writeJson(target.resolve(GENERATION_CONFIG), GenerationDefaults.write(weights.config()));
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

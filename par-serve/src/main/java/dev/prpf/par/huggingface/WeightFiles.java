package dev.prpf.par.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderParameters;
import dev.prpf.par.vision.VisionConfig;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Locates the parameters of a model directory: in {@code model.safetensors}, or in the shards that {@code model.safetensors.index.json}
 * names. The decoder of a vision-language model, under {@code model.language_model.}, has the text model's names here.
 */
final class WeightFiles {
    static final String WHOLE = "model.safetensors";
    private static final String INDEX = "model.safetensors.index.json";

    /** Prefixes of names without a leading {@code model.}. */
    private static final List<String> BASE = List.of("embed_tokens.", "layers.", "norm.", "language_model.", "visual.");

    /** Prefixes outside the decoder of a vision-language checkpoint: the vision encoder and the multi-token prediction head. */
    private static final List<String> UNREAD = List.of(VisionConfig.PREFIX, "mtp.", "model.mtp.");

    private static final int SHOWN = 5;

    private final Path directory;
    private final Map<String, Place> places = new LinkedHashMap<>();

    /** The safetensors file of a parameter, and its name there. */
    record Place(Path file, String tensor) {}

    private WeightFiles(Path directory) {
        this.directory = directory;
    }

    /** Reads headers or index; throws 69 without either, 65 for an index with paths outside the directory or a duplicate parameter. */
    static WeightFiles of(Path directory) {
        WeightFiles files = new WeightFiles(directory);
        Path whole = directory.resolve(WHOLE);
        Path index = directory.resolve(INDEX);
        if (Files.isRegularFile(whole)) {
            try (SafeTensors file = SafeTensors.open(whole)) {
                file.entries().keySet().forEach(tensor -> files.put(tensor, whole));
            }
        } else if (Files.isRegularFile(index)) {
            JsonNode map = JsonFile.object(index).path("weight_map");
            if (!map.isObject() || map.isEmpty()) {
                throw new InvalidDataException(index + ": weight_map must be an object that names each tensor's file");
            }
            map.properties()
                    .forEach(entry -> files.put(entry.getKey(), files.shard(index, entry.getKey(), entry.getValue())));
        } else {
            throw new UnavailableException(directory + ": neither " + WHOLE + " nor " + INDEX + " exists");
        }
        return files;
    }

    private Path shard(Path index, String tensor, JsonNode name) {
        Path shard = name.isTextual() ? within(directory, name.textValue()) : null;
        if (shard == null) {
            throw new InvalidDataException(
                    index + ": " + tensor + " is in " + name + ", which is not a file of this directory");
        }
        if (!Files.isRegularFile(shard)) {
            throw new InvalidDataException(
                    index + ": " + tensor + " is in " + name + ", which is missing; download it too");
        }
        return shard;
    }

    /** Returns a file of the directory, or null if the name leads outside. */
    static @Nullable Path within(Path directory, String name) {
        try {
            Path own = directory.toAbsolutePath().normalize();
            Path file = own.resolve(name).normalize();
            return own.equals(file.getParent()) ? file : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private void put(String tensor, Path file) {
        String name = name(tensor);
        Place before = places.put(name, new Place(file, tensor));
        if (before != null) {
            throw new InvalidDataException(
                    directory + ": both " + before.tensor() + " and " + tensor + " are the parameter " + name);
        }
    }

    /** Returns a tensor's name in the text model. Base models saved by {@code AutoModel} omit the first part of each name. */
    private static String name(String tensor) {
        boolean base = BASE.stream().anyMatch(tensor::startsWith);
        return DecoderParameters.ofText(base ? "model." + tensor : tensor);
    }

    /** Returns the directory's path. */
    @Override
    public String toString() {
        return directory.toString();
    }

    Collection<Path> files() {
        return new TreeSet<>(places.values().stream().map(Place::file).toList());
    }

    /** Returns the place of one parameter; throws 65 if it is missing. */
    Place place(String name) {
        Place place = places.get(name);
        if (place == null) {
            throw new InvalidDataException(
                    directory + ": parameter " + name + " is missing; " + places.size() + " tensors exist");
        }
        return place;
    }

    /** Checks that a saved head equals the embedding it is tied to; transformers does not tie different ones. */
    private static void requireEqual(Place head, Place embedding) {
        try (SafeTensors ofHead = SafeTensors.open(head.file());
                SafeTensors ofEmbedding = SafeTensors.open(embedding.file())) {
            if (!SafeTensors.equal(ofHead, head.tensor(), ofEmbedding, embedding.tensor())) {
                throw new InvalidDataException(head.file() + ": " + head.tensor() + " is not " + embedding.tensor()
                        + ", but config.json has tie_word_embeddings = true; set it to false to use the head, or remove"
                        + " the head to use the embedding");
            }
        }
    }

    /** Throws 65 for a vision encoder with a missing or unknown parameter. */
    void requireTower(VisionConfig vision) {
        Set<String> expected = vision.parameterShapes().keySet();
        if (places.keySet().stream().noneMatch(name -> name.startsWith(VisionConfig.PREFIX))) {
            throw new InvalidDataException(
                    directory + ": config.json describes a vision encoder (vision_config), but no"
                            + " tensor is named " + VisionConfig.PREFIX
                            + "…; download the whole checkpoint, or remove vision_config to use only its text model");
        }
        expected.forEach(this::place);
        places.keySet().stream()
                .filter(name -> name.startsWith(VisionConfig.PREFIX) && !expected.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new InvalidDataException(
                            directory + ": tensor " + name + " is not part of the vision encoder of this config.json");
                });
    }

    /** Throws 65 for tensors that the configuration does not have, naming the first. */
    void refuseUnknown(DecoderConfig config) {
        TreeSet<String> unknown = new TreeSet<>(places.keySet());
        unknown.removeAll(config.parameterShapes().keySet());
        unknown.removeIf(name -> name.endsWith("rotary_emb.inv_freq"));
        if (config.family().positionAxes()) {
            unknown.removeIf(name -> UNREAD.stream().anyMatch(name::startsWith));
        }
        if (config.tiedEmbeddings() && unknown.remove(DecoderParameters.HEAD)) {
            requireEqual(place(DecoderParameters.HEAD), place(DecoderParameters.EMBEDDING));
        }
        if (!unknown.isEmpty()) {
            throw new InvalidDataException(
                    directory + ": tensors that a " + config.family().modelType()
                            + " decoder of this config.json does not have: "
                            + unknown.stream().limit(SHOWN).toList() + " (" + unknown.size() + " in all)");
        }
    }
}

package dev.prpf.par.training;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderParameters;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Tensors;
import dev.prpf.par.engine.TorchRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Adapters in PEFT's format: {@code adapter_config.json} and {@code adapter_model.safetensors}, with transformers' names of the base's
 * matrices.
 */
final class PeftDirectory {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CONFIG = "adapter_config.json";
    private static final String WEIGHTS = "adapter_model.safetensors";
    private static final String PREFIX = "base_model.model.";

    private PeftDirectory() {}

    /**
     * Writes adapters to a directory.
     *
     * @param directory created if missing; files of the same name are replaced
     * @param base the base model, for PEFT's {@code base_model_name_or_path}
     * @param tower whether the base has a vision encoder
     */
    public static void write(Path directory, LoraAdapters adapters, Path base, boolean tower) throws IOException {
        Files.createDirectories(directory);
        ObjectNode config = JSON.createObjectNode();
        config.put("peft_type", "LORA");
        config.put("task_type", "CAUSAL_LM");
        config.put("base_model_name_or_path", base.toString());
        config.put("r", adapters.settings().rank());
        config.put("lora_alpha", adapters.settings().alpha());
        config.put("lora_dropout", 0.0);
        config.put("bias", "none");
        config.put("fan_in_fan_out", false);
        config.put("inference_mode", true);
        Set<String> words = new TreeSet<>();
        adapters.targets().forEach(target -> words.add(LoraSettings.word(target)));
        words.forEach(config.putArray("target_modules")::add);
        Files.writeString(directory.resolve(CONFIG), config.toPrettyString() + "\n");
        Map<String, SafeTensors.Tensor> tensors = new LinkedHashMap<>();
        adapters.arrays()
                .forEach((name, array) -> tensors.put(
                        PREFIX + (tower ? DecoderParameters.ofVisionLanguage(name) : name), Tensors.float32(array)));
        SafeTensors.write(directory.resolve(WEIGHTS), tensors, Map.of("format", "pt"));
    }

    /**
     * Reads adapters of a decoder, with the names of a text model or of a vision-language model.
     *
     * @throws PrpfException 65 if a file is missing or not an adapter of this decoder: another type, missing or foreign tensors, other shapes
     */
    public static LoraAdapters read(Path directory, DecoderConfig config) {
        LoraSettings settings = settings(directory.resolve(CONFIG));
        Path file = directory.resolve(WEIGHTS);
        try (SafeTensors saved = SafeTensors.open(file)) {
            return Closing.ifRefused(TorchRuntime.newManager(), manager -> {
                Map<String, PtNDArray> arrays = new LinkedHashMap<>();
                Set<String> foreign = new TreeSet<>(saved.entries().keySet());
                settings.shapesIn(config).forEach((name, size) -> {
                    String own = PREFIX + name;
                    String multimodal = PREFIX + DecoderParameters.ofVisionLanguage(name);
                    String tensor = saved.entries().containsKey(multimodal) ? multimodal : own;
                    foreign.remove(tensor);
                    arrays.put(name, read(manager, saved, file, tensor, size));
                });
                if (!foreign.isEmpty()) {
                    throw new InvalidDataException(
                            file + ": " + foreign.iterator().next() + " and " + (foreign.size() - 1)
                                    + " more tensors do not belong to matrices that " + CONFIG + " names");
                }
                return new LoraAdapters(settings, settings.targetsIn(config), arrays, manager);
            });
        }
    }

    private static PtNDArray read(PtNDManager owner, SafeTensors saved, Path file, String tensor, long[] expected) {
        if (!saved.entries().containsKey(tensor)) {
            throw new InvalidDataException(file + ": tensor " + tensor + " is missing");
        }
        long[] found = saved.entry(tensor).shape();
        if (!Arrays.equals(expected, found)) {
            throw new InvalidDataException(file + ": " + tensor + " has shape " + Arrays.toString(found)
                    + ", by the model and " + CONFIG + " it must be " + Arrays.toString(expected));
        }
        return Tensors.read(owner, saved, tensor, Precision.FP32);
    }

    private static LoraSettings settings(Path file) {
        JsonNode config = JsonFile.read(file);
        if (!config.path("peft_type").asText().equals("LORA")
                || !config.path("r").isInt()
                || !config.path("lora_alpha").isNumber()
                || !config.path("target_modules").isArray()) {
            throw new InvalidDataException(
                    file + ": must have peft_type LORA, r, lora_alpha and a list target_modules");
        }
        List<String> targets = new ArrayList<>();
        config.path("target_modules").forEach(word -> targets.add(word.asText()));
        try {
            return new LoraSettings(
                    config.path("r").asInt(), config.path("lora_alpha").asDouble(), targets);
        } catch (IllegalArgumentException e) {
            throw new InvalidDataException(file + ": " + e.getMessage());
        }
    }
}

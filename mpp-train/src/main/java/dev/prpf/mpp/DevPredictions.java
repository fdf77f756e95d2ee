package dev.prpf.mpp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.data.run.AtomicFiles;
import dev.prpf.data.run.PrpfException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the best epoch said of each dev sample, kept in the run as {@code dev.jsonl}: a threshold is chosen from it without reading or
 * encoding a sample again.
 *
 * @param ids sample ids
 * @param pTrigger probabilities, in order
 * @param acts whether each sample wants an intervention
 */
public record DevPredictions(List<String> ids, double[] pTrigger, boolean[] acts) {
    private static final String FILE = "dev.jsonl";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Of labelled samples and what was said of them. */
    public static DevPredictions of(List<SampleFeatures> samples, List<Perception> perceptions) {
        double[] pTrigger =
                perceptions.stream().mapToDouble(Perception::pTrigger).toArray();
        boolean[] acts = new boolean[samples.size()];
        for (int i = 0; i < acts.length; i++) {
            acts[i] = Boolean.TRUE.equals(samples.get(i).intervention());
        }
        return new DevPredictions(samples.stream().map(SampleFeatures::id).toList(), pTrigger, acts);
    }

    /** Writes the file into a run directory. */
    public void save(Path run) {
        StringBuilder lines = new StringBuilder();
        try {
            for (int i = 0; i < acts.length; i++) {
                Map<String, Object> line = new LinkedHashMap<>();
                line.put("id", ids.get(i));
                line.put("acts", acts[i]);
                line.put("p_trigger", pTrigger[i]);
                lines.append(JSON.writeValueAsString(line)).append('\n');
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        AtomicFiles.writeText(run.resolve(FILE), lines.toString());
    }

    /** @throws PrpfException 69 if the run has none, 65 if the file is damaged */
    public static DevPredictions load(Path run) {
        Path file = run.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            throw PrpfException.unavailable(
                    file + ": does not exist; it is written when `prpf mpp train --run-dir " + run + "` ends");
        }
        try {
            List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
            String[] ids = new String[lines.size()];
            double[] pTrigger = new double[lines.size()];
            boolean[] acts = new boolean[lines.size()];
            for (int i = 0; i < lines.size(); i++) {
                JsonNode line = JSON.readTree(lines.get(i));
                ids[i] = line.required("id").asText();
                pTrigger[i] = line.required("p_trigger").asDouble();
                acts[i] = line.required("acts").asBoolean();
            }
            return new DevPredictions(List.of(ids), pTrigger, acts);
        } catch (IOException | IllegalArgumentException e) {
            throw PrpfException.badData(file + ": cannot be read: " + e.getMessage());
        }
    }
}

package dev.prpf.par.rollout;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.prpf.data.run.AtomicFiles;
import dev.prpf.data.run.PrpfException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Rollout groups as JSON Lines, a group a line; its keys are the records' components in snake case. */
public final class RolloutLines {
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .serializationInclusion(JsonInclude.Include.ALWAYS)
            .build();

    private RolloutLines() {}

    /** One line, without its end. */
    public static String line(RolloutGroup group) {
        try {
            return JSON.writeValueAsString(group);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes a whole file in one step; see {@link AtomicFiles}. */
    public static void write(Path file, List<RolloutGroup> groups) {
        AtomicFiles.write(file, out -> {
            for (RolloutGroup group : groups) {
                out.write((line(group) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        });
    }

    /**
     * Reads a file group by group; memory holds one.
     *
     * @throws PrpfException 65, naming file and line, for a line that is no group, an id that stands twice, a group of another provenance
     *     than the first, or a file without groups
     */
    public static void read(Path file, Consumer<RolloutGroup> groups) {
        Map<String, Integer> lineOfId = new HashMap<>();
        @Nullable RolloutProvenance provenance = null;
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                if (line.isBlank()) {
                    continue;
                }
                String place = file + ":" + number;
                RolloutGroup group = parse(place, line);
                Integer before = lineOfId.put(group.id(), number);
                if (before != null) {
                    throw PrpfException.badData(place + ": id \"" + group.id() + "\" stands in line " + before
                            + " already; a prompt has one group");
                }
                provenance = provenance == null ? group.provenance() : provenance;
                requireSame(place, provenance, group.provenance());
                groups.accept(group);
            }
        } catch (IOException e) {
            throw PrpfException.badData(file + ": cannot be read as rollouts: " + e);
        }
        if (provenance == null) {
            throw PrpfException.badData(file + ": holds no rollout groups");
        }
    }

    private static void requireSame(String place, RolloutProvenance first, RolloutProvenance other) {
        if (!first.equals(other)) {
            throw PrpfException.badData(place + ": its rollouts come from " + other + ", those before from " + first
                    + "; rollouts of one file have one policy, prompt, reward and way of sampling");
        }
    }

    private static RolloutGroup parse(String place, String line) {
        try {
            RolloutGroup group = JSON.readValue(line, RolloutGroup.class);
            if (group == null) {
                throw PrpfException.badData(place + ": is no rollout group: null");
            }
            return group;
        } catch (ValueInstantiationException e) {
            String why =
                    e.getCause() instanceof IllegalArgumentException rule ? rule.getMessage() : e.getOriginalMessage();
            throw PrpfException.badData(place + ": is no rollout group: " + why);
        } catch (JsonProcessingException e) {
            throw PrpfException.badData(place + ": is no rollout group: "
                    + e.getOriginalMessage().replaceFirst("; `DeserializationFeature.*", ""));
        }
    }
}

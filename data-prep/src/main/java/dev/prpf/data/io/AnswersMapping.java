package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a record keeps its valid answers. The published files differ in the key, so a list of JSON Pointers is tried; a user adds
 * pointers with {@code --answers-key}, or for every command with the environment variable {@value #ENVIRONMENT} (comma-separated).
 * What stands at the place is read by {@link FunctionCallJson}.
 *
 * @param preferred the user's pointers; the first that is present wins
 */
public record AnswersMapping(List<JsonPointer> preferred) {
    /** Names further pointers for every command, comma-separated. */
    public static final String ENVIRONMENT = "PRPF_ANSWERS_KEYS";

    /** The pointers tried after the user's own; {@code recommendations} is what our writer emits. */
    public static final List<JsonPointer> KNOWN = List.of(
            JsonPointer.compile("/recommendations"),
            JsonPointer.compile("/recommendation"),
            JsonPointer.compile("/recommended_actions"),
            JsonPointer.compile("/option/expected_recommendation"),
            JsonPointer.compile("/benchmark_metadata/expected_recommendation"));

    private static final String PREFIX = "recom";

    public AnswersMapping {
        preferred = List.copyOf(preferred);
    }

    /**
     * The answers of one record.
     *
     * @param path their pointer
     * @param json what stands there
     */
    public record Located(String path, JsonNode json) {}

    /**
     * The pointers known, after those that the environment adds.
     *
     * @throws PrpfException 2 if one of them is no JSON Pointer
     */
    public static AnswersMapping standard() {
        return standard(System.getenv());
    }

    static AnswersMapping standard(Map<String, String> environment) {
        String configured = environment.get(ENVIRONMENT);
        return configured == null || configured.isBlank()
                ? new AnswersMapping(List.of())
                : of(ENVIRONMENT, Arrays.asList(configured.split(",", -1)));
    }

    /**
     * A mapping that tries these pointers first.
     *
     * @throws PrpfException 2 if one of them is no JSON Pointer
     */
    public static AnswersMapping of(List<String> pointers) {
        return of("--answers-key", pointers);
    }

    private static AnswersMapping of(String origin, List<String> pointers) {
        return new AnswersMapping(
                pointers.stream().map(pointer -> compile(origin, pointer)).toList());
    }

    /** These pointers first, then those of this mapping. */
    public AnswersMapping preferring(List<String> pointers) {
        List<JsonPointer> all = new ArrayList<>(of(pointers).preferred);
        all.addAll(preferred);
        return new AnswersMapping(all);
    }

    private static JsonPointer compile(String origin, String pointer) {
        String trimmed = pointer.strip();
        if (!trimmed.startsWith("/")) {
            throw new UsageException(origin + " = \"" + pointer
                    + "\" is no JSON Pointer: it must begin with \"/\", as in /option/expected_recommendation");
        }
        return JsonPointer.compile(trimmed);
    }

    /**
     * The answers of a record, or null where it has none (it is unlabelled). Two known keys with different values are a defect, and so
     * is a record whose only candidate is a key beginning with {@code recom} that nobody named: neither is guessed at.
     */
    public @Nullable Located find(JsonNode record, Consumer<Defect> defects) {
        for (JsonPointer pointer : preferred) {
            JsonNode value = record.at(pointer);
            if (!value.isMissingNode()) {
                return new Located(pointer.toString(), value);
            }
        }
        List<Located> present = KNOWN.stream()
                .map(pointer -> new Located(pointer.toString(), record.at(pointer)))
                .filter(located -> !located.json().isMissingNode())
                .toList();
        if (present.isEmpty()) {
            reportUnknownKeys(record, defects);
            return null;
        }
        Located first = present.get(0);
        present.stream()
                .filter(other -> !other.json().equals(first.json()))
                .forEach(other -> defects.accept(ambiguous(first, other)));
        return first;
    }

    private static Defect ambiguous(Located first, Located other) {
        return Defect.fatal(
                other.path(),
                "ambiguous-answers",
                other.json(),
                "differs from the answers at " + first.path() + "; remove one, or say which counts with --answers-key");
    }

    private static void reportUnknownKeys(JsonNode record, Consumer<Defect> defects) {
        record.fieldNames().forEachRemaining(key -> {
            if (key.startsWith(PREFIX)) {
                defects.accept(Defect.fatal(
                        JsonText.member("", key),
                        "unknown-answers-key",
                        record.get(key),
                        "looks like the answers, but the keys known are " + KNOWN + "; add it with --answers-key "
                                + JsonText.member("", key) + " or " + ENVIRONMENT));
            }
        });
    }
}

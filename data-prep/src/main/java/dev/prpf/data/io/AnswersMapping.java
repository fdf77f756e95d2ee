package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the valid answers of a record. Published files differ in the key, so a list of JSON Pointers is tried. Users add pointers
 * with {@code --answers-key}, or for all commands with the environment variable {@value #ENVIRONMENT} (comma-separated).
 * {@link FunctionCallJson} reads the answers.
 *
 * @param preferred the user's pointers; the first that is present wins
 */
public record AnswersMapping(List<JsonPointer> preferred) implements Serializable {
    /** Environment variable with further pointers for all commands, comma-separated. */
    public static final String ENVIRONMENT = "PRPF_ANSWERS_KEYS";

    /** The pointers tried after the user's own; our writer uses {@code recommendations}. */
    public static final List<JsonPointer> KNOWN = Stream.of(
                    "/recommendations",
                    "/recommendation",
                    "/recommended_actions",
                    "/option/expected_recommendation",
                    "/benchmark_metadata/expected_recommendation")
            .map(JsonPointer::compile)
            .toList();

    private static final String PREFIX = "recom";

    public AnswersMapping {
        preferred = List.copyOf(preferred);
    }

    /**
     * The answers found in a record.
     *
     * @param path their pointer
     * @param json their value
     */
    public record Located(String path, JsonNode json) {
        private static Stream<Located> in(JsonNode record, List<JsonPointer> pointers) {
            return pointers.stream()
                    .map(pointer -> new Located(pointer.toString(), record.at(pointer)))
                    .filter(located -> !located.json.isMissingNode());
        }
    }

    /**
     * Returns the known pointers, preceded by those of the environment.
     *
     * @throws PrpfException 2 for an invalid JSON Pointer
     */
    public static AnswersMapping standard() {
        return standard(System.getenv());
    }

    static AnswersMapping standard(Map<String, String> environment) {
        String configured = environment.getOrDefault(ENVIRONMENT, "");
        List<String> pointers = configured.isBlank() ? List.of() : Arrays.asList(configured.split(",", -1));
        return new AnswersMapping(compile(ENVIRONMENT, pointers).toList());
    }

    /**
     * Returns a mapping that tries these pointers first.
     *
     * @throws PrpfException 2 for an invalid JSON Pointer
     */
    public AnswersMapping preferring(List<String> pointers) {
        return new AnswersMapping(Stream.concat(compile("--answers-key", pointers), preferred.stream())
                .toList());
    }

    private static Stream<JsonPointer> compile(String origin, List<String> pointers) {
        return pointers.stream().map(pointer -> {
            if (!pointer.strip().startsWith("/")) {
                throw new UsageException(origin + " = \"" + pointer
                        + "\" is not a JSON Pointer: it must begin with \"/\", as in /option/expected_recommendation");
            }
            return JsonPointer.compile(pointer.strip());
        });
    }

    /**
     * Returns the answers of a record, or null if it is unlabelled. Two known keys with different values are a defect. So is an
     * unknown key that begins with {@code recom} in a record without known keys.
     */
    public @Nullable Located find(JsonNode record, Defect.Sink defects) {
        List<Located> chosen = Located.in(record, preferred).toList();
        if (!chosen.isEmpty()) {
            return chosen.get(0);
        }
        List<Located> present = Located.in(record, KNOWN).toList();
        if (present.isEmpty()) {
            reportUnknownKeys(record, defects);
            return null;
        }
        Located first = present.get(0);
        String message =
                "differs from the answers at " + first.path() + "; remove one, or select one with --answers-key";
        present.stream()
                .filter(other -> !other.json().equals(first.json()))
                .forEach(other -> defects.fatal(other.path(), "ambiguous-answers", other.json(), message));
        return first;
    }

    private static void reportUnknownKeys(JsonNode record, Defect.Sink defects) {
        record.properties().stream()
                .filter(field -> field.getKey().startsWith(PREFIX))
                .forEach(field -> {
                    String path = JsonText.member("", field.getKey());
                    String message = "looks like the answers, but the known keys are " + KNOWN
                            + "; add it with --answers-key " + path + " or " + ENVIRONMENT;
                    defects.fatal(path, "unknown-answers-key", field.getValue(), message);
                });
    }
}

package dev.prpf.par.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;

/**
 * An action in PARE's text form (arXiv 2604.00842): {@code Thought: …}, then {@code Action:}, then {@code {"action": "App__function",
 * "action_input": {…}}<end_action>}. {@link #read} follows PARE's parser; {@link #write} escapes all that this parser would change.
 *
 * @param thought the reason, before the action
 * @param name {@code App__function}
 */
public record ActionForm(String thought, String name, Map<String, JsonNode> input) {
    private static final String THOUGHT = "Thought:";
    private static final String ACTION = "Action:";
    private static final String END = "<end_action>";
    private static final String OBSERVATION = "Observation:";
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
            .build();

    /** JSON escapes, and words that PARE's parser changes or reads as the end. */
    private static final Pattern TRAP = Pattern.compile("\\\\.|True|False|Action:|Observation:|<end_action>");

    /**
     * Reads the action of a reply.
     *
     * @throws InvalidDataException if PARE's parser refuses it
     */
    public static ActionForm read(String reply) {
        int actions = StringUtils.countMatches(reply, ACTION);
        require(actions == 1, "a reply has \"" + ACTION + "\" " + actions + " times, must have it once");
        String cut = StringUtils.substringBefore(StringUtils.substringBefore(reply, END), OBSERVATION);
        String text = StringUtils.substringAfter(cut, ACTION)
                .replace("True", "true")
                .replace("False", "false")
                .replace("\\\"", "'");
        require(text.indexOf('{') >= 0 && text.lastIndexOf('}') > text.indexOf('{'), "the action has no {…}");
        JsonNode json = tree(text.substring(text.indexOf('{'), text.lastIndexOf('}') + 1));
        String name = json.path("action").asText();
        require(
                name.matches("\\w+") && name.split("__", -1).length == 2,
                "\"action\" = " + json.path("action") + ", must be App__function");
        JsonNode input = json.path("action_input");
        require(input.isObject() || input.isMissingNode(), "\"action_input\" = " + input + ", must be an object");
        Map<String, JsonNode> with = new TreeMap<>();
        input.properties().forEach(argument -> with.put(argument.getKey(), argument.getValue()));
        String thought = StringUtils.substringBefore(cut, ACTION).replaceFirst("^\\s*" + THOUGHT, "");
        return new ActionForm(thought.strip(), name, with);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new InvalidDataException(message);
        }
    }

    private static JsonNode tree(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new InvalidDataException("the action is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** Returns whether another action has the same name and input. */
    public boolean isLike(ActionForm other) {
        return name.equals(other.name) && input.equals(other.input);
    }

    /** Returns the text of the action; {@link #read} gives the action back. */
    public String write() {
        ObjectNode json = JSON.createObjectNode().put("action", name);
        json.putObject("action_input").setAll(input);
        String plain = thought.replace(ACTION, "Action")
                .replace(OBSERVATION, "Observation")
                .replace(END, "");
        String escaped = TRAP.matcher(json.toString()).replaceAll(trap -> escaped(trap.group()));
        return THOUGHT + " " + plain + "\n\n" + ACTION + "\n" + escaped + END;
    }

    /** Replaces a quotation mark, a backslash, or the first letter of a word by its Unicode escape. */
    private static String escaped(String trap) {
        boolean escape = trap.charAt(0) == '\\';
        boolean harmless = escape && trap.charAt(1) != '"' && trap.charAt(1) != '\\';
        String code = "\\u%04x%s".formatted((int) trap.charAt(escape ? 1 : 0), escape ? "" : trap.substring(1));
        return Matcher.quoteReplacement(harmless ? trap : code);
    }
}

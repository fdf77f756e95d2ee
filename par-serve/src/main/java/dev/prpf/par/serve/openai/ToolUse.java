package dev.prpf.par.serve.openai;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.par.chat.ToolCallReader.Tool;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The functions of a chat, and whether they are called.
 *
 * @param tools as received, {@code {"type": "function", "function": {"name", "description", "parameters"}}}; the template writes them
 * @param callable the functions that {@code tool_choice} lets the model call; may be empty
 * @param strict names of functions with arguments that must match their schemas in every call
 * @param required whether the model must call a function
 * @param parallel whether several may be called at once
 */
record ToolUse(List<JsonNode> tools, List<Tool> callable, List<String> strict, boolean required, boolean parallel) {
    static final JsonNode ANY_OBJECT = JsonNodeFactory.instance.objectNode().put("type", "object");

    /** OpenAI's limit of functions. */
    private static final int MOST = 128;

    /** @throws ApiException 400 for too many tools, tools of another type, a duplicate name, or a choice of an unknown function */
    static ToolUse of(RequestFields body) {
        List<JsonNode> tools = new ArrayList<>();
        Map<String, Tool> functions = new LinkedHashMap<>();
        List<String> strict = new ArrayList<>();
        int count = body.list("tools").size();
        if (count > MOST) {
            throw ApiException.invalid("tools", "tools has " + count + " functions, must have at most " + MOST);
        }
        for (RequestFields tool : body.objects("tools")) {
            if (!tool.requiredText("type").equals("function")) {
                throw tool.wrong("type", tool.required("type"), "\"function\"");
            }
            RequestFields function = tool.requiredObject("function");
            Tool named = tool(function);
            if (functions.put(named.name(), named) != null) {
                throw ApiException.invalid(
                        function.path("name"), function.path("name") + " is a duplicate: " + named.name());
            }
            if (function.flag("strict", false)) {
                strict.add(named.name());
            }
            tools.add(tool.object());
        }
        return chosen(body, tools, functions, strict);
    }

    private static Tool tool(RequestFields function) {
        String name = function.requiredText("name");
        if (name.isBlank()) {
            throw function.wrong("name", function.required("name"), "a name that is not blank");
        }
        JsonNode parameters = function.json("parameters");
        return new Tool(name, parameters == null || hasNone(parameters) ? Tool.NO_PARAMETERS : parameters);
    }

    /** Returns whether a function has no parameters: clients and MCP servers send {} or an object without properties, or omit them. */
    private static boolean hasNone(JsonNode parameters) {
        return (parameters.isObject() && parameters.isEmpty()) || parameters.equals(ANY_OBJECT);
    }

    private static ToolUse chosen(
            RequestFields body, List<JsonNode> tools, Map<String, Tool> functions, List<String> strict) {
        JsonNode given = body.json("tool_choice");
        String named = given == null ? null : named(given);
        String choice = named != null ? "required" : given == null ? "auto" : given.asText();
        if (!List.of("none", "auto", "required").contains(choice)) {
            throw body.wrong(
                    "tool_choice",
                    Objects.requireNonNull(given),
                    "none, auto, required or {\"type\": \"function\", \"function\": {\"name\": …}}");
        }
        boolean required = choice.equals("required");
        if (required && functions.isEmpty()) {
            throw ApiException.invalid("tool_choice", "tool_choice needs tools, but tools is empty");
        }
        Tool only = named == null ? null : functions.get(named);
        if (named != null && only == null) {
            throw ApiException.invalid(
                    "tool_choice",
                    "tool_choice names " + named + ", which is not one of the tools " + functions.keySet());
        }
        List<Tool> callable = choice.equals("none") ? List.of() : List.copyOf(functions.values());
        boolean parallel = body.flag("parallel_tool_calls", true);
        return new ToolUse(tools, only == null ? callable : List.of(only), strict, required, parallel && only == null);
    }

    /** Returns the name of the function that must be called, or null. */
    private static @Nullable String named(JsonNode choice) {
        String name = choice.path("function").path("name").asText();
        return choice.path("type").asText().equals("function") && !name.isEmpty() ? name : null;
    }
}

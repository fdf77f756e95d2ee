package dev.prpf.par.serve.openai.answer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.RequestFields;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The functions of a chat, and whether they are called.
 *
 * @param tools as received, {@code {"type": "function", "function": {"name", "description", "parameters"}}}; the template writes them
 * @param names of the functions, in order
 * @param choice whether they are called
 * @param strict names of functions with arguments that must match their schemas in every call
 * @param parallel whether several may be called at once
 */
public record ToolUse(List<JsonNode> tools, List<String> names, List<String> strict, Choice choice, boolean parallel) {
    /** The values of OpenAI's {@code tool_choice}. */
    public sealed interface Choice {
        /** No function is called. */
        record None() implements Choice {}

        /** The model decides whether to call functions. */
        record Auto() implements Choice {}

        /** The model calls at least one function. */
        record Required() implements Choice {}

        /** The model calls this function. */
        record Named(String name) implements Choice {}
    }

    /** OpenAI's limit of functions. */
    private static final int MOST = 128;

    public ToolUse {
        tools = List.copyOf(tools);
        names = List.copyOf(names);
        strict = List.copyOf(strict);
    }

    /** @throws ApiException 400 for too many tools, tools of another type, a duplicate name, or a choice of an unknown function */
    public static ToolUse of(RequestFields body) {
        List<JsonNode> tools = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        List<String> strict = new ArrayList<>();
        int count = body.list("tools").size();
        if (count > MOST) {
            throw ApiException.invalid("tools", "tools has " + count + " functions, must have at most " + MOST);
        }
        for (RequestFields tool : body.objects("tools")) {
            if (!tool.requiredText("type").equals("function")) {
                throw tool.wrong("type", tool.required("type"), "\"function\"");
            }
            tool.required("function");
            RequestFields function = Objects.requireNonNull(tool.object("function"));
            String name = function.requiredText("name");
            if (name.isBlank()) {
                throw function.wrong("name", function.required("name"), "a name that is not blank");
            }
            if (!names.add(name)) {
                throw ApiException.invalid(function.path("name"), function.path("name") + " is a duplicate: " + name);
            }
            if (function.flag("strict", false)) {
                strict.add(name);
            }
            tools.add(tool.object());
        }
        return new ToolUse(
                tools,
                List.copyOf(names),
                strict,
                choice(body, List.copyOf(names)),
                body.flag("parallel_tool_calls", true));
    }

    private static Choice choice(RequestFields body, List<String> names) {
        JsonNode given = body.json("tool_choice");
        Choice choice = given == null ? (names.isEmpty() ? new Choice.None() : new Choice.Auto()) : choice(body, given);
        if (names.isEmpty() && !(choice instanceof Choice.None)) {
            if (choice instanceof Choice.Auto) {
                return new Choice.None();
            }
            throw ApiException.invalid("tool_choice", "tool_choice needs tools, but tools is empty");
        }
        if (choice instanceof Choice.Named named && !names.contains(named.name())) {
            throw ApiException.invalid(
                    "tool_choice", "tool_choice names " + named.name() + ", which is not one of the tools " + names);
        }
        return choice;
    }

    private static Choice choice(RequestFields body, JsonNode given) {
        if (given.isObject()) {
            String name = given.path("function").path("name").asText();
            if (given.path("type").asText().equals("function") && !name.isEmpty()) {
                return new Choice.Named(name);
            }
        }
        return switch (given.asText()) {
            case "none" -> new Choice.None();
            case "auto" -> new Choice.Auto();
            case "required" -> new Choice.Required();
            default ->
                throw body.wrong(
                        "tool_choice",
                        given,
                        "none, auto, required or {\"type\": \"function\", \"function\": {\"name\": …}}");
        };
    }
}

package dev.prpf.par.serve.page;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import org.apache.commons.lang3.StringUtils;

/** Renders the Python client's types and methods from the OpenAPI document: a {@code TypedDict} an object, a method an operation. */
final class PythonClient {
    /** Paths for the page and for trainers; the package openai is a client of the tag with that name. */
    static final Set<String> EXCLUDED =
            Set.of("openapi", "playground", "playgroundPool", "openrlhfReward", "slimeReward");

    private static final String HEAD =
            """
            \"""Types and methods of PRPF's server. PythonClientTest renders this file from openapi.json, with -Dprpf.write=true.\"""
            from collections.abc import Iterator
            from typing import Any, Literal, NotRequired, TypedDict

            from prpf_client.http import Event, Http, part

            """;
    private static final String CLASS =
            """

            class Client(Http):
                \"""One method an operation; None leaves a field out. See prpf_client.http for address, key, timeout and errors.\"""
            """;
    private static final Map<String, String> SCALARS = Map.of(
            "string", "str", "integer", "int", "number", "float", "boolean", "bool", "null", "None", "array", "list");

    private final JsonNode document;
    private final Map<String, String> classes = new LinkedHashMap<>();
    private final List<String> methods = new ArrayList<>();

    /** A parameter of a method, with the type in Python. */
    private record Argument(String name, String type, boolean required, String description) {
        String line() {
            String text = required ? name + ": " + type + "," : name + ": " + type + " | None = None,";
            return "        " + text + comment(description) + "\n";
        }

        String entry() {
            return "\"" + name + "\": " + name;
        }
    }

    private PythonClient(JsonNode document) {
        this.document = document;
    }

    /** Returns the text of {@code prpf_client/api.py}. */
    static String render(JsonNode document) {
        PythonClient client = new PythonClient(document);
        document.get("paths").properties().forEach(path -> path.getValue()
                .properties()
                .forEach(operation -> client.operation(operation.getKey(), path.getKey(), operation.getValue())));
        return HEAD + String.join("", client.classes.values()) + CLASS + String.join("", client.methods);
    }

    private void operation(String method, String path, JsonNode operation) {
        String id = operation.get("operationId").textValue();
        if (EXCLUDED.contains(id) || operation.at("/tags/0").textValue().equals("openai")) {
            return;
        }
        String verb = method.toUpperCase(Locale.ROOT);
        String request = '"' + verb + "\", " + (path.contains("{") ? "f" : "") + '"'
                + path.replaceAll("\\{(\\w+)}", "{part($1)}") + '"';
        String summary = operation.get("summary").textValue() + " (" + verb + " " + path + ").";
        List<Argument> arguments = arguments(operation, id);
        JsonNode answers = operation.at("/responses/200/content");
        String type = answers.has("application/json")
                ? type(answers.at("/application~1json/schema"), StringUtils.capitalize(id) + "Result")
                : answers.has("image/*") ? "bytes" : "str";
        String fields = fields(path, arguments);
        String values = fields.isEmpty() ? "" : (method.equals("get") ? ", query={" : ", body={") + fields + "}";
        String function = Map.of("bytes", "_bytes(", "str", "_text(").getOrDefault(type, "_json(" + type + ", ");
        add(snake(id), path, arguments, summary, type + "=self." + function + request + values + ")");
        if (answers.has("text/event-stream")) {
            String call = "self._events(" + request + ", body={" + fields + ", \"stream\": True})";
            add(snake(id) + "_stream", path, arguments, "Events of: " + summary, "Iterator[Event]=" + call);
        }
    }

    /** Returns the entries of the body or of the query. */
    private static String fields(String path, List<Argument> arguments) {
        return arguments.stream()
                .filter(argument -> !path.contains("{" + argument.name() + "}"))
                .map(Argument::entry)
                .collect(Collectors.joining(", "));
    }

    /** Adds a method, given its type and its call as {@code TYPE=CALL}. */
    private void add(String name, String path, List<Argument> arguments, String summary, String result) {
        StringBuilder text = new StringBuilder("\n    def " + name + "(\n        self,\n");
        boolean named = false;
        for (Argument argument : arguments) {
            if (!named && !path.contains("{" + argument.name() + "}")) {
                text.append("        *,\n");
                named = true;
            }
            text.append(argument.line());
        }
        String header = arguments.isEmpty() ? "\n    def " + name + "(self) -> " : text + "    ) -> ";
        String body = ":\n        \"\"\"" + summary + "\"\"\"\n        return ";
        methods.add(header + result.replaceFirst("=", Matcher.quoteReplacement(body)) + "\n");
    }

    /** Returns the parameters of the path, then the required fields, then the others. */
    private List<Argument> arguments(JsonNode operation, String id) {
        List<Argument> arguments = new ArrayList<>();
        for (JsonNode parameter : operation.path("parameters")) {
            boolean inPath = parameter.get("in").textValue().equals("path");
            arguments.add(new Argument(
                    parameter.get("name").textValue(),
                    inPath ? "str" : type(parameter.get("schema"), ""),
                    inPath,
                    parameter.path("description").asText()));
        }
        JsonNode body = operation.at("/requestBody/content/application~1json/schema");
        Map<String, Argument> properties = new LinkedHashMap<>();
        collect(body, StringUtils.capitalize(id), properties);
        properties.remove("stream");
        properties.values().stream().filter(Argument::required).forEach(arguments::add);
        properties.values().stream().filter(field -> !field.required()).forEach(arguments::add);
        return arguments;
    }

    /** Collects the fields of a body; of alternatives the first one. */
    private void collect(JsonNode schema, String owner, Map<String, Argument> fields) {
        if (schema.has("$ref")) {
            collect(resolved(schema), component(schema), fields);
            return;
        }
        schema.path("allOf").forEach(part -> collect(part, owner, fields));
        if (schema.has("anyOf")) {
            collect(schema.at("/anyOf/0"), owner, fields);
        }
        Set<String> required = required(schema);
        schema.path("properties").properties().forEach(field -> {
            String type = type(field.getValue(), owner + StringUtils.capitalize(field.getKey()));
            String description = field.getValue().path("description").asText();
            fields.put(
                    field.getKey(), new Argument(field.getKey(), type, required.contains(field.getKey()), description));
        });
    }

    private static Set<String> required(JsonNode schema) {
        Set<String> required = new LinkedHashSet<>();
        schema.path("required").forEach(name -> required.add(name.textValue()));
        return required;
    }

    private JsonNode resolved(JsonNode schema) {
        return schema.has("$ref") ? document.at(schema.get("$ref").textValue().substring(1)) : schema;
    }

    private static String component(JsonNode reference) {
        return StringUtils.substringAfterLast(reference.get("$ref").textValue(), "/");
    }

    /** Returns the type in Python, and defines the classes that it needs; an object without a name gets this one. */
    private String type(JsonNode schema, String name) {
        if (schema.has("$ref")) {
            return type(resolved(schema), component(schema));
        }
        JsonNode variants = schema.has("oneOf") ? schema.get("oneOf") : schema.path("type");
        if (variants.isArray()) {
            Set<String> types = new LinkedHashSet<>();
            for (JsonNode variant : variants) {
                boolean taken = types.contains(name) && variant.has("properties");
                types.add(variant.isTextual() ? scalar(variant) : type(variant, taken ? name + "2" : name));
            }
            return String.join(" | ", types);
        }
        if (schema.has("enum")) {
            return "Literal" + schema.get("enum").toString().replace(",", ", ");
        }
        return switch (schema.path("type").asText()) {
            case "" -> "Any";
            case "array" -> "list[" + type(schema.get("items"), name.replaceFirst("s$", "")) + "]";
            case "object" -> object(schema, name);
            default -> scalar(schema.get("type"));
        };
    }

    private static String scalar(JsonNode type) {
        return Objects.requireNonNull(SCALARS.get(type.textValue()), type.toString());
    }

    private String object(JsonNode schema, String name) {
        if (!schema.has("properties")) {
            JsonNode values = schema.path("additionalProperties");
            return "dict[str, " + (values.isMissingNode() ? "Any" : type(values, name)) + "]";
        }
        StringBuilder text = new StringBuilder("\nclass " + name + "(TypedDict):\n");
        if (schema.has("description")) {
            text.append("    \"\"\"")
                    .append(schema.get("description").textValue())
                    .append("\"\"\"\n\n");
        }
        Set<String> required = required(schema);
        schema.get("properties").properties().forEach(field -> {
            String type = type(field.getValue(), name + StringUtils.capitalize(field.getKey()));
            text.append("    ").append(field.getKey()).append(": ");
            text.append(required.contains(field.getKey()) ? type : "NotRequired[" + type + "]");
            text.append(comment(field.getValue().path("description").asText())).append("\n");
        });
        String before = classes.putIfAbsent(name, text + "\n");
        if (before != null && !before.equals(text + "\n")) {
            throw new IllegalStateException("two objects of openapi.json would be the class " + name);
        }
        return name;
    }

    private static String comment(String description) {
        return description.isEmpty() ? "" : "  # " + description;
    }

    private static String snake(String id) {
        return id.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }
}

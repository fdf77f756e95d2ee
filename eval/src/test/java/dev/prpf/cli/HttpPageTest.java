package dev.prpf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Holds the page on HTTP to the OpenAPI document of the server. With {@code -Dprpf.write=true} it writes the page. */
class HttpPageTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "HTTP.md");
    private static final String DOCUMENT = "/dev/prpf/par/serve/page/openapi.json";
    private final StringBuilder page = new StringBuilder();
    private final JsonNode api = read();
    private final Map<String, String> errors = new TreeMap<>();

    @Test
    void page_hasEveryRouteOfTheDocument() throws IOException {
        page.append("# HTTP\n\nThe routes of `prpf serve`, from the document at `/openapi.json`. ")
                .append("[SERVE](../SERVE.md) explains them. `HttpPageTest` writes this page.\n");
        for (JsonNode tag : api.path("tags")) {
            page.append("\n## ").append(tag.path("name").asText()).append("\n");
            page.append("Routes for ").append(tag.path("description").asText()).append(".\n");
            api.path("paths")
                    .properties()
                    .forEach(path -> path.getValue().properties().forEach(method -> {
                        if (method.getValue().path("tags").path(0).equals(tag.path("name"))) {
                            route(method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(), method.getValue());
                        }
                    }));
        }
        page.append("\n## Errors\nThe body of an error is an [Error](#error).\n\n");
        page.append(SchemaText.row("status", "meaning")).append("|---|---|\n");
        errors.forEach((status, meaning) -> page.append(SchemaText.row(status, meaning)));
        page.append("\n## Types\n");
        api.path("components").path("schemas").properties().forEach(schema -> {
            page.append("\n### ").append(schema.getKey()).append("\n");
            fields(schema.getValue());
        });
        if (Boolean.getBoolean("prpf.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE).as("run this test with -Dprpf.write=true").content().isEqualTo(page.toString());
    }

    private static JsonNode read() {
        try (InputStream document = HttpPageTest.class.getResourceAsStream(DOCUMENT)) {
            return new ObjectMapper().readTree(document);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void route(String name, JsonNode route) {
        page.append("\n### `").append(name).append("`\n");
        page.append(route.path("summary").asText()).append(".\n");
        if (route.has("parameters")) {
            ObjectNode properties = new ObjectMapper().createObjectNode();
            for (JsonNode parameter : route.path("parameters")) {
                ObjectNode property = parameter.path("schema").deepCopy();
                if (parameter.has("description")) {
                    property.set("description", parameter.path("description"));
                }
                properties.set(parameter.path("name").asText(), property);
            }
            table("parameter", properties, required(route.path("parameters")));
        }
        JsonNode body = route.path("requestBody")
                .path("content")
                .path("application/json")
                .path("schema");
        if (!body.isMissingNode()) {
            fields(body);
        }
        List<String> failures = new ArrayList<>();
        route.path("responses").properties().forEach(status -> {
            JsonNode answer = status.getValue();
            if (answer.has("$ref")) {
                failures.add(status.getKey());
                errors.put(status.getKey(), resolved(answer).path("description").asText());
            } else {
                answer(status.getKey(), answer);
            }
        });
        if (!failures.isEmpty()) {
            page.append("\n[Errors](#errors): ")
                    .append(String.join(", ", failures))
                    .append(".\n");
        }
    }

    private void answer(String status, JsonNode answer) {
        List<String> bodies = new ArrayList<>();
        answer.path("content").properties().forEach(content -> {
            boolean json = content.getKey().endsWith("json");
            bodies.add(json ? SchemaText.type(content.getValue().path("schema")) : "`" + content.getKey() + "`");
        });
        page.append("\nAnswer ").append(status).append(": ");
        page.append(answer.path("description").asText());
        page.append(bodies.isEmpty() ? "" : " (" + String.join(" or ", bodies) + ")")
                .append(".\n");
        JsonNode schema = answer.path("content").path("application/json").path("schema");
        if (schema.has("properties")) {
            fields(schema);
        }
    }

    private static List<String> required(JsonNode parameters) {
        List<String> names = new ArrayList<>();
        parameters.forEach(parameter -> {
            if (parameter.path("required").asBoolean()) {
                names.add(parameter.path("name").asText());
            }
        });
        return names;
    }

    private JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? api.at(node.path("$ref").asText().substring(1)) : node;
    }

    /** Appends the fields of an object, or the types that a value of another kind may have. */
    private void fields(JsonNode schema) {
        if (schema.has("description")) {
            page.append("\n").append(schema.path("description").asText()).append("\n");
        }
        for (String choice : List.of("allOf", "anyOf", "oneOf")) {
            for (JsonNode part : schema.path(choice)) {
                if (part.has("$ref")) {
                    page.append("\nThe fields of ")
                            .append(SchemaText.type(part))
                            .append(".\n");
                } else {
                    fields(part);
                }
            }
        }
        List<String> required = new ArrayList<>();
        schema.path("required").forEach(name -> required.add(name.asText()));
        if (schema.has("properties")) {
            table("field", schema.path("properties"), required);
        } else if (schema.has("additionalProperties")) {
            page.append("\nA ").append(SchemaText.type(schema)).append(".\n");
        }
    }

    private void table(String kind, JsonNode properties, List<String> required) {
        page.append("\n")
                .append(SchemaText.row(kind, "type", "bounds", "meaning"))
                .append("|---|---|---|---|\n");
        rows("", properties, required);
    }

    private void rows(String prefix, JsonNode properties, List<String> required) {
        properties.properties().forEach(field -> {
            JsonNode property = field.getValue();
            String name = prefix + field.getKey();
            String need = required.contains(field.getKey()) ? "required" : "";
            String bounds = SchemaText.bounds(property);
            page.append(SchemaText.row(
                    "`" + name + "`",
                    SchemaText.type(property),
                    need + (need.isEmpty() || bounds.isEmpty() ? "" : ", ") + bounds,
                    property.path("description").asText()));
            List<String> inner = new ArrayList<>();
            boolean array = property.path("type").asText().equals("array");
            JsonNode object = array ? property.path("items") : property;
            object.path("required").forEach(key -> inner.add(key.asText()));
            rows(name + (array ? "[]." : "."), object.path("properties"), inner);
        });
    }
}

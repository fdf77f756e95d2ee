package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A function that may be called.
 *
 * @param name of the function
 * @param parameters JSON Schema of its arguments
 */
public record Tool(String name, JsonNode parameters) {
    /** The schema of a function without parameters. */
    public static final JsonNode NO_PARAMETERS = JsonNodeFactory.instance
            .objectNode()
            .put("type", "object")
            .<ObjectNode>set("properties", JsonNodeFactory.instance.objectNode())
            .put("additionalProperties", false);
}

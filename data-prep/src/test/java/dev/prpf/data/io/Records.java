package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A small pool and a valid record to plant defects in. */
final class Records {
    static final ObjectMapper JSON = new ObjectMapper();

    static final String POOL =
            """
            {"book": {"name": "book", "description": "d", "similar": ["find"], "parameters": {
               "kind": {"description": "k", "type": "string", "must_fill": "required", "value": ["bus", "taxi"]},
               "from": {"description": "f", "type": "string", "must_fill": "required", "value": "non-enumerable"},
               "seats": {"description": "s", "type": "int", "must_fill": "optional", "value": "non-enumerable"},
               "stars": {"description": "s", "type": "int", "must_fill": "optional", "value": ["1", "2"]},
               "meal": {"description": "m", "type": "bool", "must_fill": "optional", "value": ["true", "false"]},
               "avoid": {"description": "a", "type": "list", "must_fill": "optional", "value": ["toll", "jam"]},
               "names": {"description": "n", "type": "list", "must_fill": "optional", "value": "cannot be enumerated"},
               "guests": {"description": "g", "type": "list", "must_fill": "optional", "value": {"age": "int"}},
               "who": {"description": "w", "type": "dict", "must_fill": "optional", "value": {
                  "name": "his name", "age": "int", "seat": ["window", "aisle"],
                  "phone": {"type": "string", "must_fill": "required", "value": "non-enumerable"}}}}},
             "find": {"name": "find", "description": "f", "similar": [], "parameters": {
               "what": {"description": "w", "type": "string", "must_fill": "required", "value": "non-enumerable"},
               "tags": {"description": "t", "type": "list", "must_fill": "required", "value": "non-enumerable"}}}}""";

    private static final String RECORD =
            """
            {"benchmark_metadata": {"id": "x", "difficulty_level": 2, "split": "test", "scenario": "Transportation", "more": 1},
             "reference_information": {"profile": "p", "phone": "d", "world": "w",
               "trace": ["a step", {"source": "text", "text": "another"}, {"source": "picture", "picture": "a/b.png"}]},
             "recommendations": [
               {"instruction": "take a bus", "functions": [
                 {"name": "find", "parameters": {"what": "bus", "tags": ["fast"]}},
                 {"name": "book", "parameters": {"kind": "bus", "from": "家", "seats": 2, "stars": 1, "meal": true,
                   "avoid": ["toll", "jam"], "names": ["a", "b"], "who": {"name": "n", "age": 3, "seat": "aisle", "phone": "1"}}}]},
               {"instruction": "find a taxi", "functions": [
                 {"name": "book", "parameters": {"kind": "taxi", "from": "家", "seats": "", "stars": null, "meal": "",
                   "avoid": "", "names": null, "who": ""}}]},
               {"instruction": "", "functions": []}]}""";

    private Records() {}

    static ObjectNode sound(String id) {
        ObjectNode record = object(RECORD);
        at(record, "/benchmark_metadata").put("id", id);
        return record;
    }

    static ObjectNode object(String json) {
        return (ObjectNode) json(json);
    }

    static JsonNode json(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }

    /** Returns the JSON in ASCII, so that an unpaired surrogate survives. */
    static String text(JsonNode json) {
        try {
            return JSON.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII).writeValueAsString(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static ObjectNode at(JsonNode record, String pointer) {
        return (ObjectNode) record.at(pointer);
    }

    static ArrayNode list(JsonNode record, String pointer) {
        return (ArrayNode) record.at(pointer);
    }

    /** Sets the value at a pointer, or removes it if the value is null. */
    static void set(ObjectNode record, String pointer, @org.jspecify.annotations.Nullable String json) {
        int cut = pointer.lastIndexOf('/');
        String key = pointer.substring(cut + 1).replace("~1", "/").replace("~0", "~");
        JsonNode parent = record.at(pointer.substring(0, cut));
        if (parent instanceof ArrayNode array) {
            array.set(Integer.parseInt(key), json(String.valueOf(json)));
        } else if (json == null) {
            ((ObjectNode) parent).remove(key);
        } else {
            ((ObjectNode) parent).set(key, json(json));
        }
    }
}

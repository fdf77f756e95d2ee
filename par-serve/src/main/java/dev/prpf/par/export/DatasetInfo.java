package dev.prpf.par.export;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** LLaMA-Factory's {@code dataset_info.json}: which columns and roles a file has. */
final class DatasetInfo {
    /** How a launch configuration calls the set. */
    static final String NAME = "prpf";

    private DatasetInfo() {}

    static ObjectNode of(String file) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        ObjectNode set = root.putObject(NAME).put("file_name", file).put("formatting", "sharegpt");
        set.putObject("columns").put("messages", "messages");
        set.putObject("tags")
                .put("role_tag", "role")
                .put("content_tag", "content")
                .put("user_tag", "user")
                .put("assistant_tag", "assistant")
                .put("system_tag", "system");
        return root;
    }
}

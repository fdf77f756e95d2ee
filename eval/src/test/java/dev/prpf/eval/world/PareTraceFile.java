package dev.prpf.eval.world;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Writes a trace in PARE's format, entry by entry, a second each. */
public final class PareTraceFile {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final double START = 1_760_000_000;
    private static final Map<String, String> PROMPTS = Map.of(
            "user", "You are simulating a real human user of a phone.",
            "observe", "You are a proactive assistant that monitors a user.",
            "execute", "You are a proactive assistant executing a task.");

    final ObjectNode trace = JSON.createObjectNode();
    private double time = START;

    PareTraceFile() {
        trace.put("version", "are_simulation_v1");
        trace.putArray("world_logs");
        trace.putArray("completed_events");
        trace.putArray("apps").addObject().put("name", "Notes");
        ObjectNode metadata = trace.putObject("metadata");
        metadata.putObject("definition")
                .put("scenario_id", "tidy_up")
                .put("run_number", 2)
                .put("seed", 5)
                .put("start_time", START);
        metadata.putObject("simulation").put("model_id", "user:u|observe:o|execute:e");
        metadata.putObject("annotation").put("validation_decision", "Valid").putNull("comment");
        PROMPTS.forEach((role, prompt) -> log(role, "system_prompt", Map.of("content", prompt)));
    }

    PareTraceFile log(String role, String type, Map<String, ?> fields) {
        ObjectNode log = JSON.createObjectNode()
                .put("timestamp", time++)
                .put("agent_id", role)
                .put("log_type", type);
        fields.forEach((key, value) -> log.set(key, JSON.valueToTree(value)));
        trace.withArray("world_logs").add(log.toString());
        return this;
    }

    PareTraceFile turn() {
        return log("user", "step", Map.of());
    }

    PareTraceFile call(String role, String tool, Map<String, ?> arguments) {
        return log(role, "tool_call", Map.of("tool_name", tool, "tool_arguments", arguments));
    }

    PareTraceFile result(String role, String text) {
        return log(role, "observation", Map.of("content", text));
    }

    /** Adds a call, its event with this operation type, and its result. */
    PareTraceFile call(String role, String tool, Map<String, ?> arguments, String operation) {
        String kind = role.equals("user") ? "USER" : "AGENT";
        return call(role, tool, arguments).event(kind, tool, operation).result(role, "ok");
    }

    PareTraceFile say(String role, String text) {
        return call(role, "PAREAgentUserInterface__send_message_to_user", Map.of("content", text), "WRITE");
    }

    PareTraceFile reply(String word) {
        return call("user", "PAREAgentUserInterface__" + word + "_proposal", Map.of("content", word), "WRITE");
    }

    PareTraceFile event(String kind, String name, String operation) {
        ObjectNode event = trace.withArray("completed_events").addObject();
        event.put("event_type", kind).put("event_time", time++);
        String[] names = name.split("__", 2);
        event.putObject("action")
                .put("app", names[0])
                .put("function", names[1])
                .put("operation_type", operation)
                .putArray("args")
                .addObject()
                .put("name", "folder")
                .put("value", "Inbox");
        event.putObject("metadata").put("return_value", "done").putNull("exception");
        return this;
    }

    public Path write(Path file) throws IOException {
        return Files.writeString(file, trace.toString());
    }

    /** Returns a trace with a refused proposal, a later acceptance, a write after it, and a proposal without a reply. */
    public static PareTraceFile refusedThenAccepted() {
        PareTraceFile trace = new PareTraceFile()
                .turn()
                .call("user", "Notes__open", Map.of("note_id", "n1"), "READ")
                .call("observe", "PAREAgentUserInterface__wait", Map.of(), "READ");
        trace.turn().event("ENV", "Emails__send_email_to_user", "WRITE");
        trace.log(
                        "observe",
                        "environment_notifications",
                        Map.of(
                                "content",
                                "[2025-10-09 08:53:31] New email: Cancelled\n\nThe talk is off.\n[2025-10-09 08:53:32] None"))
                .call("observe", "Notes__search", Map.of("query", "talk"))
                .event("AGENT", "Notes__search", "READ")
                .event("AGENT", "Notes__touch", "WRITE")
                .result("observe", "one note")
                .say("observe", "Shall I delete the note?");
        trace.turn().reply("reject").call("observe", "PAREAgentUserInterface__wait", Map.of(), "READ");
        trace.turn()
                .reply("accept")
                .call("execute", "Notes__delete", Map.of("note_id", "n1"), "WRITE")
                .say("execute", "Done.");
        trace.turn()
                .log(
                        "user",
                        "available_tools",
                        Map.of(
                                "content",
                                "\n- System__go_home: Goes home.\n    Takes inputs: {}\n- PAREAgentUserInterface__accept_proposal: x"
                                        + "\n- PAREAgentUserInterface__reject_proposal: x"))
                .call("user", "System__go_home", Map.of())
                .log("user", "error", Map.of("error", "JsonExecutionAgentError", "exception", "no such argument"))
                .call("observe", "Notes__list", Map.of(), "READ")
                .say("observe", "Shall I archive the mail?");
        return trace;
    }
}

package dev.prpf.data.world.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a scenario in PARE's form: a talk is called off by mail, and the assistant deletes its note. */
public final class PareScenarioFile {
    private static final String TEXT =
            """
            {"scenario": "tidy_up", "start": 1760000000.0, "goal": "Keep the notes tidy.",
             "apps": {
              "PAREAgentUserInterface": {"class": "PAREAgentUserInterface", "state": {"messages": []}},
              "System": {"class": "HomeScreenSystemApp", "state": null},
              "Notes": {"class": "StatefulNotesApp", "state": {"view_limit": 5, "folders": {"Talks": {"folder_name": "Talks",
               "notes": {"n1": {"title": "Talk", "kind": "<Kind.OLD: 'Old'>", "size": 1e5, "id": "6e12", "when": "10:00"}}}}}},
              "Emails": {"class": "StatefulEmailApp", "state": {"view_limit": 5}}},
             "events": [
              {"id": "E-mail", "kind": "environment", "after": [], "delay": null, "app": "Emails", "function": "receive",
               "effect": "write", "args": {"subject": "Called off", "content": "no\\n talk: yes", "cc": []}},
              {"id": "C-read", "kind": "condition", "after": [], "delay": 10},
              {"id": "E-second", "kind": "environment", "after": ["C-read"], "delay": 2.5, "app": "Emails",
               "function": "receive", "effect": "write", "args": {"subject": "Sorry", "content": null}},
              {"id": "X-ok", "kind": "environment", "after": ["X-ask"], "delay": 2, "app": "PAREAgentUserInterface",
               "function": "accept_proposal", "effect": "write", "args": {"content": "Yes."}},
              {"id": "X-find", "kind": "expected", "after": ["E-mail"], "delay": 1, "app": "Notes", "function": "search",
               "effect": "read", "args": {"query": "talk"}},
              {"id": "X-ask", "kind": "expected", "after": ["X-find"], "delay": 1, "app": "PAREAgentUserInterface",
               "function": "send_message_to_user", "effect": "write", "args": {"content": "Delete the note?"}},
              {"id": "X-delete", "kind": "expected", "after": ["X-ok"], "delay": 1, "app": "Notes", "function": "delete",
               "effect": "write", "args": {"note_id": "n1", "hard": false}},
              {"id": "X-done", "kind": "expected", "after": ["X-delete"], "delay": 1, "app": "PAREAgentUserInterface",
               "function": "send_message_to_user", "effect": "write", "args": {"content": "Done."}}],
             "oracle": [
              {"t": 0.0, "type": "ENV", "event": "E-mail", "app": "Emails", "function": "receive", "effect": "write",
               "args": {"subject": "Called off", "content": "no\\n talk: yes", "cc": []}, "returned": "m1"},
              {"t": 1.0, "type": "AGENT", "event": "X-find", "app": "Notes", "function": "search", "effect": "read",
               "args": {"query": "talk"}, "returned": [{"title": "Talk"}]},
              {"t": 2.0, "type": "AGENT", "event": "X-ask", "app": "PAREAgentUserInterface",
               "function": "send_message_to_user", "effect": "write", "args": {"content": "Delete the note?"},
               "returned": "None", "required": []},
              {"t": 4.0, "type": "USER", "event": "X-ok", "app": "PAREAgentUserInterface", "function": "accept_proposal",
               "effect": "write", "args": {"content": "Yes."}, "returned": "r1"},
              {"t": 5.0, "type": "AGENT", "event": "X-delete", "app": "Notes", "function": "delete", "effect": "write",
               "args": {"note_id": "n1", "hard": false}, "returned": "n1", "required": ["note_id"]},
              {"t": 6.0, "type": "AGENT", "event": "X-done", "app": "PAREAgentUserInterface",
               "function": "send_message_to_user", "effect": "write", "args": {"content": "Done."}, "returned": "None"},
              {"t": 12.5, "type": "ENV", "event": "E-second", "app": "Emails", "function": "receive", "effect": "write",
               "args": {"subject": "Sorry", "content": null}, "returned": "m2"}],
             "final": {"Notes": {"folders": {}}}}
            """;

    private PareScenarioFile() {}

    /** Writes the scenario as {@code tidy_up.json}. */
    public static Path write(Path folder) throws IOException {
        return Files.writeString(folder.resolve("tidy_up.json"), TEXT);
    }
}

package dev.prpf.eval.suite;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/** Small synthetic records in the formats of the suites' data; every suite runs end to end without the real data. */
public final class MadeBenchmarks {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int EVENTS = 3;

    private MadeBenchmarks() {}

    private static String word(int seed) {
        return Integer.toString(seed * 7919 + 46655, 36).replaceAll("[0-9]", "o");
    }

    /** Writes 30 records of ContextAgentBench. */
    public static void contextAgent(Path root) throws IOException {
        Map<String, Object> records = new LinkedHashMap<>();
        for (int i = 0; i < 30; i++) {
            boolean due = i % 2 == 0;
            records.put(
                    "example-" + i,
                    Map.of(
                            "Vision",
                                    (due ? "The user looks lost near place " : "The user rests happily near place ")
                                            + word(i),
                            "Audio", i % 3 == 0 ? "Somebody says " + word(i * 7) + " " + word(i * 5) : "",
                            "Mobile api data", List.of(),
                            "Proactive score", due ? 5 : 1,
                            "Proactive index", due ? "true" : "false"));
        }
        JSON.writeValue(folder(root, "contextagent").resolve("cab_train.json").toFile(), records);
    }

    /** Writes 20 events for each of two personas. */
    public static void knowU(Path root) throws IOException {
        Path logs = Files.createDirectories(folder(root, "knowu").resolve("user_logs"));
        for (String persona : List.of("student", "user")) {
            List<Map<String, String>> log = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                boolean signal = i % 3 != 0;
                log.add(Map.of(
                        "time",
                        "2026-01-%02dT08:00:00+08:00".formatted(i + 1),
                        "action",
                        signal ? "he ordered coffee at the " + word(i % 4) : "he swiped away " + word(i * 11),
                        "label",
                        signal ? "signal" : "noise",
                        "category",
                        (signal ? "habit " : "other ") + i % 6));
            }
            JSON.writeValue(logs.resolve(persona + "_noise_25pct.json").toFile(), log);
        }
    }

    /**
     * Writes 36 points of twelve recorded traces and three of a generated trace, each with a proposed task and with none. The one
     * released model, "echo", proposes a task at every search and did not see the last event of the first trace.
     */
    public static void proactiveBench(Path root) throws IOException {
        Path folder = folder(root, "proactivebench");
        List<String> rows = new ArrayList<>();
        Map<String, List<Map<String, Object>>> shown = new LinkedHashMap<>();
        for (int trace = 0; trace < 12; trace++) {
            String name = (trace < 6 ? "code_1" + (trace + 1) : "writing_1" + (trace - 5)) + ".json";
            shown.put(name, trace(trace, "17173382%02d.".formatted(trace), rows));
        }
        trace(12, "Day 1, 11:0", rows);
        Files.createDirectories(folder.resolve("reward_data"));
        Files.write(folder.resolve("reward_data/train_data.jsonl"), rows);
        Files.write(folder.resolve("reward_data/test_data.jsonl"), rows.subList(8, 12)); // both files contain them
        Files.createDirectories(folder.resolve("test_data"));
        try (OutputStream out = Files.newOutputStream(folder.resolve("model_traces.zip"));
                ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, List<Map<String, Object>>> trace : shown.entrySet()) {
                JSON.writeValue(
                        folder.resolve("test_data").resolve(trace.getKey()).toFile(), trace.getValue());
                int last = trace.getKey().equals("code_11.json") ? EVENTS - 1 : EVENTS;
                zip.putNextEntry(new ZipEntry("eval/traces_new/echo/" + trace.getKey()));
                zip.write(JSON.writeValueAsBytes(trace.getValue().subList(0, last)));
                zip.closeEntry();
            }
        }
    }

    /** Adds a labelled row for each event of a trace, with the earlier events; returns the trace as a model sees it. */
    private static List<Map<String, Object>> trace(int trace, String time, List<String> rows) throws IOException {
        List<Map<String, String>> events = new ArrayList<>();
        List<Map<String, Object>> steps = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            boolean searches = (i + trace) % 3 == 0;
            events.add(Map.of(
                    "time",
                    time + i,
                    "event",
                    searches ? "The user searches for " + word(trace) : "The user reads " + word(i)));
            boolean due = searches ^ trace % 5 == i;
            rows.add(proposal(events, due, "Find " + word(trace), due ^ trace % 4 == i));
            rows.add(proposal(events, due, null, !due));
            steps.add(Map.of(
                    "observation", events.get(i), "agent_response", searches ? List.of("Offer help") : List.of()));
        }
        return steps;
    }

    private static String proposal(List<Map<String, String>> events, boolean due, @Nullable String task, boolean valid)
            throws IOException {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("obs", events);
        row.put("help_needed", due);
        row.put("pred_task", task);
        row.put("valid", valid);
        row.put("category", task == null ? due ? "Missed-Need (MN)" : "Correct-Rejection (CR)" : "Task");
        return JSON.writeValueAsString(row);
    }

    private static Path folder(Path root, String suite) throws IOException {
        return Files.createDirectories(root.resolve("gate").resolve(suite));
    }
}

package dev.prpf.data.episode;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.episode.EpisodeStep.Act;
import dev.prpf.data.episode.EpisodeStep.Answer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.io.FilenameUtils;
import org.jspecify.annotations.Nullable;

/**
 * Reads ProactiveBench (arXiv 2410.12361): a {@code .json} file is the trace of one model, a {@code .jsonl} file holds labelled rows.
 * Rows with the same first observation are one trace. The list gives the order of events; their times can decrease. A response that
 * is an object is a failed call, not a decision. An empty response and the text "null" are silence.
 */
public final class ProactiveBenchTrace implements Episode.Source {
    private static final RecordLines<Row> ROWS = new RecordLines<>(Row.class, "row of ProactiveBench");
    private static final String MODELS = "traces_new"; // holds a folder for each model
    private static final String NO_TASK = "null";
    private static final Pattern DAY = Pattern.compile("Day (\\d{1,4}), (0?[0-9]|1[0-2]):([0-5]\\d) (AM|PM)");
    private static final Pattern SECONDS = Pattern.compile("\\d{1,12}(\\.\\d{1,9})?");
    private static final double HOUR = 3600;

    private record Observation(String time, String event) {}

    /** @param user the user's description, in traces that a model wrote */
    private record ToldObservation(String time, String event, @Nullable String user) {}

    private record Shown(
            ToldObservation observation,
            JsonNode agentResponse,
            boolean taskStatus,
            @Nullable JsonNode otherInfomation) {}

    record Row(
            List<Observation> obs,
            @Nullable String predTask,
            boolean valid,
            boolean helpNeeded,
            List<Boolean> annotation,
            String category) {
        Row {
            if (obs.isEmpty()) {
                throw new IllegalArgumentException("obs = [], must not be empty");
            }
            predTask = predTask == null || isSilence(predTask) ? null : predTask;
        }
    }

    private static boolean isSilence(String task) {
        return task.isBlank() || task.equals(NO_TASK);
    }

    private record Placed(String place, Row row) {}

    @Override
    public void read(Path file, Consumer<Episode> episodes) {
        String name = FilenameUtils.getBaseName(String.valueOf(file.getFileName()));
        if (FilenameUtils.isExtension(String.valueOf(file.getFileName()), "jsonl")) {
            rows(file, name, episodes);
        } else {
            episodes.accept(trace(file, name));
        }
    }

    private static Episode trace(Path file, String name) {
        JsonNode list = JsonFile.read(file);
        if (!list.isArray() || list.isEmpty()) {
            throw new InvalidDataException(file + ": is " + list.getNodeType() + " of " + list.size()
                    + " elements, must be a list of events; labelled rows need the ending .jsonl");
        }
        Steps steps = new Steps();
        for (JsonNode event : list) {
            String place = file + ": /" + (steps.turn + 1);
            Shown shown = JsonRecords.read(
                    place,
                    "event of ProactiveBench",
                    event.toString(),
                    Shown.class,
                    "other_infomation",
                    "observation.user");
            steps.event(place, shown.observation().time(), shown.observation().event());
            steps.response(place + "/agent_response", shown.agentResponse());
        }
        String model = model(file);
        return steps.episode(model == null ? name : model + "/" + name, name, model);
    }

    /** Returns the name of the file's folder if the folder holds a model's traces, else null. */
    private static @Nullable String model(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        Path models = folder == null ? null : folder.getParent();
        return folder == null || models == null || !models.endsWith(MODELS)
                ? null
                : String.valueOf(folder.getFileName());
    }

    private static void rows(Path file, String name, Consumer<Episode> episodes) {
        Map<Observation, List<Placed>> traces = new LinkedHashMap<>();
        ROWS.read(file, (place, row) -> traces.computeIfAbsent(row.obs().get(0), first -> new ArrayList<>())
                .add(new Placed(place, row)));
        int number = 0;
        for (List<Placed> rows : traces.values()) {
            String trace = name + "-" + number++;
            episodes.accept(labelled(rows).episode(trace, trace, null));
        }
    }

    private static Steps labelled(List<Placed> rows) {
        Placed longest = rows.get(0);
        Map<Integer, List<Row>> ends = new TreeMap<>();
        for (Placed placed : rows) {
            int end = placed.row().obs().size();
            longest = end > longest.row().obs().size() ? placed : longest;
            ends.computeIfAbsent(end, size -> new ArrayList<>()).add(placed.row());
        }
        List<Observation> events = longest.row().obs();
        for (Placed placed : rows) {
            List<Observation> obs = placed.row().obs();
            if (!obs.equals(events.subList(0, obs.size()))) {
                throw new InvalidDataException(placed.place() + ": obs has " + obs.size()
                        + " events, must be the beginning of the row at " + longest.place());
            }
        }
        Steps steps = new Steps();
        for (Observation event : events) {
            steps.event(longest.place(), event.time(), event.event());
            ends.getOrDefault(steps.turn + 1, List.of()).forEach(steps::row);
        }
        return steps;
    }

    /** The steps of a trace; each event is a turn. */
    private static final class Steps {
        private final List<EpisodeStep> steps = new ArrayList<>();
        private @Nullable Double start;
        private double now;
        private int turn = -1;

        void event(String place, String at, String text) {
            double time = seconds(place, at);
            start = start == null ? (Double) time : start;
            now = Math.round((time - start) * 1e3) / 1e3;
            turn++;
            EpisodeStep.Seen seen = new EpisodeStep.Seen(null, text);
            steps.add(new EpisodeStep.Event(steps.size(), now, turn, null, null, Map.of(), seen, false));
        }

        private static double seconds(String place, String time) {
            Matcher day = DAY.matcher(time);
            if (day.matches()) {
                int hour = Integer.parseInt(day.group(2)) % 12 + (day.group(4).equals("PM") ? 12 : 0);
                return Integer.parseInt(day.group(1)) * 24 * HOUR + hour * HOUR + Integer.parseInt(day.group(3)) * 60;
            }
            if (SECONDS.matcher(time).matches()) {
                return Double.parseDouble(time);
            }
            throw new InvalidDataException(
                    place + ": time = \"" + time + "\", must be seconds, or a time as in \"Day 1, 11:00 PM\"");
        }

        void response(String place, JsonNode response) {
            if (response.isObject()) {
                String reason = "the response is an object, not a list: the call failed";
                steps.add(new EpisodeStep.Check(steps.size(), now, turn, "agent_response", false, reason));
                return;
            }
            if (!response.isArray() && !response.isTextual() && !response.isNull()) {
                throw new InvalidDataException(place + " = " + response + ", must be a list of tasks");
            }
            List<String> tasks = new ArrayList<>();
            for (JsonNode task : response.isTextual() ? List.of(response) : response) {
                tasks.add(JsonRecords.text(task));
            }
            tasks.removeIf(ProactiveBenchTrace::isSilence);
            decide(tasks);
        }

        private void decide(List<String> tasks) {
            steps.add(new EpisodeStep.Decision(steps.size(), now, turn, tasks.isEmpty() ? Act.SILENT : Act.ACT));
            if (!tasks.isEmpty()) {
                steps.add(new EpisodeStep.Proposal(steps.size(), now, turn, tasks));
            }
        }

        void row(Row row) {
            decide(row.predTask() == null ? List.of() : List.of(row.predTask()));
            int judged = steps.size() - 1;
            steps.add(new EpisodeStep.Label(
                    steps.size(), now, turn, judged, row.helpNeeded(), row.valid(), row.annotation(), "annotators"));
            if (row.predTask() != null) {
                Answer answer = row.valid() ? Answer.ACCEPT : Answer.REJECT;
                steps.add(new EpisodeStep.Reply(steps.size(), now, turn, judged, answer, null));
            }
        }

        Episode episode(String name, String scenario, @Nullable String model) {
            steps.add(new EpisodeStep.End(steps.size(), null, null, null, EpisodeStep.Why.DONE, turn + 1));
            Map<String, @Nullable String> actors = new LinkedHashMap<>();
            actors.put("user", null);
            actors.put("observe", model);
            actors.put("execute", null);
            Episode.Header header = new Episode.Header(
                    Episode.FORMAT,
                    name,
                    scenario,
                    null,
                    null,
                    "proactivebench",
                    null,
                    Episode.Clock.ORDER,
                    actors,
                    List.of(),
                    null,
                    Map.of());
            return new Episode(header, steps);
        }
    }
}

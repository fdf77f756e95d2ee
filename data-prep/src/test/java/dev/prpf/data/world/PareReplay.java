package dev.prpf.data.world;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.world.World.AppSnapshot;
import dev.prpf.data.world.World.Result;
import dev.prpf.data.world.World.ScreenSnapshot;
import dev.prpf.data.world.World.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Replays recorded runs and walks of PARE in our apps, and lists the differences. */
final class PareReplay {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<String, String> DEFINITIONS = Map.ofEntries(
            Map.entry("Contacts", "contacts"),
            Map.entry("Messages", "messaging"),
            Map.entry("Emails", "email"),
            Map.entry("Email", "email"),
            Map.entry("Reminders", "reminder"),
            Map.entry("Notes", "notes"),
            Map.entry("Apartment", "apartment"),
            Map.entry("Cab", "cab"),
            Map.entry("Shopping", "shopping"),
            Map.entry("Calendar", "calendar"),
            Map.entry("Files", "files"));

    private final Function<String, AppDefinition> definitions;
    private final Map<String, int[]> counts = new TreeMap<>();
    private final List<String> differences = new ArrayList<>();

    PareReplay(Function<String, AppDefinition> definitions) {
        this.definitions = definitions;
    }

    /** Returns for each kind of comparison how many of them were equal, such as {@code reads 239 of 243}. */
    List<String> figures() {
        return counts.entrySet().stream()
                .map(count -> count.getKey() + " " + count.getValue()[0] + " of " + count.getValue()[1])
                .toList();
    }

    List<String> differences() {
        return differences;
    }

    /** Returns the files of a folder whose place in the order of names, divided by five, leaves four or not. */
    static List<Path> files(Path folder, boolean heldOut) {
        List<Path> sorted;
        try (Stream<Path> files = Files.list(folder)) {
            sorted = files.filter(f -> !f.getFileName().toString().startsWith("_"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<Path> chosen = new ArrayList<>();
        for (int i = 0; i < sorted.size(); i++) {
            if ((i % 5 == 4) == heldOut) {
                chosen.add(sorted.get(i));
            }
        }
        return chosen;
    }

    private void count(String what, @Nullable String difference) {
        int[] count = counts.computeIfAbsent(what, w -> new int[2]);
        count[1]++;
        if (difference == null) {
            count[0]++;
        } else {
            differences.add(what + " | " + difference);
        }
    }

    private static JsonNode read(Path file) {
        try {
            return plain(JSON.readTree(file.toFile()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final Pattern ENUM = Pattern.compile("<\\w+\\.\\w+: '(.*)'>");
    private static final Pattern DATE = Pattern.compile(
            "datetime\\.datetime\\((\\d+), (\\d+), (\\d+), (\\d+), (\\d+)(?:, (\\d+))?(?:, \\d+)?, tzinfo=.*\\)");

    /** Returns the tree with Python's enumerations and times as plain texts. */
    private static JsonNode plain(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.fieldNames().forEachRemaining(name -> object.set(name, plain(object.get(name))));
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, plain(array.get(i)));
            }
        } else if (node.isTextual()) {
            Matcher match = ENUM.matcher(node.textValue());
            if (match.matches()) {
                return TextNode.valueOf(match.group(1));
            }
            match = DATE.matcher(node.textValue());
            if (match.matches()) {
                return TextNode.valueOf(String.format(
                        "%s-%02d-%02d %02d:%02d:%02d",
                        match.group(1),
                        number(match, 2),
                        number(match, 3),
                        number(match, 4),
                        number(match, 5),
                        match.group(6) == null ? 0 : number(match, 6)));
            }
        }
        return node;
    }

    private static int number(Matcher match, int group) {
        return Integer.parseInt(match.group(group));
    }

    private World world(JsonNode record) {
        double start = record.get("start").doubleValue();
        World world = new World(new VirtualClock(instant(start), ZoneOffset.UTC), 1);
        record.get("apps").properties().forEach(app -> {
            String file = DEFINITIONS.get(app.getKey());
            if (file != null) {
                JsonNode value = app.getValue();
                JsonNode state = value.has("class") ? value.get("state") : value;
                world.install(app.getKey(), definitions.apply(file), state == null || state.isNull() ? null : state);
            }
        });
        return world;
    }

    private static Instant instant(double seconds) {
        return Instant.ofEpochSecond(0, Math.round(seconds * 1e6) * 1000);
    }

    /** Plays the expected run of a scenario. */
    void run(Path file) {
        JsonNode record = read(file);
        String name = record.get("scenario").textValue();
        World world = world(record);
        Map<String, Same> sames = sames(record);
        List<Runnable> later = new ArrayList<>();
        Map<String, Map<String, JsonNode>> last = new LinkedHashMap<>();
        for (JsonNode entry : record.get("oracle")) {
            String app = entry.get("app").textValue();
            if (app.startsWith("PAREAgent")) {
                continue;
            }
            Instant time =
                    instant(record.get("start").doubleValue() + entry.get("t").doubleValue());
            world.clock().moveTo(time);
            String call = app + "." + entry.get("function").textValue();
            Same same = Objects.requireNonNull(sames.get(app));
            Map<String, JsonNode> args = same.ours(entry.get("args"));
            Result result = world.call(app, entry.get("function").textValue(), args);
            JsonNode recorded = entry.get("returned");
            same.made = recorded.isTextual()
                    && world.effect(app, entry.get("function").textValue()) != EpisodeStep.Effect.READ;
            String difference = result.succeeded()
                    ? same.difference("", recorded, Objects.requireNonNull(result.value()))
                    : recorded.isNull() ? null : "refused: " + result.error();
            String kind = entry.get("type").textValue().equals("AGENT")
                            && entry.get("effect").textValue().equals("read")
                            && !recorded.isNull()
                    ? "reads"
                    : "writes";
            String at = name + " " + call + entry.get("args") + ": ";
            if (kind.equals("reads") && difference != null && result.succeeded()) {
                later.add(() -> {
                    String end = same.difference(
                            "",
                            recorded,
                            atEnd(Objects.requireNonNull(result.value()), Objects.requireNonNull(last.get(app))));
                    Result again = end == null ? result : world.call(app, call.substring(app.length() + 1), args);
                    if (end != null && again.succeeded()) {
                        end = same.difference("", recorded, Objects.requireNonNull(again.value()));
                    }
                    count("reads at the call", at + difference);
                    count(kind, end == null ? null : at + difference);
                });
            } else {
                if (kind.equals("reads")) {
                    count("reads at the call", difference == null ? null : at + difference);
                }
                count(kind, difference == null ? null : at + difference);
            }
            same.made = false;
            rows(world.state(app), last.computeIfAbsent(app, a -> new LinkedHashMap<>()));
            if (!result.succeeded() && recorded.isNull()) {
                differences.add("refused | " + name + " " + call + " " + result.error());
            }
        }
        String difference = end(name, record, world, sames);
        count("ends", difference);
        List<String> replaced = new ArrayList<>();
        sames.forEach((app, same) -> same.reissued.forEach(id -> replaced.add(app)));
        count(
                "ends with distinct identifiers",
                difference != null ? difference : replaced.isEmpty() ? null : name + " " + replaced);
        later.forEach(Runnable::run);
    }

    private static Map<String, Same> sames(JsonNode record) {
        Map<String, Same> sames = new LinkedHashMap<>();
        record.get("apps")
                .properties()
                .forEach(app -> sames.put(app.getKey(), new Same(app.getValue().toString())));
        return sames;
    }

    /** Returns a result whose rows have their last values: PARE records results by reference. */
    private static JsonNode atEnd(JsonNode node, Map<String, JsonNode> rows) {
        if (node instanceof ObjectNode object) {
            JsonNode row = rows.get(String.valueOf(key(object)));
            ObjectNode end = JSON.createObjectNode();
            object.properties().forEach(field -> {
                JsonNode now = row == null ? null : row.get(field.getKey());
                boolean plain =
                        now != null && (now.isValueNode() || field.getKey().equals("attachments"));
                end.set(field.getKey(), plain ? now : atEnd(field.getValue(), rows));
            });
            return end;
        }
        if (node.isArray()) {
            ArrayNode end = JSON.createArrayNode();
            node.forEach(member -> end.add(atEnd(member, rows)));
            return end;
        }
        return node;
    }

    private static void rows(JsonNode node, Map<String, JsonNode> rows) {
        String key = node instanceof ObjectNode object ? key(object) : null;
        if (key != null) {
            rows.put(key, node);
        }
        node.forEach(member -> rows(member, rows));
    }

    private static @Nullable String key(ObjectNode row) {
        for (String name : ROW_KEYS) {
            if (row.path(name).isTextual()) {
                return name + "=" + row.get(name).textValue();
            }
        }
        return null;
    }

    private static final List<String> ROW_KEYS = List.of(
            "message_id",
            "email_id",
            "note_id",
            "reminder_id",
            "event_id",
            "ride_id",
            "apartment_id",
            "item_id",
            "order_id",
            "contact_id",
            "conversation_id",
            "product_id");

    private static @Nullable String end(String name, JsonNode record, World world, Map<String, Same> sames) {
        List<String> found = new ArrayList<>();
        record.get("final").properties().forEach(app -> {
            if (DEFINITIONS.containsKey(app.getKey()) && !app.getValue().isNull()) {
                Same same = Objects.requireNonNull(sames.get(app.getKey()));
                String difference = same.difference(app.getKey(), app.getValue(), world.state(app.getKey()));
                if (difference != null) {
                    found.add(difference);
                }
            }
        });
        return found.isEmpty() ? null : name + " " + found;
    }

    /** Plays the steps of a walk that had no error; before each the screen is the recorded one. */
    void walk(Path file) {
        JsonNode record = read(file);
        String name = record.get("scenario").textValue();
        World world = world(record);
        Map<String, Same> sames = sames(record);
        Map<String, JsonNode> last = Map.of();
        int number = 0;
        for (JsonNode step : record.get("steps")) {
            number++;
            show(world, step, last);
            String[] call = step.get("call").textValue().split("__", 2);
            Same same = Objects.requireNonNull(sames.get(call[0]));
            Map<String, JsonNode> args = same.ours(step.get("args"));
            last = args;
            if (!step.get("error").isNull()) {
                continue;
            }
            String at = name + " " + number + " " + step.get("screen").asText() + " "
                    + step.get("call").textValue() + step.get("args");
            offered(world, step, at);
            boolean departs = call[1].equals("go_back") || call[1].equals("open_contact");
            Snapshot before = departs ? world.snapshot() : null;
            Result result = world.move(call[0], call[1], args);
            String next = world.activeApp() + "/" + world.screen();
            String recorded = step.get("app_after").textValue() + "/" + text(step.get("screen_after"));
            String difference = next.equals(recorded) && result.succeeded()
                    ? null
                    : next + " for " + recorded + " " + result.error();
            count(
                    departs && difference != null ? "departures" : "screens",
                    difference == null ? null : at + ": " + difference);
            if (before != null) {
                world.restore(before);
            } else if (result.succeeded()) {
                same.made = step.get("returned").isTextual();
                String value = same.difference("", step.get("returned"), Objects.requireNonNull(result.value()));
                same.made = false;
                count("walk results", value == null ? null : at + ": " + value);
            }
        }
        count("walk ends", end(name, record, world, sames));
    }

    private void offered(World world, JsonNode step, String at) {
        Set<String> tools = new java.util.TreeSet<>();
        step.get("tools").forEach(tool -> tools.add(tool.textValue()));
        tools.removeIf(tool -> tool.endsWith("__go_back"));
        Set<String> ours = new java.util.TreeSet<>(world.moves());
        ours.removeIf(tool -> tool.endsWith("__go_back"));
        count("moves offered", tools.equals(ours) ? null : at + ": " + ours + " for " + tools);
    }

    private static @Nullable String text(JsonNode node) {
        return node.isNull() ? null : node.textValue();
    }

    /** Shows the recorded screen; values that a screen keeps come from the screens and the move before. */
    private static void show(World world, JsonNode step, Map<String, JsonNode> last) {
        String app = step.get("app").textValue();
        String screen = text(step.get("screen"));
        if (world.activeApp().equals(app) && Objects.equals(world.screen(), screen)) {
            return;
        }
        Snapshot now = world.snapshot();
        Map<String, AppSnapshot> apps = new LinkedHashMap<>(now.apps());
        if (screen != null) {
            AppSnapshot shown = Objects.requireNonNull(apps.get(app));
            List<ScreenSnapshot> screens = new ArrayList<>(shown.screens());
            int known = -1;
            for (int i = 0; i < screens.size() && known < 0; i++) {
                known = screens.get(i).name().equals(screen) ? i : -1;
            }
            if (known >= 0) {
                screens = screens.subList(known, screens.size());
            } else {
                ObjectNode kept = JSON.createObjectNode();
                for (int i = screens.size() - 1; i >= 0; i--) {
                    screens.get(i).kept().properties().forEach(e -> kept.set(e.getKey(), e.getValue()));
                }
                last.forEach(kept::set);
                screens.add(0, new ScreenSnapshot(screen, kept));
            }
            apps.put(app, new AppSnapshot(shown.state(), screens));
        }
        List<String> opened = new ArrayList<>(now.opened());
        if (screen != null && !opened.contains(app)) {
            opened.add(app);
        }
        world.restore(new Snapshot(now.time(), now.drawn(), app, opened, apps));
    }

    /** Compares a recorded value with ours; identifiers that a run makes are equal by their places. */
    private static final class Same {
        /** The wall-clock hour in which PARE was run; some rows show it. */
        private static final double RECORDED = 1_795_693_000;
        /** PARE polls for due reminders each five seconds. */
        private static final double NOTIFIED = 5;

        private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
        private static final Set<String> SETS = Set.of("participant_ids", "attendees", "saved_apartments");
        /** Values that PARE's cab draws at random. */
        private static final Set<String> DRAWN = Set.of("price", "duration", "distance_km", "delay");

        private static final Pattern TIME = Pattern.compile("(\\d{4}-\\d\\d-\\d\\d)[ T](\\d\\d:\\d\\d:\\d\\d).*");

        private final Map<String, String> ours = new LinkedHashMap<>();
        /** Identifiers of the start that PARE gave to a new row too, which replaced the old one. */
        final Set<String> reissued = new java.util.LinkedHashSet<>();

        /** The value compared is the result of a write, so that its identifier is new. */
        boolean made;

        private final String start;

        Same(String start) {
            this.start = start;
        }

        Map<String, JsonNode> ours(JsonNode args) {
            Map<String, JsonNode> mapped = new LinkedHashMap<>();
            args.properties().forEach(arg -> {
                if (!arg.getValue().isNull()) {
                    mapped.put(arg.getKey(), mapped(arg.getValue()));
                }
            });
            return mapped;
        }

        private JsonNode mapped(JsonNode node) {
            if (node.isTextual()) {
                return TextNode.valueOf(mapped(node.textValue()));
            }
            if (node.isArray()) {
                ArrayNode array = JsonNodeFactory.instance.arrayNode();
                node.forEach(member -> array.add(mapped(member)));
                return array;
            }
            if (node.isObject()) {
                ObjectNode object = JsonNodeFactory.instance.objectNode();
                node.properties().forEach(field -> object.set(mapped(field.getKey()), mapped(field.getValue())));
                return object;
            }
            return node;
        }

        private String mapped(String text) {
            return ID.matcher(text).replaceAll(id -> ours.getOrDefault(id.group(), id.group()));
        }

        @Nullable
        String difference(String at, JsonNode recorded, JsonNode our) {
            if (recorded.isNumber() && our.isNumber()) {
                double a = recorded.doubleValue();
                double b = our.doubleValue();
                if (a > RECORDED && a < RECORDED + 3600) {
                    return null;
                }
                double tolerance = a > 1e9 ? NOTIFIED : 1e-6 * Math.max(1, Math.abs(a));
                return Math.abs(a - b) <= tolerance ? null : at + ": " + b + " for " + a;
            }
            Matcher time = TIME.matcher(recorded.asText());
            Matcher ourTime = TIME.matcher(our.asText());
            if (time.matches() && ourTime.matches()) {
                boolean equal = (time.group(1) + time.group(2)).equals(ourTime.group(1) + ourTime.group(2));
                return equal ? null : at + ": " + our + " for " + recorded;
            }
            if (our.isNumber() && time.matches()) {
                Instant instant = Instant.parse(time.group(1) + "T" + time.group(2) + "Z");
                return difference(at, JsonNodeFactory.instance.numberNode((double) instant.getEpochSecond()), our);
            }
            if (recorded.isTextual() && our.isTextual()) {
                return texts(recorded.textValue(), our.textValue()) ? null : at + ": " + our + " for " + recorded;
            }
            if (recorded.asText().startsWith("b'") && our.isNull()) {
                return null; // the start states have no contents of files
            }
            if (recorded.isArray() && our.isArray()) {
                return lists(at, recorded, our);
            }
            if (recorded.isObject() && our.isObject()) {
                return objects(at, recorded, our);
            }
            return recorded.equals(our) ? null : at + ": " + cut(our) + " for " + cut(recorded);
        }

        private boolean texts(String recorded, String our) {
            if (mapped(recorded).equals(our) || (recorded.equals(our) && reissued.contains(our))) {
                return true;
            }
            boolean both = ID.matcher(recorded).matches() && ID.matcher(our).matches();
            if (both && !ours.containsKey(recorded) && (made || !start.contains(recorded))) {
                ours.put(recorded, our);
                if (start.contains(recorded)) {
                    reissued.add(recorded);
                }
                return true;
            }
            return false;
        }

        private @Nullable String lists(String at, JsonNode recorded, JsonNode our) {
            if (recorded.size() != our.size()) {
                return at + ": " + our.size() + " members for " + recorded.size() + " " + cut(our) + " for "
                        + cut(recorded);
            }
            if (SETS.contains(at.substring(at.lastIndexOf('.') + 1))) {
                List<String> left = new ArrayList<>();
                our.forEach(member -> left.add(member.asText()));
                List<JsonNode> unknown = new ArrayList<>();
                recorded.forEach(member -> {
                    if (!left.remove(mapped(member.asText()))) {
                        unknown.add(member);
                    }
                });
                return unknown.isEmpty() ? null : at + ": " + left + " for " + unknown;
            }
            if (at.endsWith(".children")) {
                return lists(at + ".", byName(recorded), byName(our));
            }
            for (int i = 0; i < recorded.size(); i++) {
                String difference = difference(at + "[" + i + "]", recorded.get(i), our.get(i));
                if (difference != null) {
                    return difference;
                }
            }
            return null;
        }

        private static JsonNode byName(JsonNode files) {
            List<JsonNode> sorted = new ArrayList<>();
            files.forEach(sorted::add);
            sorted.sort(java.util.Comparator.comparing(file -> file.get("name").asText()));
            return JSON.createArrayNode().addAll(sorted);
        }

        private @Nullable String objects(String at, JsonNode recorded, JsonNode our) {
            List<String> mine = new ArrayList<>();
            our.fieldNames().forEachRemaining(mine::add);
            List<String> made = new ArrayList<>();
            Map<String, String> pairs = new LinkedHashMap<>();
            recorded.fieldNames().forEachRemaining(key -> {
                if (mine.remove(mapped(key))) {
                    pairs.put(key, mapped(key));
                } else {
                    made.add(key);
                }
            });
            mine.removeIf(key -> made.size() < mine.size() && reissued.contains(key));
            mine.removeIf(key ->
                    key.equals("content") && recorded.path("type").asText().equals("file"));
            if (made.size() != mine.size()) {
                return at + ": keys " + mine + " for " + made;
            }
            for (int i = 0; i < made.size(); i++) {
                if (!texts(made.get(i), mine.get(i))) {
                    return at + ": key " + mine.get(i) + " for " + made.get(i);
                }
                pairs.put(made.get(i), mine.get(i));
            }
            for (Map.Entry<String, String> pair : pairs.entrySet()) {
                if (pair.getKey().equals("message_id")) {
                    continue;
                }
                if ((recorded.has("distance_km") && DRAWN.contains(pair.getKey()))
                        || (pair.getKey().equals("delay") && recorded.size() == 2)) {
                    continue;
                }
                String difference =
                        difference(at + "." + pair.getKey(), recorded.get(pair.getKey()), our.get(pair.getValue()));
                if (difference != null) {
                    return difference;
                }
            }
            return null;
        }

        private static String cut(JsonNode node) {
            String text = node.toString();
            return text.length() <= 160 ? text : text.substring(0, 160) + "…";
        }
    }
}

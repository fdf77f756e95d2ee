package dev.prpf.data.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.episode.EpisodeStep.Effect;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.world.World.Result;
import dev.prpf.data.world.World.Snapshot;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorldTest {
    private static final Instant START = Instant.parse("2026-03-02T08:00:00Z");
    private static final AppDefinition SHELF = StrictYaml.shipped("shelf.yaml", AppDefinition.class);

    private static World world(long seed) {
        World world = new World(new VirtualClock(START, ZoneOffset.UTC), seed);
        world.install("Shelf", SHELF, null);
        return world;
    }

    private static Map<String, JsonNode> args(Object... pairs) {
        Map<String, JsonNode> args = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            args.put((String) pairs[i], JsonValues.json(pairs[i + 1]));
        }
        return args;
    }

    private static String text(Result result) {
        return String.valueOf(result.value());
    }

    @Test
    void aReadSelectsSortsAndPages() {
        World world = world(1);
        assertThat(text(world.call("Shelf", "list_books", args("shelf", "left"))))
                .isEqualTo("[{\"title\":\"Emma\",\"pages\":450},{\"title\":\"Walden\",\"pages\":300}]");
        assertThat(text(world.call("Shelf", "list_books", args("shelf", "left", "offset", 1, "limit", 5))))
                .isEqualTo("[{\"title\":\"Walden\",\"pages\":300}]");
        assertThat(text(world.call("Shelf", "long_books", args("pages", 300.5))))
                .isEqualTo("[\"Emma\"]");
        assertThat(world.effect("Shelf", "add_book")).isEqualTo(Effect.WRITE);
        assertThat(world.effect("Shelf", "burn")).isNull();
    }

    @Test
    void wrongArguments_giveAnErrorAndChangeNothing() {
        World world = world(1);
        JsonNode before = world.state("Shelf");
        List<String> errors = List.of(
                refusal(world, "list_books", args("shelf", "middle")),
                refusal(world, "list_books", args("shelf", 3)),
                refusal(world, "list_books", args("shelf", "left", "colour", "red")),
                refusal(world, "list_books", args()),
                refusal(world, "burn", args()),
                refusal(world, "move_book", args("book", "b9", "from", "left", "to", "right")),
                refusal(world, "add_book", args("shelf", "left", "title", "One too many")));
        assertThat(errors)
                .containsExactly(
                        "Shelf middle not found",
                        "the argument shelf is 3, must be of type string",
                        "there is no argument colour; arguments: [shelf, offset, limit]",
                        "the argument shelf is missing (string)",
                        "there is no function Shelf__burn",
                        "Book b9 not found",
                        "Shelf left is full");
        assertThat(refusal(world, "add_book", args("shelf", "nowhere", "title", "x")))
                .contains("undefined property");
        assertThat(world.state("Shelf")).isEqualTo(before);
    }

    private static String refusal(World world, String function, Map<String, JsonNode> args) {
        Result result = world.call("Shelf", function, args);
        assertThat(result.succeeded()).isFalse();
        return String.valueOf(result.error());
    }

    @Test
    void theUserSeesAScreen_andMovesLeadToOthers() {
        World world = world(1);
        assertThat(world.moves()).containsExactly("System__go_home", "System__open_app", "System__switch_app");
        assertThat(world.move("System", "switch_app", args("app_name", "Shelf")).error())
                .isEqualTo("the app Shelf is not open; open apps: []");
        assertThat(text(world.move("System", "open_app", args("app_name", "Shelf"))))
                .isEqualTo("\"Opened Shelf App.\"");
        assertThat(world.screen()).isEqualTo("ShelfList");
        assertThat(world.move("Shelf", "go_back", args()).error()).startsWith("Shelf__go_back is not on this screen");
        world.move("Shelf", "open", args("shelf", "right"));
        String book = text(world.move("Shelf", "add", args("title", "Ulysses")));
        assertThat(world.screen()).isEqualTo("BookDetail");
        assertThat(text(world.move("Shelf", "which", args()))).isEqualTo(book);
        world.move("System", "go_home", args());
        assertThat(world.screen()).isNull();
        assertThat(text(world.move("System", "go_home", args()))).isEqualTo("\"You are already on the home screen.\"");
        assertThat(text(world.move("System", "switch_app", args("app_name", "Shelf"))))
                .isEqualTo("\"Switched to Shelf App successfully.\"");
        assertThat(text(world.move("System", "switch_app", args("app_name", "Shelf"))))
                .isEqualTo("\"App Shelf is already active.\"");
        assertThat(world.screen()).as("an open app keeps its screen").isEqualTo("BookDetail");
        world.move("Shelf", "go_back", args());
        assertThat(world.move("Shelf", "refresh", args()).value()).hasSize(1);
        assertThat(world.moves()).contains("Shelf__go_back");
        assertThat(text(world.move("Shelf", "done", args()))).isEqualTo("\"right\"");
        assertThat(world.screen()).isEqualTo("ShelfList");
        assertThat(world.moves()).as("the first screen has no way back").doesNotContain("Shelf__go_back");
        world.move("System", "go_home", args());
        world.move("System", "open_app", args("app_name", "Shelf"));
        assertThat(world.move("Shelf", "open", args("shelf", "middle")).succeeded())
                .isFalse();
        assertThat(world.screen()).as("a refused move stays").isEqualTo("ShelfList");
    }

    @Test
    void aSnapshotBringsBackStateScreenTimeAndIdentifiers() {
        World world = world(7);
        world.move("System", "open_app", args("app_name", "Shelf"));
        world.call("Shelf", "add_book", args("shelf", "right", "title", "First"));
        Snapshot snapshot = world.snapshot();
        world.clock().moveTo(START.plusSeconds(60));
        String second = text(world.call("Shelf", "add_book", args("shelf", "right", "title", "Second")));
        world.move("System", "go_home", args());
        JsonNode after = world.state("Shelf");

        world.restore(snapshot);
        assertThat(world.clock().instant()).isEqualTo(START);
        assertThat(world.screen()).isEqualTo("ShelfList");
        assertThat(world.snapshot()).isEqualTo(snapshot);
        world.clock().moveTo(START.plusSeconds(60));
        assertThat(text(world.call("Shelf", "add_book", args("shelf", "right", "title", "Second"))))
                .isEqualTo(second);
        assertThat(world.state("Shelf")).isEqualTo(after);
        assertThat(text(world(8).call("Shelf", "add_book", args("shelf", "right", "title", "First"))))
                .as("another seed")
                .isNotEqualTo(text(world(7).call("Shelf", "add_book", args("shelf", "right", "title", "First"))));
    }

    @Test
    void aClockGoesForwardOnly() {
        VirtualClock clock = new VirtualClock(START, ZoneOffset.UTC);
        clock.moveTo(START.plusSeconds(5));
        assertThatThrownBy(() -> clock.moveTo(START)).hasMessageContaining("cannot go back to 2026-03-02T08:00:00Z");
    }

    @Test
    void aDefinitionThatIsNone_isRefusedWithItsLine() {
        assertBroken(
                "f: {effect: read, args: {n: integer}, run: state}", "args = integer must be TYPE, \"optional TYPE\"");
        assertBroken("f: {effect: delete, run: state}", ".effect: is \"delete\", must be one of read, write");
        assertBroken("f: {effect: read, run: \"1 +\"}", ": \"1 +\" is not a JEXL script");
        assertThatThrownBy(() -> StrictYaml.readText(
                        "broken.yaml",
                        "app: Broken\nstart: {}\nscreens: {Home: {open: {to: Attic}}}\n",
                        AppDefinition.class,
                        List.of()))
                .hasMessageContaining("screens.Home.open.to = Attic must be a screen of the app, back, or first");
    }

    private static void assertBroken(String function, String message) {
        String yaml = "app: Broken\nstart: {}\nfunctions:\n  " + function + "\n";
        assertThatThrownBy(() -> StrictYaml.readText("broken.yaml", yaml, AppDefinition.class, List.of()))
                .hasMessageContaining("broken.yaml:4: functions.f")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "apartment",
                "cab",
                "calendar",
                "contacts",
                "email",
                "files",
                "messaging",
                "notes",
                "reminder",
                "shopping"
            })
    void aShippedApp_opensOnItsFirstScreen(String name) {
        AppDefinition app = AppDefinition.shipped(name);
        World world = new World(new VirtualClock(START, ZoneOffset.UTC), 1);
        world.install(app.app(), app, null);
        assertThat(world.move("System", "open_app", args("app_name", app.app())).succeeded())
                .as("an app without screens is not opened")
                .isEqualTo(!app.screens().isEmpty());
        assertThat(world.screen()).isEqualTo(app.firstScreen());
        app.functions().forEach((function, definition) -> assertThat(world.effect(app.app(), function))
                .isEqualTo(definition.effect()));
    }

    @Test
    void aTickRunsAsTimePasses() {
        World world = new World(new VirtualClock(START, ZoneOffset.UTC), 1);
        world.install("Reminders", AppDefinition.shipped("reminder"), null);
        world.call(
                "Reminders",
                "add_reminder",
                args("title", "Tea", "due_datetime", "2026-03-02 08:05:00", "description", ""));
        assertThat(world.state("Reminders").findValue("time_notified").isNull()).isTrue();
        world.clock().moveTo(START.plusSeconds(300));
        assertThat(world.state("Reminders").findValue("time_notified").asDouble())
                .isEqualTo(START.getEpochSecond() + 300.0);
    }

    /** Installs an app with the functions of a YAML mapping, and an app {@code Log} that others may write to. */
    private static World scripted(String tick, String functions) {
        World world = new World(new VirtualClock(START, ZoneOffset.UTC), 1);
        String log =
                "app: Log\nstart: {lines: []}\nfunctions: {add: {effect: write, args: {line: any}, run: state.lines.add(line)}}\n";
        world.install("Log", StrictYaml.readText("log.yaml", log, AppDefinition.class, List.of()), null);
        String yaml = "app: X\nstart: {n: 0}\ntick: \"" + tick + "\"\nfunctions: {" + functions + "}\n";
        world.install("X", StrictYaml.readText("x.yaml", yaml, AppDefinition.class, List.of()), null);
        return world;
    }

    @Test
    void aScriptReachesNoClassOfJava() {
        World world = scripted("1", "f: {effect: read, run: \"state.getClass().forName('java.lang.System').exit(1)\"}");
        assertThat(world.call("X", "f", args()).error()).contains("unsolvable");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "while (true) {}",
                "for (;;) {}",
                "do { state.n += 1 } while (state.n > 0)",
                "for (var i : 1..2000000000) { state.n = i }",
                "var f = x -> { while (x) {} }; each([1, 2], f)",
                "for (var i : 1..1000) { call('g', {:}) }"
            })
    void aScriptWithoutAnEnd_isRefused(String script) {
        World world = scripted(
                "1",
                "f: {effect: write, run: \"" + script
                        + "\"}, g: {effect: write, run: \"for (var i : 1..10000) { state.n = i }\"}");
        JsonNode before = world.state("X");
        assertThat(world.call("X", "f", args()).error()).isEqualTo("the script has more than 1000000 steps");
        assertThat(world.state("X")).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"call('f', {:})", "var f = null; f = x -> f(x); f(1)"})
    void aScriptThatCallsItselfForEver_isRefused(String script) {
        World world = scripted("1", "f: {effect: read, run: \"" + script + "\"}");
        assertThat(world.call("X", "f", args()).error()).contains("stack overflow");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text =~ pattern",
                "size(where([text], t -> t =~ pattern))",
                "text.matches(pattern)",
                "text.replaceAll(pattern, '')",
                "text.split(pattern)"
            })
    @Timeout(20)
    void aPatternWithoutAnEnd_isRefused(String script) {
        World world =
                scripted("1", "f: {effect: read, args: {text: string, pattern: string}, run: \"" + script + "\"}");
        String error = world.call("X", "f", args("text", "aaaaaaaaaa".repeat(5), "pattern", "(.*a){18}$b"))
                .error();
        assertThat(error).matches("the script has more than 1000000 steps|.*unsolvable function/method .*");
    }

    @Test
    @Timeout(20)
    void aSearchByAPatternWithoutAnEnd_isRefused() {
        World world = new World(new VirtualClock(START, ZoneOffset.UTC), 1);
        world.install("Messages", AppDefinition.shipped("messaging"), null);
        world.call(
                "Messages",
                "create_group_conversation",
                Map.of("user_ids", JsonNodeFactory.instance.arrayNode(), "title", TextNode.valueOf("t")));
        String id = world.state("Messages").get("conversations").fieldNames().next();
        world.call(
                "Messages",
                "add_message",
                args("conversation_id", id, "sender_id", "me", "content", "aaaaaaaaaa".repeat(5) + "b"));
        assertThat(text(world.call("Messages", "regex_search", args("query", "a+b"))))
                .isEqualTo("[\"" + id + "\"]");
        assertThat(world.call("Messages", "regex_search", args("query", "(.*a){18}$"))
                        .error())
                .isEqualTo("the script has more than 1000000 steps");
    }

    @Test
    void anInterruptedScript_endsWithoutAResult() {
        World world = scripted("1", "f: {effect: read, run: \"while (true) {}\"}");
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> world.call("X", "f", args())).isInstanceOf(CancellationException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aRefusal_undoesTheChangesOfAllApps() {
        World world = scripted(
                "1", "f: {effect: write, run: \"state.n = 1; call('Log.add', {'line': 'x'}); refuse(true, 'No')\"}");
        assertThat(world.call("X", "f", args()).error()).isEqualTo("No");
        assertThat(world.state("X")).hasToString("{\"n\":0}");
        assertThat(world.state("Log")).hasToString("{\"lines\":[]}");
    }

    @Test
    void aTickThatFails_refusesTheCallAndIsNamed() {
        World world = scripted("refuse(true, 'Broken')", "f: {effect: read, run: \"1\"}");
        String error = "the tick of X fails: Broken";
        assertThat(world.call("X", "f", args()).error()).isEqualTo(error);
        assertThat(world.call("Log", "add", args("line", 1)).error()).isEqualTo(error);
        assertThatThrownBy(() -> world.state("Log")).hasMessage(error);
    }

    @Test
    void aPeek_hasTheResultOfTheCallAndChangesNothing() {
        World world =
                scripted("1", "f: {effect: read, run: \"state.n += 1; call('Log.add', {'line': state.n}); state.n\"}");
        assertThat(text(world.peek("X", "f", args()))).isEqualTo("1");
        assertThat(text(world.peek("X", "f", args()))).isEqualTo("1");
        assertThat(world.state("Log")).hasToString("{\"lines\":[]}");
        assertThat(text(world.call("X", "f", args()))).isEqualTo("1");
        assertThat(world.state("Log")).hasToString("{\"lines\":[1]}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "new('java.io.File', '/')",
                "new('java.io.FileReader', '/etc/hostname').read()",
                "new java.util.Random()",
                "#pragma jexl.options '+silent -strict'\n1",
                "#pragma jexl.namespace.u java.util.UUID\nu:randomUUID()",
                "@silent 1/0"
            })
    void aScriptCannotCreateObjectsNorChangeTheEngine(String script) {
        assertThatThrownBy(() -> EffectScript.of(script)).hasMessageContaining("is not a JEXL script");
    }

    @Test
    void thePhoneExecutesEveryFunctionOfThePool() {
        World world = world(1);
        world.install("Phone", AppDefinition.shipped("phone"), null);
        List<String> executed = new ArrayList<>();
        for (FunctionSpec function : FunctionPoolFile.shipped().functions()) {
            Map<String, JsonNode> args = new LinkedHashMap<>();
            function.parameters().forEach(parameter -> args.put(parameter.name(), JsonValues.json(value(parameter))));

            Result result = world.call("Phone", function.name(), args);

            assertThat(result.error()).as(function.name()).isNull();
            JsonNode value = Objects.requireNonNull(result.value());
            assertThat(value.path("called").asText()).isEqualTo(function.name());
            assertThat(value.path("arguments")).hasSize(args.size());
            executed.add(function.name());
        }
        assertThat(executed).hasSize(63);
        assertThat(world.state("Phone").path("calls")).hasSize(56);
        assertThat(world.call("Phone", "record_health_data", args("metric", "mood", "value", "5"))
                        .error())
                .isEqualTo("metric must be one of weight, blood_pressure, heart_rate, sleep, blood_glucose");
    }

    private static Object value(FunctionSpec.ParameterSpec parameter) {
        return switch (parameter.type()) {
            case "int" -> 1;
            case "bool" -> true;
            case "list" -> List.of("x");
            case "dict" -> Map.of("x", 1);
            default ->
                parameter.enumeration() == null
                        ? "x"
                        : parameter.enumeration().get(0).asText();
        };
    }
}

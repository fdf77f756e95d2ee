package dev.prpf.data.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ImportCommandTest {
    private static final String CSV =
            """
            user,event,action,at,note
            Forgets a lot,"Reads: ""tomorrow, 9:30\""",set_reminder,9:30,1
            ,Plays music,,,2
            """;

    private static final FunctionPool NONE = new FunctionPool(List.of());

    @TempDir
    Path folder;

    private JsonNode imported(String name, String content, String... options) throws IOException {
        Path file = Files.writeString(folder.resolve(name), content);
        Path out = folder.resolve("records.json");
        Files.deleteIfExists(out);
        List<String> words = new ArrayList<>(List.of(file.toString(), "--out", out.toString()));
        words.addAll(List.of(options));
        CommandLine line = new CommandLine(new ImportCommand());
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            throw exception;
        });
        line.parseArgs(words.toArray(String[]::new));
        ((ImportCommand) line.getCommand()).run();
        return new ObjectMapper().readTree(out.toFile());
    }

    private AbstractThrowableAssert<?, ? extends Throwable> refused(ExitCode code, String content, String... options) {
        return assertThatThrownBy(() -> imported("bad.jsonl", content, options))
                .isInstanceOfSatisfying(
                        PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(code));
    }

    @Test
    void csvRows_becomeRecords() throws IOException {
        JsonNode records = imported(
                "log.csv",
                CSV,
                "--map=profile=user",
                "--map=trace=event",
                "--map=trace=note",
                "--map=function=action",
                "--map=parameters.time=at");
        assertThat(records).hasSize(2);
        assertThat(records.at("/0/benchmark_metadata/id").textValue()).isEqualTo("row-1");
        assertThat(records.at("/0/reference_information"))
                .hasToString("{\"profile\":\"Forgets a lot\",\"phone\":\"\",\"world\":\"\","
                        + "\"trace\":[\"Reads: \\\"tomorrow, 9:30\\\"\",\"1\"]}");
        assertThat(records.at("/0/recommendations/0/functions"))
                .hasToString("[{\"name\":\"set_reminder\",\"parameters\":{\"time\":\"9:30\"}}]");
        assertThat(records.at("/0/recommendations/0/instruction").textValue()).isEqualTo("set reminder");
        assertThat(records.at("/1/recommendations")).as("silence").isEmpty();
    }

    @Test
    void csvTexts_becomeNumbersAndBooleansWhereTheMapSaysSo() throws IOException {
        String csv = "trace,function,level,loud,spare\nPlays,volume,2.5,true,x\n";
        String[] map = {"--map=parameters.level:number=level", "--map=parameters.loud:boolean=loud"};
        assertThat(imported("log.csv", csv, map).at("/0/recommendations/0/functions/0/parameters"))
                .hasToString("{\"level\":2.5,\"loud\":true}");
        assertThatThrownBy(() -> imported("log.csv", csv.replace("2.5", "high"), map))
                .hasMessage(folder.resolve("log.csv") + ": row 1: level is \"high\", must be a number"
                        + " (--map parameters.level:number); correct the row, or leave out :number for a text");
    }

    @Test
    void columnsThatNoFieldTakes_areDropped() {
        ObjectNode row = new ObjectMapper()
                .createObjectNode()
                .put("id", "1")
                .put("trace", "x")
                .put("mood", "?");
        assertThat(FlatRows.mapped(List.of(), NONE).in(row, Path.of("log.csv")).unused(row))
                .containsExactly("mood");
        assertThat(FlatRows.mapped(List.of("trace=mood"), NONE)
                        .in(row, Path.of("log.csv"))
                        .unused(row))
                .containsExactly("trace");
    }

    @Test
    void usualColumns_needNoOptions() throws IOException {
        Path log = Files.writeString(
                folder.resolve("log.csv"),
                "When,event,action,parameters.minutes:number,trace.note\n8 pm,Cooks rice,set_timer,12,x\n9 pm,Reads,,,\n");
        ImportCommand command = new ImportCommand();
        new CommandLine(command).parseArgs(log.toString());
        command.run();
        JsonNode records =
                new ObjectMapper().readTree(folder.resolve("log.json").toFile());
        assertThat(records.at("/0/reference_information/world").textValue()).isEqualTo("8 pm");
        assertThat(records.at("/0/reference_information/trace")).hasToString("[\"Cooks rice\"]");
        assertThat(records.at("/0/recommendations/0/functions"))
                .hasToString("[{\"name\":\"set_timer\",\"parameters\":{\"minutes\":12}}]");
        assertThat(records.at("/1/recommendations")).as("silence").isEmpty();
        assertThatThrownBy(command::run).hasMessageContaining(folder.resolve("log.json") + ": exists");
    }

    @Test
    void numberedStepsAndParametersOfTheFunctionsBeside_needNoOptions() throws IOException {
        Files.writeString(
                folder.resolve("functions.json"),
                """
                {"set_timer": {"name": "set_timer", "description": "d", "similar": [], "parameters": {
                  "minutes": {"description": "d", "type": "int", "must_fill": "required", "value": "non-enumerable"},
                  "loud": {"description": "d", "type": "bool", "must_fill": "optional", "value": "non-enumerable"}}},
                 "call": {"name": "call", "description": "d", "similar": [], "parameters": {
                  "minutes": {"description": "d", "type": "string", "must_fill": "required", "value": "non-enumerable"}}}}
                """);
        String csv = "event1,event2,action,minutes,loud\nCooks,Leaves,set_timer,12,\nRings,,call,12,\n";
        JsonNode records = imported("log.csv", csv);
        assertThat(records.at("/0/reference_information/trace")).hasToString("[\"Cooks\",\"Leaves\"]");
        assertThat(records.at("/0/recommendations/0/functions"))
                .hasToString("[{\"name\":\"set_timer\",\"parameters\":{\"minutes\":12}}]");
        assertThat(records.at("/1/recommendations/0/functions"))
                .hasToString("[{\"name\":\"call\",\"parameters\":{\"minutes\":\"12\"}}]");
        assertThatThrownBy(() -> imported("log.csv", csv.replace("12,\nR", "12,ja\nR")))
                .hasMessageContaining("row 1: loud is \"ja\", must be true or false");
    }

    @Test
    void numberedSteps_areTakenByNumber() throws IOException {
        JsonNode records = imported("log.csv", "event1,event10,event2\nfirst,last,second\n");
        assertThat(records.at("/0/reference_information/trace")).hasToString("[\"first\",\"second\",\"last\"]");
    }

    @Test
    void columnOfAFieldAndAParameter_needsAMap() throws IOException {
        Files.writeString(
                folder.resolve("functions.json"),
                """
                {"set_alarm": {"name": "set_alarm", "description": "d", "similar": [], "parameters": {
                  "when": {"description": "d", "type": "int", "must_fill": "required", "value": "non-enumerable"}}}}
                """);
        String csv = "event,action,when\nReads,set_alarm,9\n";
        assertThatThrownBy(() -> imported("log.csv", csv))
                .isInstanceOf(PrpfException.InvalidDataException.class)
                .hasMessage(folder.resolve("log.csv") + ": column \"when\" is the usual name of the field world, and a"
                        + " parameter of set_alarm in functions.json; choose one: --map world=when or"
                        + " --map parameters.when:number=when");
        JsonNode world = imported("log.csv", csv, "--map=world=when");
        assertThat(world.at("/0/reference_information/world").textValue()).isEqualTo("9");
        assertThat(world.at("/0/recommendations/0/functions/0/parameters")).isEmpty();
        JsonNode parameter = imported("log.csv", csv, "--map=parameters.when:number=when");
        assertThat(parameter.at("/0/reference_information/world").textValue()).isEmpty();
        assertThat(parameter.at("/0/recommendations/0/functions/0/parameters")).hasToString("{\"when\":9}");
    }

    @Test
    void anotherEncodingAndAnUnknownType_areNamed() throws IOException {
        Path log = Files.write(
                folder.resolve("gbk.csv"), "event,action\n\u5e97\u5458,\n".getBytes(Charset.forName("GBK")));
        ImportCommand command = new ImportCommand();
        new CommandLine(command).parseArgs(log.toString());
        assertThatThrownBy(command::run)
                .hasMessage(log + ": is not text in UTF-8; save it in UTF-8 (in Excel: CSV UTF-8)");
        refused(ExitCode.USAGE, "{\"trace\": \"x\"}", "--map=parameters.minutes:int=x")
                .hasMessageContaining("parameters.minutes:int: the type int is unknown; write :number, :boolean");
    }

    @Test
    void aMappedOrNamedField_takesNoUsualColumn() {
        ObjectNode row = new ObjectMapper()
                .createObjectNode()
                .put("event", "x")
                .put("trace", "y")
                .put("when", "z");
        assertThat(FlatRows.mapped(List.of(), NONE).in(row, Path.of("log.csv")).unused(row))
                .containsExactly("event");
        assertThat(FlatRows.mapped(List.of("image=when"), NONE)
                        .in(row, Path.of("log.csv"))
                        .unused(row))
                .containsExactly("event", "trace");
    }

    @Test
    void jsonLines_keepTypesAndNeedNoMapWhereNamesAgree() throws IOException {
        JsonNode records = imported(
                "log.jsonl",
                """
                {"id": "a", "trace": ["one", "two"], "image": "s.png", "function": "f", "parameters": {"n": 3}}
                {"id": "b", "trace": "three", "image": null, "function": null, "parameters": null}
                """);
        assertThat(records.at("/0/reference_information/trace"))
                .hasToString("[{\"source\":\"text\",\"text\":\"one\"},{\"source\":\"text\",\"text\":\"two\"},"
                        + "{\"source\":\"picture\",\"picture\":\"s.png\"}]");
        assertThat(records.at("/0/recommendations/0/functions/0/parameters/n").intValue())
                .isEqualTo(3);
        assertThat(records.at("/1/recommendations")).isEmpty();
        assertThat(imported("plain.jsonl", "{\"trace\": \"x\"}").at("/0").has("recommendations"))
                .as("unlabelled without a column of functions")
                .isFalse();
    }

    @Test
    void badRowsAndMaps_areNamed() {
        String row = "{\"trace\": \"x\", \"evnt\": 1, \"function\": \"f\", \"parameters\": \"[1]\"}";
        refused(ExitCode.USAGE, row, "--map=trac=event")
                .hasMessage("--map trac=event: must be FIELD=COLUMN with a known field (did you mean \"trace\"?)");
        refused(ExitCode.BAD_DATA, row, "--map=trace=event")
                .hasMessageContaining(
                        "bad.jsonl: row 1: has no column \"event\" (--map trace) (did you mean \"evnt\"?)");
        refused(ExitCode.BAD_DATA, row).hasMessageContaining("row 1: parameters is [1], must be a JSON object");
        refused(ExitCode.BAD_DATA, "{\"phone\": \"p\"}").hasMessageContaining("has no step; name the column");
        refused(ExitCode.BAD_DATA, "").hasMessageContaining("bad.jsonl: has no rows");
        refused(ExitCode.BAD_DATA, "{\"trace\": ")
                .hasMessageContaining("bad.jsonl:1: is not JSON Lines (a CSV file must be named *.csv): ");
    }
}

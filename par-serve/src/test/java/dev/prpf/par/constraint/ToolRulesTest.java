package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import dev.prpf.par.chat.JoinedAnswer;
import dev.prpf.par.chat.ToolCallReader;
import dev.prpf.par.chat.ToolCallReader.Thinking;
import dev.prpf.par.chat.ToolCallReader.Tool;
import dev.prpf.par.constraint.JsonSchemaConstraints.Compiled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ToolRulesTest extends OnSmallVocabulary {
    private static final Tool ORDER = tool(
            "order_food",
            "{'type':'object','properties':{'dish':{'type':'string'},'count':{'type':'integer'},"
                    + "'size':{'enum':['small','large']},'extra':{'type':'array','items':{'type':'string'}},"
                    + "'note':{'type':'string','maxLength':5},'code':{'type':'string','pattern':'^[A-Z]{2}$'}},"
                    + "'required':['count','size']}");
    private static final Tool STOP = new Tool("stop", Tool.NO_PARAMETERS);

    private static Tool tool(String name, String parameters) {
        return new Tool(name, schema(parameters));
    }

    private static boolean takes(Compiled compiled, String text) {
        return taken(compiled, text).equals("whole");
    }

    @Test
    void callsAreWrittenAsTheTemplatesWriteThem() {
        List<Tool> tools = List.of(ORDER, STOP);
        Compiled json = constraints.calls(Thinking.NONE, ToolSyntax.JSON, tools, true);
        String order =
                "<tool_call>\n{\"name\": \"order_food\", \"arguments\": {\"dish\": \"a\\u003cb\", \"count\": 2, \"size\": \"small\"}}\n</tool_call>";
        String stop = "<tool_call>\n{\"name\": \"stop\", \"arguments\": {}}\n</tool_call>";
        assertThat(takes(json, order)).isTrue();
        assertThat(takes(json, order + "\n" + stop + "\n" + order)).isTrue();
        assertThat(takes(json, order + stop)).isFalse();
        assertThat(takes(json, "No.")).isFalse();
        assertThat(takes(json, stop.replace("{}", "{\"a\": 1}"))).isFalse();
        Compiled one = constraints.calls(Thinking.NONE, ToolSyntax.JSON, tools, false);
        assertThat(takes(one, order)).isTrue();
        assertThat(takes(one, order + "\n" + stop)).isFalse();
        Compiled named = constraints.calls(Thinking.OPTIONAL, ToolSyntax.JSON, List.of(STOP), false);
        assertThat(takes(named, stop)).isTrue();
        assertThat(takes(named, "<think>\nhm\n</think>\n\n" + stop)).isTrue();
        assertThat(takes(named, order)).isFalse();
    }

    @Test
    void callsInTagsHaveAValueOnLinesOfItsOwn() {
        Compiled tags = constraints.calls(Thinking.NONE, ToolSyntax.TAGS, List.of(ORDER, STOP), true);
        String order =
                "<tool_call>|<function=order_food>|<parameter=dish>|two|<b> lines|</parameter>|<parameter=count>|2"
                        + "|</parameter>|<parameter=size>|large|</parameter>|<parameter=extra>|[\"x\", \"y\"]|</parameter>"
                        + "|<parameter=note>|abcde|</parameter>|<parameter=code>|AB|</parameter>|</function>|</tool_call>";
        order = order.replace('|', '\n');
        String stop = "<tool_call>\n<function=stop>\n</function>\n</tool_call>";
        assertThat(takes(tags, order)).isTrue();
        assertThat(takes(tags, stop + "\n" + order)).isTrue();
        assertThat(takes(tags, order.replace("abcde", "abcdef"))).isFalse();
        assertThat(takes(tags, order.replace("large", "huge"))).isFalse();
        assertThat(takes(tags, order.replace("AB", "Ab"))).isFalse();
        assertThat(takes(tags, "<tool_call>\n<function=order_food>\n</function>\n</tool_call>"))
                .as("count and size are required")
                .isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            value = ToolSyntax.class,
            names = {"JSON", "TAGS"})
    void randomModel_callsReadBackWithArgumentsOfTheirSchema(ToolSyntax syntax) {
        RandomSchemas schemas = new RandomSchemas(9);
        Random random = new Random(10);
        int calls = 0;
        for (int i = 0; i < 400; i++) {
            List<Tool> tools = new ArrayList<>(List.of(ORDER, STOP));
            ObjectNode schema = schemas.next();
            ObjectNode parameters = schema.objectNode().put("type", "object");
            ObjectNode properties = parameters.putObject("properties");
            properties.set("value", schema.deepCopy());
            parameters.set("$defs", schema.remove("$defs"));
            ((ObjectNode) properties.path("value")).remove("$defs");
            parameters.putArray("required").add("value");
            tools.add(new Tool("made", parameters));
            Compiled compiled;
            try {
                compiled = constraints.calls(
                        random.nextBoolean() ? Thinking.NONE : Thinking.BEGUN, syntax, tools, random.nextBoolean());
            } catch (InvalidDataException e) {
                assertThat(e)
                        .hasMessageMatching(
                                "the parameters of the function made: (the schema has no value that can be written"
                                        + "|the value .* cannot be written in this model's calls: it has a <)");
                continue;
            }
            int maxNew = compiled.shortest() + random.nextInt(200);
            List<Long> ids = new RandomModel(i, i % 2 == 0).write(compiled.walker(), maxNew, vocabulary.end);
            assertThat(ids).hasSizeLessThanOrEqualTo(maxNew);
            String text = vocabulary.text(ids);
            Thinking thinking = text.startsWith("<tool_call>") ? Thinking.NONE : Thinking.BEGUN;
            JoinedAnswer answer = JoinedAnswer.read(thinking, syntax, tools, text);
            assertThat(answer.content()).as(text).isNull();
            assertThat(answer.calls()).as(text).isNotEmpty();
            answer.calls().forEach(call -> requireRight(tools, call));
            calls += answer.calls().size();
        }
        assertThat(calls).isGreaterThan(350);
    }

    private static void requireRight(List<Tool> tools, ToolCallReader.Part.Call call) {
        JsonNode parameters = tools.stream()
                .filter(tool -> tool.name().equals(call.name()))
                .findFirst()
                .orElseThrow()
                .parameters();
        assertThat(new SchemaCheck(parameters).takes(json(call.arguments())))
                .as(parameters + "\n" + call.arguments())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "JSON|f|{'type':'string'}|the parameters of the function f: the schema must be of an object",
                "JSON|f|{'type':'object','minProperties':1}|the parameters of the function f: the schema: the keyword \"minProperties\" is not supported",
                "TAGS|f|{'type':'object'}|the parameters of the function f: this model's calls name each parameter",
                "TAGS|a<b|{'properties':{}}|the name \"a<b\" cannot be written in this model's calls",
                "TAGS|f|{'properties':{'a>b':{}}}|the name \"a>b\" cannot be written in this model's calls",
                "TAGS|f|{'properties':{'a':{'const':'<x'}}}|the value \"<x\" cannot be written in this model's calls: it has a <",
                "JSON|f|{'properties':{'a':false},'required':['a']}|the parameters of the function f: the schema has no value that can be written"
            })
    void functionsThatCannotBeCalledAreRefused(ToolSyntax syntax, String name, String parameters, String message) {
        assertThatThrownBy(() -> constraints.calls(Thinking.NONE, syntax, List.of(tool(name, parameters)), false))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(message);
    }
}

package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import dev.prpf.par.chat.JoinedAnswer;
import dev.prpf.par.chat.ToolCallReader;
import dev.prpf.par.chat.ToolCallReader.Thinking;
import dev.prpf.par.chat.ToolCallReader.Tool;
import dev.prpf.par.generate.TokenConstraint;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that a model begins by itself. */
class LazyConstraintTest extends OnSmallVocabulary {
    private static final int ROOMY = 2_000;
    private static final List<Tool> TOOLS = List.of(
            new Tool(
                    "order",
                    schema(
                            "{'type':'object','properties':{'count':{'type':'integer'},'size':{'enum':['small','large']},"
                                    + "'note':{'type':'string'}},'required':['count','size']}")),
            new Tool("stop", Tool.NO_PARAMETERS));

    private static TokenConstraint freely(Thinking thinking, ToolSyntax syntax) {
        return constraints.calledFreely(thinking, syntax, TOOLS, List.of()).get();
    }

    private static BitSet allowed(TokenConstraint constraint, int left) {
        return BitSet.valueOf(constraint.allowed(left));
    }

    /** A response may end wherever it is free, and nowhere in a call. */
    private static boolean isFree(TokenConstraint constraint) {
        return allowed(constraint, ROOMY).get(vocabulary.end);
    }

    private static long[] ids(String text) {
        return vocabulary.tokenizer.encodePlain(text);
    }

    private static void accept(TokenConstraint constraint, String text) {
        for (long id : ids(text)) {
            assertThat(allowed(constraint, ROOMY).get((int) id)).as(text).isTrue();
            constraint.accept(id);
        }
    }

    /** Writes the texts, one before each call, and random allowed tokens in each call. */
    private static String write(TokenConstraint constraint, long seed, String... texts) {
        RandomModel model = new RandomModel(seed, false);
        List<Long> written = new ArrayList<>();
        for (String text : texts) {
            for (long id : ids(text)) {
                constraint.accept(id);
                written.add(id);
            }
            for (int left = 300; !isFree(constraint); left--) {
                long next = model.any(constraint.allowed(left));
                constraint.accept(next);
                written.add(next);
            }
        }
        return vocabulary.text(written);
    }

    @ParameterizedTest
    @EnumSource(
            value = ToolSyntax.class,
            names = {"JSON", "TAGS"})
    void aCallIsOfItsSchemaAndWhatStandsAroundItIsFree(ToolSyntax syntax) {
        List<String> called = new ArrayList<>();
        for (int seed = 0; seed < 40; seed++) {
            String text = write(
                    freely(Thinking.NONE, syntax),
                    seed,
                    "Let me <b>see</b> </tool_call>. <tool_call>",
                    "\nAnd again <tool_call>",
                    " done");
            JoinedAnswer answer = JoinedAnswer.read(Thinking.NONE, syntax, TOOLS, text);
            assertThat(answer.content())
                    .as(text)
                    .startsWith("Let me <b>see</b> </tool_call>.")
                    .endsWith(" done");
            assertThat(answer.calls()).as(text).hasSize(2);
            for (ToolCallReader.Part.Call call : answer.calls()) {
                Tool tool = TOOLS.get(String.valueOf(call.name()).equals("order") ? 0 : 1);
                assertThat(new SchemaCheck(tool.parameters()).takes(json(call.arguments())))
                        .as(text)
                        .isTrue();
                called.add(tool.name());
            }
        }
        assertThat(called).contains("order", "stop");
    }

    @ParameterizedTest
    @CsvSource({
        "NONE,     'Well, <tool_call>',                               false",
        "NONE,     '<think> hm </think> <tool_call>',                 false",
        "NONE,     'a <tool_cal',                                     true",
        "NONE,     '<<tool_call>',                                    false",
        "BEGUN,    'hm <tool_call> no',                               true",
        "BEGUN,    'hm <tool_call> </think> so <tool_call>',          false",
        "OPTIONAL, ' <think> hm <tool_call>',                         true",
        "OPTIONAL, '<think>hm</think><tool_call>',                    false",
        "OPTIONAL, 'Well <think> hm <tool_call>',                     false",
        "OPTIONAL, '<thin <tool_call>',                               false"
    })
    void aCallBeginsWhereTheReaderSeesOne(Thinking thinking, String text, boolean free) {
        TokenConstraint constraint = freely(thinking, ToolSyntax.JSON);
        accept(constraint, text);
        assertThat(isFree(constraint)).isEqualTo(free);
    }

    @Test
    void outsideOfACallEveryTokenMayCome() {
        TokenConstraint constraint = freely(Thinking.NONE, ToolSyntax.JSON);
        assertThat(constraint.shortest()).isOne();
        assertThat(allowed(constraint, 1).cardinality()).isEqualTo(vocabulary.width);
        assertThat(constraint.forced(ROOMY)).isEmpty();
        LongStream.of(ids("火")).limit(1).forEach(constraint::accept);
        assertThat(allowed(constraint, 1).cardinality())
                .as("within a character")
                .isEqualTo(vocabulary.width);
        accept(constraint, "a <tool_");
        constraint.accept(vocabulary.end);
        constraint.accept(vocabulary.width - 1); // of no text
        accept(constraint, "call>");
        assertThat(isFree(constraint))
                .as("what has no text does not part the tag")
                .isFalse();
        assertThat(constraint.forced(ROOMY)).as("the call's beginning").isNotEmpty();
    }

    @Test
    void aCallThatHasNoRoomIsNotBegun() {
        TokenConstraint constraint = freely(Thinking.NONE, ToolSyntax.JSON);
        accept(constraint, "<tool_call");
        int end = (int) ids(">")[0];
        int least = 1;
        while (!allowed(constraint, least).get(end)) {
            least++;
        }
        assertThat(least).isBetween(10, 100);
        constraint.accept(end);
        RandomModel model = new RandomModel(3, false);
        for (int left = least - 1; !isFree(constraint); left--) {
            assertThat(left).isPositive();
            constraint.accept(model.any(constraint.allowed(left)));
        }
    }

    @Test
    void aSchemaOutsideOfTheSubsetBindsWhereItIsStrict() {
        Tool odd = new Tool("odd", schema("{'type':'object','minProperties':1,'properties':{'a':{},'b':{}}}"));
        assertThatThrownBy(() -> constraints.calledFreely(Thinking.NONE, ToolSyntax.JSON, List.of(odd), List.of("odd")))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("the parameters of the function odd: the schema: the keyword \"minProperties\"");
        for (ToolSyntax syntax : Stream.of(ToolSyntax.JSON, ToolSyntax.TAGS).toList()) {
            TokenConstraint loose = constraints
                    .calledFreely(Thinking.NONE, syntax, List.of(odd), List.of())
                    .get();
            Iterator<ToolCallReader.Part.Call> calls = JoinedAnswer.read(
                            Thinking.NONE, syntax, List.of(odd), write(loose, 7, "<tool_call>"))
                    .calls()
                    .iterator();
            assertThat(json(calls.next().arguments()).isObject()).isTrue();
        }
    }

    @Test
    void withoutFunctionsThereIsNothingToCall() {
        assertThatThrownBy(() -> constraints.calledFreely(Thinking.NONE, ToolSyntax.NONE, TOOLS, List.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> constraints.calledFreely(Thinking.NONE, ToolSyntax.JSON, List.of(), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

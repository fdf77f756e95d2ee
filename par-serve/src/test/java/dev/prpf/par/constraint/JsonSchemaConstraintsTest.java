package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ToolCallReader.Thinking;
import dev.prpf.par.constraint.JsonSchemaConstraints.Compiled;
import dev.prpf.par.constraint.States.State;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
class JsonSchemaConstraintsTest extends OnSmallVocabulary {
    private static Compiled compiled(String schema) {
        return constraints.json(Thinking.NONE, schema(schema));
    }

    @Test
    void randomModel_textIsAValueOfTheSchemaWithinItsTokens() {
        RandomSchemas schemas = new RandomSchemas(5);
        Random random = new Random(6);
        Set<String> kinds = new HashSet<>();
        int cut = 0;
        int impossible = 0;
        for (int i = 0; i < 500; i++) {
            ObjectNode schema = schemas.next();
            Compiled compiled;
            try {
                compiled = constraints.json(Thinking.NONE, schema);
            } catch (InvalidDataException e) {
                assertThat(e).hasMessage("the schema has no value that can be written");
                impossible++;
                continue;
            }
            int maxNew = compiled.shortest() + random.nextInt(random.nextInt(8) == 0 ? 300 : 60);
            List<Long> ids = new RandomModel(i, i % 2 == 0).write(compiled.walker(), maxNew, vocabulary.end);
            assertThat(ids).hasSizeLessThanOrEqualTo(maxNew);
            cut += ids.size() == maxNew ? 1 : 0;
            JsonNode value = json(vocabulary.text(ids));
            kinds.add(value.getNodeType().name());
            assertThat(new SchemaCheck(schema).takes(value))
                    .as(schema + "\n" + value)
                    .isTrue();
        }
        assertThat(kinds).containsExactlyInAnyOrder("STRING", "NUMBER", "BOOLEAN", "NULL", "ARRAY", "OBJECT");
        assertThat(cut).as("the length was what ended these").isGreaterThan(10);
        assertThat(impossible).isLessThan(50);
    }

    @Test
    void tokenSetsEqualBruteForceAndSomeTokenShortensTheRest() {
        RandomSchemas schemas = new RandomSchemas(7);
        int compared = 0;
        for (int i = 0; i < 60; i++) {
            Compiled compiled;
            try {
                compiled = constraints.json(Thinking.NONE, schemas.next());
            } catch (InvalidDataException e) {
                continue;
            }
            ResponseConstraint walker = compiled.walker();
            RandomModel model = new RandomModel(i, false);
            for (int left = compiled.shortest() + 40; !walker.state().complete() && left > 0; left--) {
                long[] allowed = walker.allowed(left);
                if (!(walker.state().head() instanceof Text) && walker.state().openObjects() == 0) {
                    requireBruteForce(walker.state(), BitSet.valueOf(allowed), left);
                    compared++;
                }
                long next = model.any(allowed);
                walker.accept(next);
                if (next == vocabulary.end) {
                    break;
                }
            }
        }
        assertThat(compared).isGreaterThan(300);
    }

    private static void requireBruteForce(State state, BitSet allowed, int left) {
        TokenTrie trie = new TokenTrie(
                vocabulary.tokenizer.writtenTokens(Set.of()).stream()
                        .filter(token -> token.id() != vocabulary.end)
                        .toList(),
                vocabulary.width);
        BitSet expected = new BitSet();
        int least = Integer.MAX_VALUE;
        for (int token = 0; token < vocabulary.width; token++) {
            byte[] bytes = trie.written(token);
            State at = bytes == null ? null : state;
            boolean key = false;
            for (int i = 0; bytes != null && i < bytes.length && at != null; i++) {
                State before = at;
                at = at.step(bytes[i] & 0xFF);
                boolean leaves = key && at != null && !at.inKey();
                key = at != null && at.inKey() && (key || !before.inKey());
                at = leaves ? null : at;
            }
            if (at != null && at.cost() < left) {
                expected.set(token);
                least = Math.min(least, at.cost());
            }
        }
        expected.set(vocabulary.end, state.mayEnd());
        assertThat(allowed).isEqualTo(expected);
        assertThat(state.mayEnd() || least < state.cost()).isTrue();
    }

    @Test
    void numbersBetweenBounds_areWrittenWithinThem() {
        Random random = new Random(9);
        for (int i = 0; i < 60; i++) {
            boolean whole = i % 2 == 0;
            double low = Math.rint((random.nextDouble() - 0.5) * 2_000) / (whole ? 1 : 100);
            double high = low + Math.rint(random.nextDouble() * 500) / (whole ? 1 : 100) + (whole ? 0 : 0.01);
            high = Math.round(high * 100) / 100.0;
            String bounds = "'minimum':" + low + ",'maximum':" + high;
            Compiled compiled = compiled("{'type':'" + (whole ? "integer" : "number") + "'," + bounds + "}");
            List<Long> ids = new RandomModel(i, false).write(compiled.walker(), 40, vocabulary.end);
            JsonNode value = json(vocabulary.text(ids));
            assertThat(value.doubleValue()).as(bounds).isBetween(low, high);
            assertThat(!whole || value.isIntegralNumber()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "{'type':'integer'}~-12~whole",
                "{'type':'integer'}~1.~1",
                "{'type':'number'}~1.5~whole",
                "{'type':'integer','minimum':0,'maximum':23}~23~whole",
                "{'type':'integer','minimum':0,'maximum':23}~24~2",
                "{'type':'integer','minimum':0,'maximum':23}~07~0",
                "{'type':'integer','minimum':-15,'maximum':1200}~-15~whole",
                "{'type':'integer','minimum':-15,'maximum':1200}~-16~-1",
                "{'type':'integer','minimum':-15,'maximum':1200}~1201~120",
                "{'type':'integer','exclusiveMinimum':9}~9~begun",
                "{'type':'integer','exclusiveMinimum':9}~123456~whole",
                "{'type':'integer','minimum':-1e308,'maximum':1e16}~-999999999999999~whole",
                "{'type':'integer','minimum':999999999999999}~999999999999999~whole",
                "{'type':'number','minimum':0,'maximum':1}~0.75~whole",
                "{'type':'number','minimum':0,'maximum':1}~1.0~whole",
                "{'type':'number','minimum':0,'maximum':1}~1.05~1.0",
                "{'type':'number','minimum':-0.25,'exclusiveMaximum':0.5}~-0.25~whole",
                "{'type':'number','minimum':-0.25,'exclusiveMaximum':0.5}~-0.26~-0.2",
                "{'type':'number','minimum':-0.25,'exclusiveMaximum':0.5}~0.499~0.49",
                "{'type':'number','minimum':-0.25,'exclusiveMaximum':0.5}~0.5~0.",
                "{'enum':['a','ab',1,12]}~1~whole",
                "{'enum':['a','ab',1,12]}~12~whole",
                "{'enum':['a','ab',1,12]}~13~1",
                "{'const':'<|im_end|>'}~\"<|im_end|>\"~whole",
                "{'type':'string'}~\"a<b\\u4e2d\"~whole",
                "{'type':'string','maxLength':2}~\"的a~begun",
                "{'type':'string','maxLength':2}~\"的ab~\"的a",
                "{'type':'string','minLength':2}~\"a\"~\"a",
                "{'type':'string','maxLength':0}~\"\"~whole",
                "{'type':'string','pattern':'^a*ab$'}~\"aab\"~whole",
                "{'type':'string','pattern':'^a*ab$'}~\"ab\"~whole",
                "{'type':'string','pattern':'^(a|ab)(c|bcd)$'}~\"abcd\"~whole",
                "{'type':'string','pattern':'^(a|ab)(c|bcd)$'}~\"abc\"~whole",
                "{'type':'string','pattern':'b'}~\"abc\"~whole",
                "{'type':'string','pattern':'b'}~\"ac\"~\"ac",
                "{'type':'string','pattern':'^(a?){2}$'}~\"aa\"~whole",
                "{'type':'string','pattern':'^(a?){2}$'}~\"aaa~\"aa",
                "{'type':'string','format':'date'}~\"2024-02-29\"~whole",
                "{'type':'string','format':'date'}~\"2023-02-29\"~\"2023-02-2",
                "{'type':'string','format':'date-time'}~\"2024-12-31T23:59:59.5+01:00\"~whole",
                "{'type':'string','format':'uuid'}~\"123e4567-e89b-12d3-a456-426614174000\"~whole",
                "{'type':'string','format':'ipv4'}~\"255.0.13.249\"~whole",
                "{'type':'string','format':'ipv4'}~\"256~\"25",
                "{'type':'string','format':'email'}~\"a.b@example.org\"~whole",
                "{'type':'array','items':{'type':'integer'},'minItems':1,'maxItems':2}~[]~[",
                "{'type':'array','items':{'type':'integer'},'minItems':1,'maxItems':2}~[1, 2]~whole",
                "{'type':'array','items':{'type':'integer'},'maxItems':2}~[1,2,~[1,2",
                "{'prefixItems':[{'const':1},{'const':2}],'items':false}~[1, 2]~whole",
                "{'prefixItems':[{'const':1},{'const':2}],'items':false}~[1]~whole",
                "{'prefixItems':[{'const':1},{'const':2}],'items':false}~[1,2,~[1,2",
                "{'properties':{'a':{'const':1},'b':{'const':2}},'required':['b']}~{\"a\": 1, \"b\":2}~whole",
                "{'properties':{'a':{'const':1},'b':{'const':2}},'required':['b']}~{\"b\":2}~whole",
                "{'properties':{'a':{'const':1},'b':{'const':2}},'required':['b']}~{\"b\":2,~{\"b\":2",
                "{'properties':{'a':{'const':1},'b':{'const':2}},'required':['b']}~{}~{",
                "{'properties':{'a':{'const':1}}}~{}~whole",
                "{'properties':{'a':false,'b':{'const':1}}}~{\"b\":1}~whole",
                "{'type':'object'}~{\"a\": {\"b\": [1, null]}, \"c\":\"\"}~whole",
                "{'type':'object','additionalProperties':{'type':'integer'}}~{\"a\":\"~{\"a\":",
                "{'type':'object','additionalProperties':false}~{}~whole",
                "{'properties':{'next':{'$ref':'#'}}}~{\"next\":{\"next\":{}}}~whole",
                "{'oneOf':[{'type':'string'},{'type':'integer'}]}~7~whole",
                "true~[{\"a\":true}]~whole"
            })
    void textsAreTakenAsFarAsTheyAreTheSchemas(String schema, String text, String taken) {
        assertThat(taken(compiled(schema), text)).isEqualTo(taken);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "false|the schema has no value that can be written",
                "{'type':'string','minLength':1000000000}|no value that can be written",
                "{'minimum':1e15}|no value that can be written",
                "{'type':'integer','minimum':9223372036854775808}|no value that can be written",
                "{'minimum':1e17,'maximum':1e18}|no value that can be written",
                "{'minimum':999999999999999.5}|no value that can be written",
                "{'type':'integer','maximum':-1e308}|no value that can be written",
                "{'type':'array','items':{'type':'integer'},'minItems':1000000000}|no value that can be written",
                "{'type':'object','properties':{'a':false},'required':['a']}|no value that can be written",
                "{'type':'object','required':['a'],'additionalProperties':false}|no value that can be written",
                "{'$defs':{'a':{'$ref':'#/$defs/a'}},'$ref':'#/$defs/a'}|no value that can be written",
                "{'properties':{'next':{'$ref':'#'}},'required':['next']}|no value that can be written",
                "{'type':'string','pattern':'[]'}|no value that can be written",
                "{'anyOf':[{'type':'object'},{'properties':{'a':{}}}]}|several objects of which one holds an object of any fields",
                "{'anyOf':[{'type':'array'},{'items':{'type':'integer'}}]}|several arrays of which one holds"
            })
    void whatCannotBeWrittenOrToldApartIsRefused(String schema, String message) {
        assertThatThrownBy(() -> compiled(schema))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(message);
    }

    @Test
    void whatIsKnownIsForced() {
        Compiled compiled = compiled("{'properties':{'order_food':{'enum':['now']}},'required':['order_food'],"
                + "'additionalProperties':false}");
        ResponseConstraint walker = compiled.walker();
        StringBuilder text = new StringBuilder();
        int chosen = 0;
        for (int left = 60; !walker.state().complete(); left--) {
            long[] forced = walker.forced(left);
            chosen += forced.length == 0 ? 1 : 0;
            long next = forced.length > 0
                    ? forced[0]
                    : BitSet.valueOf(walker.allowed(left)).nextSetBit(0);
            walker.accept(next);
            text.append(vocabulary.tokenizer.decode(new long[] {next}));
        }
        assertThat(json(text.toString())).isEqualTo(schema("{'order_food':'now'}"));
        assertThat(chosen).as("behind the colon a space may stand").isLessThan(6);
        assertThat(walker.forced(1)).containsExactly(vocabulary.end);
    }

    /** Every token that may come as likely as the others. */
    private static List<Long> evenly(ResponseConstraint walker, Random random) {
        List<Long> ids = new ArrayList<>();
        while (ids.isEmpty() || ids.get(ids.size() - 1) != vocabulary.end) {
            BitSet allowed = BitSet.valueOf(walker.allowed(30 - ids.size()));
            ids.add((long) allowed.stream()
                    .skip(random.nextInt(allowed.cardinality()))
                    .findFirst()
                    .orElseThrow());
            walker.accept(ids.get(ids.size() - 1));
        }
        return ids;
    }

    @Test
    void choicesMayBeginEachOther() {
        Compiled compiled = constraints.choice(Thinking.NONE, List.of("yes", "yes please", "no"));
        assertThat(taken(compiled, "yes")).isEqualTo("whole");
        assertThat(taken(compiled, "yes please")).isEqualTo("whole");
        assertThat(taken(compiled, "ye")).isEqualTo("begun");
        assertThat(taken(compiled, "nope")).isEqualTo("no");
        Set<String> written = new HashSet<>();
        Random random = new Random(5);
        for (int i = 0; i < 40; i++) {
            written.add(vocabulary.text(evenly(compiled.walker(), random)));
        }
        assertThat(written).containsExactlyInAnyOrder("yes", "yes please", "no");
        assertThat(constraints.choice(Thinking.NONE, List.of("a, b", "c")))
                .as("another list that is written alike")
                .isNotSameAs(constraints.choice(Thinking.NONE, List.of("a", "b, c")));
        assertThatThrownBy(() -> constraints.choice(Thinking.NONE, List.of("a", "a")))
                .hasMessageContaining("a choice has 2 texts of 2 characters; it must have at least one, each once");
        assertThatThrownBy(() -> constraints.choice(Thinking.NONE, List.of())).hasMessageContaining("0 texts");
    }

    @Test
    void thoughtsComeBeforeTheAnswer() {
        JsonNode schema = schema("{'const':1}");
        Compiled begun = constraints.json(Thinking.BEGUN, schema);
        assertThat(taken(begun, "well <b> hm\n</think>\n\n1")).isEqualTo("whole");
        assertThat(taken(begun, "</think>\n\n1")).isEqualTo("whole");
        assertThat(taken(begun, "a</think>1")).isEqualTo("a</think>");
        Compiled optional = constraints.json(Thinking.OPTIONAL, schema);
        assertThat(taken(optional, "<think>\nx</think>\n\n1")).isEqualTo("whole");
        assertThat(taken(optional, "1")).isEqualTo("whole");
        assertThat(optional.shortest()).isEqualTo(2);
        for (int i = 0; i < 100; i++) {
            List<Long> ids = new RandomModel(i, i % 2 == 0).write(begun.walker(), begun.shortest() + i, vocabulary.end);
            assertThat(vocabulary.text(ids)).endsWith("</think>\n\n1");
        }
    }

    @Test
    void whatWasCompiledIsKeptAndTheOldestGoes() {
        JsonSchemaConstraints own =
                JsonSchemaConstraints.of(vocabulary.tokenizer, vocabulary.width, List.of(vocabulary.end));
        Compiled first = own.json(Thinking.NONE, schema("{'const':'first'}"));
        assertThat(own.json(Thinking.NONE, schema("{'const':'first'}"))).isSameAs(first);
        assertThat(own.json(Thinking.OPTIONAL, schema("{'const':'first'}"))).isNotSameAs(first);
        for (int i = 0; i < 100; i++) {
            own.json(Thinking.NONE, schema("{'const':" + i + "}"));
        }
        assertThat(own.kept()).isEqualTo(64);
        assertThat(own.json(Thinking.NONE, schema("{'const':'first'}"))).isNotSameAs(first);
        for (int i = 0; i < 20; i++) {
            own.json(Thinking.NONE, schema("{'const':'" + i + "x".repeat(60_000) + "'}"));
        }
        assertThat(own.kept()).as("long ones leave room for few").isLessThan(10);
        assertThatThrownBy(() -> JsonSchemaConstraints.of(vocabulary.tokenizer, 10, List.of(11)))
                .hasMessageContaining("constrained decoding needs an end token");
    }

    @Test
    void separateConstraintsShareNothingThatWasCompiledOrReached() {
        JsonSchemaConstraints one =
                JsonSchemaConstraints.of(vocabulary.tokenizer, vocabulary.width, List.of(vocabulary.end));
        JsonSchemaConstraints other = one.separate();
        JsonNode schema = schema("{'enum':['red','green']}");
        one.json(Thinking.NONE, schema).get().allowed(100);
        long made = one.statesMade();
        assertThat(other.kept()).isZero();
        long before = other.statesMade();
        assertThat(other.json(Thinking.NONE, schema).get().allowed(100))
                .isEqualTo(one.json(Thinking.NONE, schema).get().allowed(100));
        assertThat(one.statesMade()).as("known").isEqualTo(made);
        assertThat(other.statesMade()).isGreaterThan(before);
    }

    @Test
    void noSchemaIsLargerThanItsBudget() {
        StringBuilder laughs = new StringBuilder("{'$defs':{'d0':{'type':'string'}");
        for (int i = 1; i < 60; i++) {
            String before = "{'$ref':'#/$defs/d" + (i - 1) + "'}";
            laughs.append(",'d" + i + "':{'properties':{'a':" + before + ",'b':" + before + "}}");
        }
        laughs.append("},'$ref':'#/$defs/d59'}");
        assertThat(taken(compiled(laughs.toString()), "{\"a\": {\"b\": {\"a\": {}}}}"))
                .as("what is referred to twice is made once")
                .isEqualTo("whole");
        String values = "'" + "x".repeat(20_000) + "'";
        String large = "{'$defs':{'t':{'properties':{'v':{'enum':[" + values + "]},'n':{'$ref':'#/$defs/t'}}}},"
                + "'properties':{'a':{'$ref':'#/$defs/t'},'b':{'enum':[" + values + "]}}}";
        assertThatThrownBy(() -> compiled(large))
                .hasMessageContaining("the schema is too large: with what it refers to it has more than 131072");
        StringBuilder chain = new StringBuilder("{'$defs':{'d0':{'type':'string'}");
        for (int i = 1; i < 600; i++) {
            chain.append(",'d" + i + "':{'items':{'$ref':'#/$defs/d" + (i - 1) + "'}}");
        }
        assertThatThrownBy(() -> compiled(chain + "},'$ref':'#/$defs/d599'}"))
                .hasMessageContaining("the schema nests deeper than 256 levels");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "{'type':'string','maxLength':1000000000}",
                "{'type':'string','pattern':'^((a{0,1000}){0,1000}){0,1000}$'}",
                "{'type':'string','pattern':'^(a|aa)+(a|b)*a(a|b){300}$'}",
                "{'type':'string','pattern':'^(a?){500}(b?c?){500}$'}",
                "{'type':'array','maxItems':1000000000,'items':{'type':'string','maxLength':1000000}}",
                "{'anyOf':[{'type':'string','pattern':'a'},{'type':'string','pattern':'b'},{'type':'string','pattern':'[ab]{9}'}]}"
            })
    void whatTriesToBlowUpMakesFewStatesForEachToken(String schema) {
        Compiled compiled = compiled(schema);
        int tokens = 40;
        long before = constraints.statesMade();
        List<Long> ids =
                new RandomModel(3, false).write(compiled.walker(), compiled.shortest() + tokens, vocabulary.end);
        assertThat(new SchemaCheck(schema(schema)).takes(json(vocabulary.text(ids))))
                .isTrue();
        assertThat(constraints.statesMade() - before).isLessThan(ids.size() * 600L + 2_000);
    }

    @Test
    void manyBranchesAreFollowedSideBySide() {
        List<String> branches = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            branches.add("{'properties':{'a':{'type':'string','maxLength':" + (i + 1) + "},'k':{'const':" + i
                    + "}},'required':['k']}");
        }
        String schema = "{'anyOf':[" + String.join(",", branches) + "]}";
        Compiled compiled = compiled(schema);
        assertThat(taken(compiled, "{\"k\": 7}")).isEqualTo("whole");
        List<Long> ids = new RandomModel(4, false).write(compiled.walker(), 60, vocabulary.end);
        assertThat(new SchemaCheck(schema(schema)).takes(json(vocabulary.text(ids))))
                .isTrue();
    }
}

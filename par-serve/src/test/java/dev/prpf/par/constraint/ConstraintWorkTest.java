package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ToolCallReader.Thinking;
import dev.prpf.par.schema.WorkBudget;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The work of a schema: its compilation and each token of its responses. */
@Tag("slow")
class ConstraintWorkTest extends OnSmallVocabulary {
    private static JsonNode pattern(String pattern) {
        return JsonNodeFactory.instance.objectNode().put("type", "string").put("pattern", pattern);
    }

    private static String nested(String inner, String begin, String end, int times) {
        String pattern = inner;
        for (int i = 0; i < times; i++) {
            pattern = begin + pattern + end;
        }
        return "^x" + pattern + "$";
    }

    static Stream<String> hostilePatterns() {
        return Stream.of(
                nested(".", "(", ".{0,99}.?){0,99}", 27),
                nested(".{0,999}", "(", ".?){0,9}", 31),
                nested(".*", "(", ".*.?)*", 31),
                nested("[a-m]", "(", "|[b-z]{0,9}.?){0,9}", 24),
                nested("a?", "(b?", "c?\\w{0,50}){0,50}", 25));
    }

    @ParameterizedTest
    @MethodSource("hostilePatterns")
    void countsWithinCounts_stayWithinTheBudgetOrFailTheirOwnResponse(String hostile) {
        ResponseConstraint walker =
                constraints.json(Thinking.NONE, pattern(hostile)).walker();
        RandomModel model = new RandomModel(1, false);
        try {
            long token = -1;
            for (int left = 200; left > 150 && token != vocabulary.end; left--) {
                token = model.any(walker.allowed(left));
                walker.accept(token);
            }
        } catch (InvalidDataException e) {
            assertThat(e)
                    .hasMessage("the schema or pattern of this response takes more than 4194304 operations; use fewer"
                            + " alternatives, fewer optional parts and fewer counts within counts");
        }
        assertThat(walker.budget().spent()).isLessThan(2 * ResponseConstraint.OPERATIONS);
        ResponseConstraint other =
                constraints.json(Thinking.NONE, pattern("^[a-z]{3}$")).walker();
        assertThat(model.write(other, 40, vocabulary.end)).isNotEmpty();
        assertThat(other.budget().spent()).isLessThan(ResponseConstraint.OPERATIONS / 100);
    }

    /** Two of the hostile patterns: each exhausts the budget twice. */
    static Stream<String> slicedPatterns() {
        return hostilePatterns().skip(2).limit(2);
    }

    @ParameterizedTest
    @MethodSource("slicedPatterns")
    void preparingInSlices_findsWhatIsAllowedAndPausesOften(String hostile) {
        assertSlicesAllowTheSame(hostile, 15);
    }

    /** The smaller test is {@link #preparingInSlices_findsWhatIsAllowedAndPausesOften}. */
    @ParameterizedTest
    @MethodSource("hostilePatterns")
    @Tag("nightly")
    void preparingEveryHostilePatternInSlices_findsWhatIsAllowed(String hostile) {
        assertSlicesAllowTheSame(hostile, 50);
    }

    private void assertSlicesAllowTheSame(String hostile, int tokens) {
        ResponseConstraint whole =
                constraints.json(Thinking.NONE, pattern(hostile)).walker();
        ResponseConstraint sliced =
                constraints.json(Thinking.NONE, pattern(hostile)).walker();
        RandomModel model = new RandomModel(1, false);
        int pauses = 0;
        try {
            long token = -1;
            for (int left = 200; left > 200 - tokens && token != vocabulary.end; left--) {
                while (!sliced.prepare(left)) {
                    pauses++;
                }
                long[] forced = sliced.forced(left);
                long charged = sliced.budget().spent();
                token = forced.length > 0 ? forced[0] : model.any(sliced.allowed(left));
                assertThat(sliced.budget().spent()).as("nothing is left to do").isEqualTo(charged);
                assertThat(sliced.allowed(left)).isEqualTo(whole.allowed(left));
                whole.accept(token);
                sliced.accept(token);
            }
        } catch (InvalidDataException e) {
            assertThat(e).hasMessageStartingWith("the schema or pattern of this response takes more than 4194304");
        }
        assertThat(pauses).isGreaterThan(2);
    }

    @Test
    void slicesThatMakeNoProgress_endBeyondEightTimesTheLimit() {
        WorkBudget budget = new WorkBudget("the work", 100);
        for (int i = 0; i < 72; i++) {
            assertThat(budget.doWithin(10, () -> budget.spend(11))).isFalse();
        }
        assertThat(budget.spent()).isZero();
        assertThatThrownBy(() -> budget.doWithin(10, () -> budget.spend(11)))
                .hasMessageStartingWith("the work takes more than 100 operations; use fewer alternatives");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$",
                "^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$",
                "^https?://(www\\.)?[-a-zA-Z0-9@:%._+~#=]{1,256}\\.[a-z]{1,6}([-a-zA-Z0-9()@:%_+.~#?&/=]*)$",
                "^(?:[A-Z]{2}\\d{2}[ ]?)(?:[A-Z0-9]{4}[ ]?){2,7}[A-Z0-9]{1,4}$",
                "^.{1,200}$",
                "^.{0,500}$",
                "^[a-z]{1,64}$",
                "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2})?)?$",
                "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
                "^\\+?[0-9]{1,3}?[-. (]{0,2}[0-9]{2,4}[-. )]{0,2}([0-9]{2,4}[-. ]?){1,4}$",
                "^([^,\\n]{0,100},){0,50}[^,\\n]{0,100}$",
                ".*\\S.*",
                "^(a|aa|a*)*$",
                "^\\w+( \\w+){0,20}$",
                "^((a{0,1000}){0,1000}){0,1000}$",
                "^(\\n?[a-m][^x]{0,9})+$",
                "^([^,;]{0,20}[,;]?)*$",
                "^(\\w{0,12}[a-z ]{0,8})+$"
            })
    void ordinaryPatterns_takeALittleOfTheBudget(String ordinary) {
        ResponseConstraint walker =
                constraints.json(Thinking.NONE, pattern(ordinary)).walker();
        List<Long> ids = new RandomModel(2, false).write(walker, 400, vocabulary.end);
        assertThat(ids).isNotEmpty();
        assertThat(walker.budget().spent()).isLessThan(ResponseConstraint.OPERATIONS / 20);
    }

    @Test
    void randomPatterns_areTakenOrRefusedWithAReason() {
        RandomPatterns patterns = new RandomPatterns(3);
        int taken = 0;
        for (int i = 0; i < 50; i++) {
            JsonNode schema = pattern(patterns.next());
            try {
                JsonSchemaConstraints.Compiled compiled = constraints.json(Thinking.NONE, schema);
                new RandomModel(i, false).write(compiled.walker(), compiled.shortest() + 8, vocabulary.end);
                taken++;
            } catch (InvalidDataException e) {
                assertThat(e.getMessage()).containsAnyOf("operations", "has no value", "at most 512", "groups");
            }
        }
        assertThat(taken).isGreaterThan(25);
    }

    @Test
    void mutatedSchemas_areCompiledOrRefusedWithinTwoSeconds() {
        int count = Integer.getInteger("prpf.fuzz", 300);
        long first = Long.getLong("prpf.fuzz.seed", 1);
        int compiled = 0;
        int refused = 0;
        double longest = 0;
        for (long seed = first; seed < first + count; seed++) {
            JsonNode mutated = new RandomSchemas(seed).next();
            Random random = new Random(seed);
            for (int i = random.nextInt(3); i >= 0; i--) {
                mutate(mutated, new RandomSchemas(seed + i).next(), random);
            }
            String context = "-Dprpf.fuzz=1 -Dprpf.fuzz.seed=" + seed + ": " + mutated;
            long begin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            try {
                assertThat(constraints.json(Thinking.NONE, mutated).shortest())
                        .as(context)
                        .isPositive();
                compiled++;
            } catch (InvalidDataException e) {
                assertThat(e.getMessage()).as(context).isNotBlank();
                refused++;
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError(context, e);
            }
            double seconds = (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begin) / 1e9;
            assertThat(seconds).as(context).isLessThan(2);
            longest = Math.max(longest, seconds);
        }
        System.out.printf("schemas: %d, %d compiled, %d refused, longest %.3f s%n", count, compiled, refused, longest);
        assertThat(count == 1 || (compiled > 0 && refused > 0)).isTrue();
    }

    /** Removes a member, or sets one to a value of another type, to a part of another schema or under another keyword. */
    private static void mutate(JsonNode schema, JsonNode other, Random random) {
        List<JsonNode> objects = Stream.concat(Stream.of(schema), schema.findValues("properties").stream())
                .flatMap(node -> Stream.concat(Stream.of(node), StreamSupport.stream(node.spliterator(), false)))
                .filter(JsonNode::isObject)
                .toList();
        ObjectNode target = (ObjectNode) objects.get(random.nextInt(objects.size()));
        List<JsonNode> values = new ArrayList<>(other.findValues("type"));
        values.addAll(other.findValues("enum"));
        values.addAll(
                List.of(other, IntNode.valueOf(random.nextInt(99) - 9), NullNode.instance, TextNode.valueOf("a")));
        List<String> keys = new ArrayList<>(List.of(
                "type",
                "enum",
                "items",
                "pattern",
                "maxLength",
                "uniqueItems",
                "allOf",
                "$ref",
                "minItems",
                "required",
                "properties",
                "minimum",
                "additionalProperties"));
        target.fieldNames().forEachRemaining(keys::add);
        String key = keys.get(random.nextInt(keys.size()));
        JsonNode value = values.get(random.nextInt(values.size()));
        switch (random.nextInt(4)) {
            case 0 -> target.remove(key);
            case 1 -> target.putArray(key).add(value).add(other.path("$defs").path("tree"));
            default -> target.set(key, value);
        }
    }

    @Test
    void aChoiceThatDoublesAtEachLevel_isCompiledOnce() {
        StringBuilder schema = new StringBuilder("{'$defs':{'a0':{'type':'integer'},'b0':{'type':'null'}");
        for (int i = 1; i < 40; i++) {
            String a = "{'$ref':'#/$defs/a" + (i - 1) + "'}";
            String b = "{'$ref':'#/$defs/b" + (i - 1) + "'}";
            schema.append(",'a" + i + "':{'anyOf':[" + a + "," + b + "]},'b" + i + "':{'anyOf':[" + b + "," + a
                    + ",{'const':" + i + "}]}");
        }
        schema.append("},'$ref':'#/$defs/b39'}");
        assertThat(taken(constraints.json(Thinking.NONE, schema(schema.toString())), "null"))
                .isEqualTo("whole");
    }

    @Test
    void indistinctBranchesOfOneOf_areRefusedBeforeComparingAllPairs() {
        StringBuilder schema = new StringBuilder("{'$defs':{'d0':{'type':'string'}");
        for (int i = 1; i < 4; i++) {
            String branches = ("{'$ref':'#/$defs/d" + (i - 1) + "'},").repeat(160);
            schema.append(",'d" + i + "':{'anyOf':[" + branches + "{'type':'null'}]}");
        }
        schema.append("},'oneOf':[{'$ref':'#/$defs/d3'},{'type':'integer'}]}");
        assertThatThrownBy(() -> constraints.json(Thinking.NONE, schema(schema.toString())))
                .hasMessageStartingWith("comparing the branches of oneOf takes more than 2097152 operations");
    }
}

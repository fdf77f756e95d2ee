package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.constraint.States.State;
import dev.prpf.par.schema.SchemaReader;
import dev.prpf.par.schema.WorkBudget;
import dev.prpf.par.tokenizer.Tokenizer.WrittenToken;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Times constraints of random patterns and schemas over a vocabulary of a tiktoken file (for instance qwen.tiktoken of the package dashscope):
 * {@code ConstraintFuzzBench VOCABULARY COUNT SEED}.
 */
final class ConstraintFuzzBench {
    private static final int TOKENS = 24;

    /** Patterns of published schemas: versions, addresses, places, identifiers. */
    private static final String[] ORDINARY = {
        "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?(\\+[0-9A-Za-z.-]+)?$",
        "^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$",
        "^https?://(www\\.)?[-a-zA-Z0-9@:%._+~#=]{1,256}\\.[a-zA-Z0-9()]{1,6}([-a-zA-Z0-9()@:%_+.~#?&/=]*)$",
        "^(([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|:((:[0-9a-fA-F]{1,4}){1,7}|:))$",
        "^(?:[A-Z]{2}\\d{2}[ ]?)(?:[A-Z0-9]{4}[ ]?){2,7}[A-Z0-9]{1,4}$",
        "^P(\\d+Y)?(\\d+M)?(\\d+D)?(T(\\d+H)?(\\d+M)?(\\d+S)?)?$",
        "^\\w+( \\w+){0,20}$",
        "^.{1,200}$",
        "(foo|bar|baz)+",
        ".*\\S.*",
        "^([\\w-]+/)*[\\w.-]+\\.(png|jpe?g|gif)$",
        "^(a|aa|a*)*$",
        "^#?([a-f0-9]{6}|[a-f0-9]{3})$",
        "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2})?)?$",
        "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
        "^\\+?[0-9]{1,3}?[-. (]{0,2}[0-9]{2,4}[-. )]{0,2}([0-9]{2,4}[-. ]?){1,4}$",
        "^[a-z]{1,64}$",
        "^.{0,500}$",
        "^([^,\\n]{0,100},){0,50}[^,\\n]{0,100}$",
        "^(\\([0-9]{3}\\))?[0-9]{3}-[0-9]{4}( x[0-9]{1,5})?$",
        "^([^,]*,){3}[^,]*$"
    };

    private final SchemaRules.Parts parts;
    private final TokenSets sets;
    private final States states = new States();
    private final int end;
    private double longestStep;
    private double longestCompilation;
    private double longestOfTaken;
    private long mostSpent;
    private final Map<String, Integer> reasons = new TreeMap<>();
    private int taken;
    private int refused;
    private int failed;

    private ConstraintFuzzBench(List<WrittenToken> tokens) {
        end = tokens.size();
        TokenTrie trie = new TokenTrie(tokens, end + 1);
        parts = SchemaRules.Parts.of(trie, false);
        sets = new TokenSets(trie, states, Set.of(end));
    }

    public static void main(String[] arguments) throws IOException {
        List<WrittenToken> tokens = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]), StandardCharsets.UTF_8)) {
            tokens.add(
                    new WrittenToken(tokens.size(), Base64.getDecoder().decode(line.substring(0, line.indexOf(' ')))));
        }
        ConstraintFuzzBench bench = new ConstraintFuzzBench(tokens);
        int count = Integer.parseInt(arguments[1]);
        long seed = Long.parseLong(arguments[2]);
        for (String pattern : ORDINARY) {
            bench.run(
                    JsonNodeFactory.instance.objectNode().put("type", "string").put("pattern", pattern), 1);
            bench.run(
                    JsonNodeFactory.instance.objectNode().put("type", "string").put("pattern", pattern), 2);
            System.out.println(pattern + ": " + bench);
        }
        RandomPatterns patterns = new RandomPatterns(seed);
        RandomSchemas schemas = new RandomSchemas(seed);
        for (int i = 0; i < count; i++) {
            JsonNode schema = i % 4 == 3
                    ? joined(schemas.next(), patterns.next(), i)
                    : JsonNodeFactory.instance
                            .objectNode()
                            .put("type", "string")
                            .put("pattern", patterns.next());
            bench.run(schema, i);
            if (i % 1000 == 999 || i + 1 == count) {
                System.out.println((i + 1) + ": " + bench);
            }
        }
        bench.reasons.forEach((reason, times) -> System.out.println(times + " refused: " + reason));
    }

    /** Adds joined keywords: allOf, a pattern with a length, and unique items. */
    private static JsonNode joined(ObjectNode schema, String pattern, int i) {
        ObjectNode fields = schema.objectNode().put("type", "object");
        ObjectNode properties = fields.putObject("properties");
        properties
                .putObject("code")
                .put("type", "string")
                .put("pattern", pattern)
                .put("maxLength", 5 + i % 40);
        ObjectNode tags = properties.putObject("tags").put("type", "array").put("uniqueItems", true);
        tags.putObject("items").putArray("enum").add("a").add("ab").add("的").add(i % 7);
        return switch (i / 4 % 3) {
            case 0 -> schema;
            case 1 -> fields;
            default -> {
                ObjectNode all = schema.objectNode();
                all.set("$defs", schema.remove("$defs"));
                all.putArray("allOf").add(schema).add(fields);
                yield all;
            }
        };
    }

    /** Returns the CPU time of this thread, so that other load does not count. */
    private static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private void run(JsonNode schema, long seed) {
        long begin = cpu();
        Expression root;
        try {
            root = new SchemaRules(parts, SchemaReader.read(schema), new int[1], SchemaRules.budget()).root();
        } catch (InvalidDataException e) {
            refused++;
            reasons.merge(e.getMessage().replaceAll("[0-9]+|\"[^\"]*\"|/\\S*", "#"), 1, Integer::sum);
            return;
        } finally {
            double seconds = (cpu() - begin) / 1e9;
            if (seconds > longestCompilation) {
                longestCompilation = seconds;
                System.out.printf("compiled in %.3f s: %s%n", seconds, schema);
            }
        }
        if (root.cost() >= Expression.NEVER) {
            refused++;
            return;
        }
        sets.charge(new WorkBudget("a state", Long.MAX_VALUE));
        State start = states.of(List.of(root), states.end());
        ResponseConstraint walker =
                new ResponseConstraint(start, sets, new ForcedText(sets.trie(), text -> new long[0]), Set.of(end));
        write(walker, root.cost() + TOKENS, new RandomModel(seed, false), schema);
    }

    private void write(ResponseConstraint walker, int most, RandomModel model, JsonNode schema) {
        long own = 0;
        double longest = 0;
        try {
            for (int left = most; left > Math.max(0, most - TOKENS); left--) {
                long begin = cpu();
                long next;
                try {
                    next = model.any(walker.allowed(left));
                    own = Math.max(own, walker.budget().spent());
                    walker.accept(next);
                } finally {
                    own = Math.max(own, walker.budget().spent());
                    longest = Math.max(longest, (cpu() - begin) / 1e9);
                }
                if (next == end) {
                    break;
                }
            }
            taken++;
            longestOfTaken = Math.max(longestOfTaken, longest);
            mostSpent = Math.max(mostSpent, own);
        } catch (InvalidDataException e) {
            failed++;
            System.out.printf("failed after %.3f s: %s%n", longest, schema);
        }
        if (longest > longestStep) {
            longestStep = longest;
            System.out.printf("step of %.3f s, %d operations: %s%n", longest, own, schema);
        }
    }

    @Override
    public String toString() {
        long used = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        return String.format(
                "taken %d, refused %d, failed %d; longest compilation %.3f s, longest token %.3f s (of taken %.3f s, %d"
                        + " operations), states %d, heap %d MB",
                taken,
                refused,
                failed,
                longestCompilation,
                longestStep,
                longestOfTaken,
                mostSpent,
                states.kept(),
                used >> 20);
    }
}

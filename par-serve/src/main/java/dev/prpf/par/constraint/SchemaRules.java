package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.constraint.Characters.Writing;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.schema.CodePoints;
import dev.prpf.par.schema.Schema;
import dev.prpf.par.schema.Schema.Regex;
import dev.prpf.par.schema.Schema.SchemaDocument;
import dev.prpf.par.schema.WorkBudget;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The values of one schema as JSON on one line (docs/GENERATION.md). Everything written is a value of the schema; not every value can be written.
 * Recursive schemas are unrolled, and unspecified values nested, to a few levels.
 */
final class SchemaRules {
    /** Most places and literal bytes of one schema. */
    static final int LARGEST = 1 << 17;

    /** The most levels of a schema nested in itself. */
    private static final int RECURSIONS = 6;

    /** Most levels of unspecified values. */
    private static final int FREE_DEPTH = 4;

    private static final int DEEPEST = 256;

    /** Most operations of compiling one constraint. */
    static final long OPERATIONS = 1 << 22;

    private final TokenTrie trie;
    private final Parts parts;
    private final SchemaDocument document;
    private final Expression nothing;
    private final Map<Met, Expression> met = new HashMap<>();
    private final Map<Integer, Expression> anything = new HashMap<>();
    private final Set<Expression> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<CharacterClass, Characters> characters = new HashMap<>();
    private final Map<Writing, Map<Regex, List<Expression>>> matching = new HashMap<>();
    private final Map<Expression, Expression> shared = new HashMap<>();
    private final int[] spent;
    private final WorkBudget budget;
    private int depth;

    private record Met(String pointer, int left) {}

    private record CharacterClass(CodePoints set, Writing writing) {}

    /**
     * The parts shared by all schemas of a vocabulary.
     *
     * @param gap after a comma and a colon
     * @param writing of strings
     */
    record Parts(
            TokenTrie trie,
            TextMachines.Described texts,
            Branch integer,
            Branch decimal,
            Expression gap,
            Writing writing) {
        /** @param tags whether the response has tags, which strings must not hold; then JSON is spaced as in Python, else freely */
        static Parts of(TokenTrie trie, boolean tags) {
            Values values = new Values(trie, TextMachines.of(trie), ConstraintSettings.DEFAULT);
            List<Option> space = new ArrayList<>(List.of(Option.end(" ")));
            if (!tags) {
                space.add(Option.end(""));
            }
            return new Parts(
                    trie,
                    TextMachines.Described.of(trie, !tags),
                    Branch.of(values.integers(), trie),
                    Branch.of(values.decimals(), trie),
                    Branch.of(space, trie),
                    tags ? Writing.JSON_BETWEEN_TAGS : Writing.JSON);
        }

        String json(JsonNode value) {
            return writing == Writing.JSON ? value.toString() : ResponseGrammar.json(value);
        }
    }

    /**
     * @param spent places and bytes so far, in its one element, over all schemas of one constraint
     * @param budget the constraint's budget, which also pays for schemas that were given up
     */
    SchemaRules(Parts parts, SchemaDocument document, int[] spent, WorkBudget budget) {
        this.trie = parts.trie();
        this.parts = parts;
        this.document = document;
        this.spent = spent;
        this.budget = budget;
        nothing = Branch.of(List.of(), trie);
    }

    static WorkBudget budget() {
        return new WorkBudget("compiling the schema", OPERATIONS);
    }

    /** Returns the values of the document's schema; of cost {@link Expression#NEVER} if none can be written. */
    Expression root() {
        return value(document.root(), RECURSIONS);
    }

    Expression value(Schema schema) {
        return value(schema, RECURSIONS);
    }

    private void spend(int places) {
        spent[0] += places;
        budget.spend(places);
        if (spent[0] > LARGEST) {
            throw new InvalidDataException("the schema is too large: with what it refers to it has more than " + LARGEST
                    + " places and characters of keys and values");
        }
    }

    private Expression value(Schema schema, int left) {
        spend(1);
        if (++depth > DEEPEST) {
            throw new InvalidDataException(
                    "the schema nests deeper than " + DEEPEST + " levels with what it refers to");
        }
        Expression value = schema instanceof Schema.Reference reference
                ? target(reference, left)
                : schema instanceof Schema.Properties properties
                        ? object(properties, left)
                        : schema instanceof Schema.Items items ? array(items, left) : simple(schema, left);
        depth--;
        return value;
    }

    private Expression simple(Schema schema, int left) {
        if (schema instanceof Schema.Text text) {
            return text(text);
        } else if (schema instanceof Schema.Numbers numbers) {
            return numbers.whole() ? parts.integer() : parts.decimal();
        } else if (schema instanceof Schema.Written number) {
            return Alternatives.ofWays(List.of(matching(number.as(), Writing.BARE)), true);
        } else if (schema instanceof Schema.Literals literals) {
            return literals(literals);
        } else if (schema instanceof Schema.Union union) {
            return union(
                    union.branches().stream().map(branch -> value(branch, left)).toList());
        }
        return anything(FREE_DEPTH);
    }

    /** Returns a reference's values, made once for each number of recursions left. */
    private Expression target(Schema.Reference reference, int left) {
        int then = document.recursive().contains(reference.pointer()) ? left - 1 : left;
        return then < 0
                ? nothing
                : Values.known(met, new Met(reference.pointer(), then), key -> value(document.target(reference), then));
    }

    private Expression literals(Schema.Literals literals) {
        Set<String> texts = new LinkedHashSet<>();
        literals.values().forEach(value -> texts.add(parts.json(value)));
        texts.forEach(text -> spend(text.length()));
        return Branch.of(texts.stream().map(Option::end).toList(), trie);
    }

    private Expression union(List<Expression> branches) {
        List<Expression> possible = branches.stream()
                .filter(branch -> branch.cost() < Expression.NEVER)
                .distinct()
                .toList();
        requireDistinct(possible, '{');
        requireDistinct(possible, '[');
        Expression union = possible.isEmpty() ? nothing : Alternatives.of(possible);
        return marked(union, possible);
    }

    /** Refuses alternatives with open objects: keys are tracked for one open object at a time. */
    private void requireDistinct(List<Expression> branches, char bracket) {
        List<Expression> alike = branches.stream()
                .filter(branch -> branch.step(bracket, budget) != null)
                .toList();
        if (alike.size() > 1 && alike.stream().anyMatch(open::contains)) {
            throw new InvalidDataException("the schema has an anyOf or oneOf of several "
                    + (bracket == '{' ? "objects" : "arrays")
                    + " of which one holds an object of any fields; give each object properties");
        }
    }

    private Expression marked(Expression value, List<Expression> of) {
        if (of.stream().anyMatch(open::contains)) {
            open.add(value);
        }
        return value;
    }

    private Expression text(Schema.Text text) {
        List<Expression> then = isFree(text)
                ? List.of(Text.of(parts.texts().string(), Integer.MAX_VALUE, List.of(List.of())))
                : characters(text, parts.writing(), Branch.literal("\"", trie));
        return Branch.of(List.of(new Option("\"", Expression.cost(then), () -> then)), trie);
    }

    static boolean isFree(Schema.Text text) {
        return text.pattern() == null && text.minLength() == 0 && text.maxLength() == Schema.UNBOUNDED;
    }

    /** Returns the characters of a text with a length or a pattern, and their continuation. */
    List<Expression> characters(Schema.Text text, Writing writing, Expression end) {
        List<Expression> way = new ArrayList<>();
        Regex pattern = text.pattern();
        if (pattern != null) {
            way.addAll(matching(pattern, writing));
            way.add(end);
            return List.of(Alternatives.ofWays(List.of(way), true));
        }
        if (text.maxLength() > 0) {
            Characters any = new Characters(CodePoints.ALL, writing, trie);
            way.add(new Alternatives.Times(any, text.minLength(), text.maxLength(), writing != Writing.BARE));
        }
        way.add(end);
        return writing == Writing.BARE ? List.of(Alternatives.ofWays(List.of(way), true)) : way;
    }

    /** Returns the parts of an expression; a repeated expression is converted once. */
    private List<Expression> matching(Regex regex, Writing writing) {
        Map<Regex, List<Expression>> made = matching.computeIfAbsent(writing, key -> new IdentityHashMap<>());
        return Values.known(made, regex, key -> newMatching(key, writing));
    }

    private List<Expression> newMatching(Regex regex, Writing writing) {
        spend(1);
        if (regex instanceof Regex.One one) {
            return List.of(characters.computeIfAbsent(
                    new CharacterClass(one.of(), writing), key -> new Characters(key.set(), key.writing(), trie)));
        } else if (regex instanceof Regex.Sequence sequence) {
            return sequence.parts().stream()
                    .flatMap(part -> matching(part, writing).stream())
                    .toList();
        } else if (regex instanceof Regex.Choice choice) {
            return List.of(shared(Alternatives.ofWays(
                    choice.branches().stream()
                            .map(branch -> matching(branch, writing))
                            .toList(),
                    false)));
        }
        Regex.Times times = (Regex.Times) regex;
        List<Expression> of = matching(times.of(), writing);
        if (of.isEmpty() || times.max() == 0) {
            return List.of();
        }
        Expression each = of.size() == 1 ? of.get(0) : shared(Alternatives.ofWays(List.of(of), false));
        int least = Alternatives.mayEnd(of) ? 0 : times.min();
        return List.of(shared(new Alternatives.Times(each, least, times.max(), false)));
    }

    /** Replaces equal parts by one object, so that comparing them takes constant time. */
    private Expression shared(Expression made) {
        Expression known = shared.putIfAbsent(made, made);
        return known == null ? made : known;
    }

    private Expression array(Schema.Items items, int left) {
        if (items.unique()) {
            return distinct(items);
        }
        List<Expression> prefix = new ArrayList<>();
        int max = items.max();
        for (Schema element : items.prefix()) {
            Expression value = value(element, left);
            if (value.cost() >= Expression.NEVER) {
                return array(prefix, nothing, items.min(), Math.min(max, prefix.size()));
            }
            prefix.add(value);
        }
        Expression further = items.items() == null ? nothing : value(items.items(), left);
        boolean ends = further.cost() >= Expression.NEVER;
        return array(prefix, further, items.min(), ends ? Math.min(max, prefix.size()) : max);
    }

    private Expression distinct(Schema.Items items) {
        Schema of = items.items();
        while (of instanceof Schema.Reference reference) {
            of = document.target(reference);
        }
        if (!(of instanceof Schema.Literals literals)) {
            throw new InvalidDataException("the schema has uniqueItems in an array whose items have no enum, const or"
                    + " boolean; equality of other items cannot be checked during generation");
        }
        DistinctItems array = new DistinctItems(literals.values(), items.min(), items.max());
        return array.of(trie, parts.gap(), parts::json, this::spend);
    }

    private Expression array(List<Expression> prefix, Expression further, int min, int max) {
        if (min > max) {
            return nothing;
        }
        Containers.Elements elements = new Containers.Elements(prefix, further, min, max, parts.gap());
        List<Expression> held = new ArrayList<>(prefix);
        held.add(further);
        return marked(Branch.literal("[", trie, elements.first()), held);
    }

    private Expression object(Schema.Properties properties, int left) {
        if (properties.properties().isEmpty() && properties.open() != null) {
            return openObject(value(properties.open(), left));
        }
        List<Containers.Field> fields = new ArrayList<>();
        for (Schema.Property property : properties.properties()) {
            Expression value = value(property.value(), left);
            spend(property.name().length());
            if (property.required() || value.cost() < Expression.NEVER) {
                String name = Containers.Field.json(property.name());
                fields.add(new Containers.Field(name, value, property.required()));
            }
        }
        Containers.Ordered ordered = new Containers.Ordered(fields, parts.gap(), trie);
        return marked(
                Branch.literal("{", trie, ordered.first()),
                fields.stream().map(Containers.Field::value).toList());
    }

    private Expression openObject(Expression value) {
        List<Expression> gap = List.of(parts.gap());
        if (value.cost() >= Expression.NEVER) {
            return Branch.literal("{}", trie);
        }
        Option object = OpenObject.of(parts.texts().key(), List.of(parts.gap(), value), gap, true, trie);
        Expression made = Branch.of(List.of(object), trie);
        open.add(made);
        return made;
    }

    private Expression anything(int levels) {
        return Values.known(anything, levels, this::newAnything);
    }

    private Expression newAnything(int levels) {
        List<Expression> any = new ArrayList<>();
        any.add(text(new Schema.Text(0, Schema.UNBOUNDED, null)));
        any.add(parts.decimal());
        any.add(Branch.of(List.of(Option.end("true"), Option.end("false"), Option.end("null")), trie));
        if (levels > 0) {
            Expression inner = anything(levels - 1);
            any.add(marked(array(List.of(), inner, 0, Schema.UNBOUNDED), List.of(inner)));
            any.add(openObject(inner));
        }
        return union(any);
    }
}

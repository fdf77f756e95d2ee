package dev.prpf.par.constraint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ChatTemplate.ToolSyntax;
import dev.prpf.par.chat.ToolCallReader.Thinking;
import dev.prpf.par.chat.ToolCallReader.Tool;
import dev.prpf.par.chat.ToolCallReader.ToolTags;
import dev.prpf.par.constraint.Branch.Option;
import dev.prpf.par.constraint.Characters.Writing;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.schema.Schema;
import dev.prpf.par.schema.Schema.SchemaDocument;
import dev.prpf.par.schema.SchemaReader;
import dev.prpf.par.schema.WorkBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Calls of functions in the syntax of a model family, with arguments that match their schemas. */
final class ToolRules {
    private static final String END = "\n" + ToolTags.END_CALL;
    private static final String END_OF_VALUE = "\n" + ToolTags.END_PARAMETER + "\n";

    private final SchemaRules.Parts parts;
    private final TokenTrie trie;
    private final int[] spent = new int[1];
    private final WorkBudget budget = SchemaRules.budget();
    private @Nullable Branch further;
    private @Nullable Text said;

    ToolRules(SchemaRules.Parts parts) {
        this.parts = parts;
        trie = parts.trie();
    }

    /**
     * Returns one call, or several.
     *
     * @param tools that may be called, at least one
     */
    Branch calls(ToolSyntax syntax, List<Tool> tools, boolean several) {
        List<Option> begin = tools.stream().map(tool -> call(syntax, tool)).toList();
        if (!several) {
            return Branch.of(begin, trie);
        }
        List<Option> more = new ArrayList<>(List.of(Option.end("")));
        Supplier<Expression> next = () -> Objects.requireNonNull(further);
        begin.forEach(option -> more.add(followed("\n" + option.text(), option, next)));
        further = Branch.of(more, trie);
        return Branch.of(
                begin.stream()
                        .map(option -> followed(option.text(), option, next))
                        .toList(),
                trie);
    }

    /** Returns a call, and its continuation once the grammar has it. */
    private static Option followed(String text, Option call, Supplier<Expression> next) {
        return new Option(text, call.cost(), () -> Stream.concat(call.then().get().stream(), Stream.of(next.get()))
                .toList());
    }

    private Option call(ToolSyntax syntax, Tool tool) {
        return syntax == ToolSyntax.JSON ? json(tool) : tags(tool);
    }

    /**
     * Returns free text and reasoning of the model, with constrained calls.
     *
     * @param strict names of functions with enforced schemas
     */
    Text freely(Thinking thinking, ToolSyntax syntax, List<Tool> tools, List<String> strict) {
        TextMachines.Described texts = parts.texts();
        List<Option> calls = tools.stream()
                .map(tool -> strict.contains(tool.name()) ? call(syntax, tool) : loosely(syntax, tool))
                .map(call -> followed(
                        call.text().substring(ToolTags.CALL.length()), call, () -> Objects.requireNonNull(said)))
                .toList();
        List<Expression> call = List.of(Branch.of(calls, trie));
        Text speaking = Text.open(texts.said(), List.of(call));
        said = speaking;
        Text musing = Text.open(texts.mused(), List.of(List.of(speaking)));
        return switch (thinking) {
            case NONE -> speaking;
            case OPTIONAL -> Text.open(texts.begun(), List.of(call, List.of(musing)));
            case BEGUN -> musing;
        };
    }

    /** Returns a call by the function's schema, or of any arguments in the syntax if the schema is outside of the subset. */
    private Option loosely(ToolSyntax syntax, Tool tool) {
        int before = spent[0];
        try {
            return call(syntax, tool);
        } catch (InvalidDataException e) {
            spent[0] = before;
            return call(syntax, new Tool(tool.name(), loosened(syntax, tool.parameters())));
        }
    }

    /** Returns a schema of any object; in tags, of any value for each property. */
    private static JsonNode loosened(ToolSyntax syntax, JsonNode parameters) {
        ObjectNode any = JsonNodeFactory.instance.objectNode().put("type", "object");
        if (syntax == ToolSyntax.TAGS) {
            ObjectNode properties = any.put("additionalProperties", false).putObject("properties");
            parameters.path("properties").fieldNames().forEachRemaining(properties::putObject);
        }
        return any;
    }

    private Option json(Tool tool) {
        SchemaRules rules = new SchemaRules(parts, document(tool), spent, budget);
        Expression arguments = possible(tool, rules.root());
        String begin = ToolTags.CALL + "\n{\"name\": " + ResponseGrammar.json(TextNode.valueOf(tool.name()))
                + ", \"arguments\": ";
        return Option.of(begin, arguments, Branch.literal("}" + END, trie));
    }

    private static SchemaDocument document(Tool tool) {
        try {
            SchemaDocument document = SchemaReader.read(tool.parameters());
            Schema root = document.root();
            while (root instanceof Schema.Reference reference
                    && !document.recursive().contains(reference.pointer())) {
                root = document.target(reference);
            }
            if (!(root instanceof Schema.Properties)) {
                throw new InvalidDataException("the schema must be of an object, its type \"object\"");
            }
            return new SchemaDocument(root, document.targets(), document.recursive());
        } catch (InvalidDataException e) {
            throw of(tool, e.getMessage());
        }
    }

    private static Expression possible(Tool tool, Expression arguments) {
        if (arguments.cost() >= Expression.NEVER) {
            throw of(tool, "the schema has no value that can be written");
        }
        return arguments;
    }

    private static InvalidDataException of(Tool tool, String what) {
        return new InvalidDataException("the parameters of the function " + tool.name() + ": " + what);
    }

    private Option tags(Tool tool) {
        requirePlain(tool, tool.name());
        SchemaDocument document = document(tool);
        Schema.Properties object = (Schema.Properties) document.root();
        if (object.properties().isEmpty()
                && object.open() != null
                && !tool.parameters().path("properties").isObject()) {
            throw of(tool, "this model's calls name each parameter; the schema must have properties");
        }
        SchemaRules rules = new SchemaRules(parts, document, spent, budget);
        List<Parameter> parameters = new ArrayList<>();
        for (Schema.Property property : object.properties()) {
            requirePlain(tool, property.name());
            Parameter parameter = new Parameter(property, value(tool, rules, document, property.value()));
            if (property.required() || parameter.cost() < Expression.NEVER) {
                parameters.add(parameter);
            }
        }
        Branch inner = parameters(parameters);
        possible(tool, inner);
        return Option.of(ToolTags.CALL + "\n" + ToolTags.FUNCTION + tool.name() + ">\n", inner);
    }

    private static void requirePlain(Tool tool, String name) {
        if (name.isBlank() || name.chars().anyMatch(c -> c == '<' || c == '>' || c < ' ')) {
            throw of(
                    tool,
                    "the name \"" + name + "\" cannot be written in this model's calls: it has <, > or a line end");
        }
    }

    /** A parameter with the alternatives for its value, with the value's end. */
    private record Parameter(Schema.Property property, List<Expression> value) {
        int cost() {
            return Expression.cost(value);
        }
    }

    /** Returns the alternatives from each parameter on, to the end of the call. */
    private Branch parameters(List<Parameter> parameters) {
        Branch then = Branch.literal(ToolTags.END_FUNCTION + END, trie);
        List<Option> ways = new ArrayList<>(List.of(Option.end(ToolTags.END_FUNCTION + END)));
        for (int i : IntStream.iterate(parameters.size() - 1, i -> i >= 0, i -> i - 1)
                .toArray()) {
            Parameter parameter = parameters.get(i);
            List<Expression> value =
                    Stream.concat(parameter.value().stream(), Stream.of(then)).toList();
            if (parameter.property().required()) {
                ways.clear();
            }
            String text = ToolTags.PARAMETER + parameter.property().name() + ">\n";
            ways.add(new Option(text, Expression.cost(value), () -> value));
            ways.forEach(way -> spend(way.text().length()));
            then = Branch.of(ways, trie);
        }
        return then;
    }

    private void spend(int bytes) {
        spent[0] += bytes;
        budget.spend(bytes);
        if (spent[0] > SchemaRules.LARGEST) {
            throw new InvalidDataException("the functions have too many parameters that may be left out");
        }
    }

    /** Returns the syntax of a value: texts are raw, everything else is JSON. */
    private List<Expression> value(Tool tool, SchemaRules rules, SchemaDocument document, Schema schema) {
        Schema resolved = schema;
        for (int i = 0; i < SchemaRules.LARGEST && resolved instanceof Schema.Reference reference; i++) {
            resolved = document.target(reference);
        }
        if (resolved instanceof Schema.Text text) {
            return bare(rules, text);
        } else if (resolved instanceof Schema.Anything) {
            return bare(rules, new Schema.Text(0, Schema.UNBOUNDED, null));
        } else if (resolved instanceof Schema.Literals literals
                && literals.values().stream().allMatch(value -> value.isTextual())) {
            List<Option> texts = literals.values().stream()
                    .map(value -> Option.end(plain(tool, value.textValue()) + END_OF_VALUE))
                    .toList();
            texts.forEach(option -> spend(option.text().length()));
            return List.of(Branch.of(texts, trie));
        }
        return List.of(rules.value(schema), Branch.literal(END_OF_VALUE, trie));
    }

    private static String plain(Tool tool, String text) {
        if (text.contains("<")) {
            throw of(tool, "the value \"" + text + "\" cannot be written in this model's calls: it has a <");
        }
        return text;
    }

    private List<Expression> bare(SchemaRules rules, Schema.Text text) {
        if (SchemaRules.isFree(text)) {
            return List.of(
                    Text.of(parts.texts().bare(), Integer.MAX_VALUE, List.of(List.of())), Branch.literal("\n", trie));
        }
        return rules.characters(text, Writing.BARE, Branch.literal(END_OF_VALUE, trie));
    }
}

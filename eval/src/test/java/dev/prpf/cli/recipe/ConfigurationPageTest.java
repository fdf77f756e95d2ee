package dev.prpf.cli.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.javaparser.JavaParser;
import com.github.javaparser.ParserConfiguration;
import com.github.javaparser.ast.CompilationUnit;
import com.github.javaparser.ast.body.RecordDeclaration;
import com.github.javaparser.ast.expr.BinaryExpr;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.MethodCallExpr;
import com.github.javaparser.javadoc.JavadocBlockTag;
import dev.prpf.base.config.ConfigSchema;
import dev.prpf.cli.SchemaText;
import dev.prpf.mpp.training.MppConfig;
import dev.prpf.par.serve.http.HttpSettings;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Holds the page on configuration to the records, the shipped files and the rules of the records' constructors. With
 * {@code -Dprpf.write=true} it writes the page.
 */
class ConfigurationPageTest {
    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/reference/CONFIGURATION.md");
    private static final JavaParser PARSER =
            new JavaParser(new ParserConfiguration().setLanguageLevel(ParserConfiguration.LanguageLevel.JAVA_17));

    private final StringBuilder page = new StringBuilder();

    /** The rules that a record's constructor checks, by key. */
    private final Map<String, String> rules = new HashMap<>();

    private final List<String> unexplained = new ArrayList<>();

    @Test
    void page_hasEveryKeyOfEveryConfiguration() throws IOException {
        page.append("# Configuration\n\nThe keys of every configuration. A file states only the keys that differ. ")
                .append("`./prpf config show NAME` prints a whole file. A rule is what the program checks of the key;")
                .append(" rules about several keys may be missing. `ConfigurationPageTest` writes this page.\n");
        List<Class<? extends Record>> types = new ArrayList<>(List.of(Recipe.class));
        types.addAll(ShippedConfigs.TYPES);
        for (Class<? extends Record> type : types) {
            String name = ShippedConfigs.defaultsOf(type);
            Path file = ROOT.resolve("configs").resolve(name + ".yaml");
            page.append("\n## `").append(name).append("`\n");
            page.append(ShippedConfigs.summary(file)).append("\n\n");
            page.append(SchemaText.row("key", "type", "default", "rule", "meaning"))
                    .append("|---|---|---|---|---|\n");
            rules.clear();
            section("", type, new ObjectMapper().readTree(ConfigSchema.of(type)));
        }
        assertThat(unexplained)
                .as("keys without a comment in their default file and without @param")
                .isEmpty();
        if (Boolean.getBoolean("prpf.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE).as("run this test with -Dprpf.write=true").content().isEqualTo(page.toString());
    }

    @Test
    void rulesOfARecord_areReadFromItsConstructor() throws IOException {
        addRules("", MppConfig.class);
        assertThat(rules).containsEntry("threshold.min-recall", "in (0, 100]");
        addRules("http.", HttpSettings.class);
        assertThat(rules.get("http.threads")).startsWith("at least ").matches("at least \\d+");
    }

    private void section(String prefix, Class<?> type, JsonNode schema) throws IOException {
        addRules(prefix, type);
        List<String> required = new ArrayList<>();
        schema.path("required").forEach(key -> required.add(key.asText()));
        List<String> keys = new ArrayList<>();
        schema.path("properties").fieldNames().forEachRemaining(keys::add);
        for (int i = 0; i < keys.size(); i++) {
            String key = keys.get(i);
            RecordComponent component = type.getRecordComponents()[i];
            JsonNode property = schema.path("properties").path(key);
            Class<?> inner = record(component.getGenericType());
            boolean optional = property.has("anyOf");
            JsonNode object = optional ? property.path("anyOf").path(0) : property;
            boolean section = component.getType().isRecord();
            if (!section || optional) {
                page.append(SchemaText.row(
                        "`" + prefix + key + "`",
                        SchemaText.type(property),
                        required.contains(key) ? "required" : shown(property),
                        rules.getOrDefault(prefix + key, ""),
                        meaning(prefix + key, property, type)));
            }
            if (inner != null) {
                boolean list = object.has("items");
                String name = prefix + key + (section ? "." : list ? "[]." : ".NAME.");
                section(name, inner, section ? object : object.path(list ? "items" : "additionalProperties"));
            }
        }
    }

    /** Returns the comment of the default file, else the record's documentation of the key. */
    private String meaning(String path, JsonNode property, Class<?> type) throws IOException {
        String key = path.substring(path.lastIndexOf('.') + 1);
        String comment = property.path("description").asText();
        String text = comment.isEmpty() ? documented(key, type) : comment;
        if (text.isEmpty()) {
            unexplained.add(type.getSimpleName() + " " + path);
        }
        return text;
    }

    private static String documented(String key, Class<?> type) throws IOException {
        return declarations(type)
                .flatMap(owner -> owner.getJavadoc().stream())
                .flatMap(javadoc -> javadoc.getBlockTags().stream())
                .filter(tag -> tag.getType() == JavadocBlockTag.Type.PARAM)
                .filter(tag ->
                        tag.getName().map(ConfigurationPageTest::key).orElse("").equals(key))
                .map(tag -> tag.getContent().toText().replaceAll("\\s+", " "))
                .map(text -> text.replaceAll("\\{@(?:code|link) ([^}]*)}", "$1"))
                .findFirst()
                .orElse("");
    }

    private static String key(String component) {
        return component.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static Stream<RecordDeclaration> declarations(Class<?> type) throws IOException {
        CompilationUnit source = PARSER.parse(source(type)).getResult().orElseThrow();
        return source.findAll(RecordDeclaration.class).stream()
                .filter(owner -> owner.getNameAsString().equals(type.getSimpleName()));
    }

    private static String shown(JsonNode property) {
        return property.has("default") ? "`" + property.path("default") + "`" : "";
    }

    /** Returns the record that a component, or each of its entries, is. */
    private static @Nullable Class<?> record(Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] inner = generic.getActualTypeArguments();
            return record(inner[inner.length - 1]);
        }
        return type instanceof Class<?> raw && raw.isRecord() ? raw : null;
    }

    private void addRules(String prefix, Class<?> type) throws IOException {
        declarations(type)
                .flatMap(owner -> owner.getMembers().stream())
                .filter(member -> !member.isTypeDeclaration())
                .flatMap(member -> member.findAll(MethodCallExpr.class).stream())
                .filter(call -> call.getNameAsString().equals("require"))
                .filter(call -> call.getArguments().size() == 4)
                .filter(call -> call.getArgument(1).isStringLiteralExpr())
                .forEach(call -> {
                    String key = call.getArgument(1).asStringLiteralExpr().asString();
                    text(call.getArgument(3), type)
                            .ifPresent(rule -> rules.merge(prefix + key, tidy(rule), (one, two) -> one + "; " + two));
                });
    }

    private static Path source(Class<?> type) throws IOException {
        String file = type.getName().replaceFirst("\\$.*", "").replace('.', '/') + ".java";
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve("src/main/java").resolve(file))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Returns the text of a rule; empty if it is known only when the program runs. */
    private static Optional<String> text(Expression rule, Class<?> type) {
        if (rule.isStringLiteralExpr()) {
            return Optional.of(rule.asStringLiteralExpr().asString());
        }
        if (rule instanceof BinaryExpr sum) {
            return text(sum.getLeft(), type)
                    .flatMap(left -> text(sum.getRight(), type).map(right -> left + right));
        }
        if (rule.isNameExpr()) {
            String name = rule.asNameExpr().getNameAsString();
            boolean key = Stream.of(type.getRecordComponents())
                    .anyMatch(component -> component.getName().equals(name));
            return key ? Optional.of("`" + key(name) + "`") : constant(name, type);
        }
        return Optional.empty();
    }

    private static Optional<String> constant(String name, Class<?> type) {
        for (Class<?> owner = type; owner != null; owner = owner.getEnclosingClass()) {
            for (Field field : owner.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    try {
                        return Optional.of(String.valueOf(field.get(null)));
                    } catch (IllegalAccessException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** Removes the value of another key, which follows its name in a message. */
    private static String tidy(String rule) {
        return rule.replaceAll("([a-z-]+)(?: = |, which is )(`\\1`)", "$2");
    }
}

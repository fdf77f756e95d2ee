package dev.prpf.base.config;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonInclude.Value;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.EnumNamingStrategies;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.error.Suggestion;
import dev.prpf.base.files.Resource;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Represent;
import org.yaml.snakeyaml.representer.Representer;

/**
 * Reads and writes records as strict YAML. Keys are the record's components in kebab case. Unknown, duplicate and mistyped keys are
 * errors, all reported at once with file, line and full key. A missing key has its default ({@link Defaults}), or is an error too. A
 * component marked {@code @Nullable} may be {@code null}.
 */
public final class StrictYaml {
    /** Maps records to maps of their components, enumerations and paths to strings. */
    private static final JsonMapper PLAIN = JsonMapper.builder()
            .disable(MapperFeature.USE_ANNOTATIONS)
            .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
            .enumNamingStrategy(EnumNamingStrategies.KEBAB_CASE)
            .visibility(PropertyAccessor.ALL, Visibility.NONE)
            .visibility(PropertyAccessor.FIELD, Visibility.ANY)
            .addModule(new SimpleModule().addSerializer(Path.class, ToStringSerializer.instance))
            .build();

    /** Leaves out the empty keys of a sparse record. Maps with free keys are written whole. */
    private static final JsonMapper SPARSE = PLAIN.rebuild()
            .defaultPropertyInclusion(Value.construct(Include.NON_EMPTY, Include.ALWAYS))
            .build();

    private static final long MAX_NODES = 100_000;
    private static final int MAX_WIDTH = 500;

    private StrictYaml() {}

    /**
     * Reads a configuration from a file.
     *
     * @param overrides {@code key=value}, applied after the file; the key is dotted ("threshold.min-recall=0.95")
     * @throws PrpfException 78 with every defect, one a line
     */
    public static <T extends Record> T read(Path file, Class<T> type, List<String> overrides) {
        return readText(file.toString(), text(file), type, overrides);
    }

    /**
     * Returns a configuration with all defaults and with the comments of its file and of the defaults.
     *
     * @throws PrpfException 78 with every defect, one a line
     */
    public static String resolved(Path file, Class<? extends Record> type, List<String> overrides) {
        read(file, type, overrides);
        StringWriter text = new StringWriter();
        DumperOptions options = blocks();
        options.setProcessComments(true);
        options.setWidth(MAX_WIDTH);
        MappingNode root = mapping(file.toString(), text(file), true, new HashMap<>());
        new Yaml(options).serialize(completed(root, type, overrides, true), text);
        return text.toString();
    }

    /** Adds the defaults of the keys that a configuration lacks, and applies the overrides. */
    private static MappingNode completed(MappingNode root, Class<?> type, List<String> overrides, boolean comments) {
        MappingNode defaults = allDefaults(type, comments);
        Set<Node> required = defaults == null ? Set.of() : requiredValues(defaults, type);
        if (defaults != null) {
            complete(root, defaults, type);
        }
        overrides.forEach(override -> override(root, override));
        remove(root, required);
        return root;
    }

    /** Returns the keys that every file must state. */
    static List<String> required(Class<?> type) {
        Defaults named = type.getAnnotation(Defaults.class);
        return named == null ? List.of() : List.of(named.except());
    }

    /** Returns the values of the keys that every file must state. */
    private static Set<Node> requiredValues(MappingNode defaults, Class<?> type) {
        Set<Node> values = new HashSet<>();
        for (String key : required(type)) {
            Node value = defaults;
            for (String part : key.split("\\.", -1)) {
                MappingNode section = (MappingNode) value;
                value = section.getValue().get(keysOf(section).indexOf(part)).getValueNode();
            }
            values.add(value);
        }
        return values;
    }

    private static void remove(MappingNode section, Set<Node> values) {
        section.getValue().removeIf(tuple -> values.contains(tuple.getValueNode()));
        for (NodeTuple tuple : section.getValue()) {
            if (tuple.getValueNode() instanceof MappingNode inner) {
                remove(inner, values);
            }
        }
    }

    /** Returns the defaults of a record's keys; null if its keys have none. */
    static @Nullable MappingNode defaults(Class<?> type) {
        MappingNode known = allDefaults(type, true);
        if (known != null) {
            remove(known, requiredValues(known, type));
        }
        return known;
    }

    private static @Nullable MappingNode allDefaults(Class<?> type, boolean comments) {
        Defaults named = type.getAnnotation(Defaults.class);
        if (named == null) {
            return null;
        }
        MappingNode known = mapping(named.value(), Resource.text(type, named.value()), comments, new HashMap<>());
        known.getValue().get(0).getKeyNode().setBlockComments(null); // the head of the file
        return known;
    }

    /** Adds the keys that a section lacks. Mappings with free keys are values, not sections. */
    private static void complete(MappingNode section, MappingNode defaults, Class<?> type) {
        section.setFlowStyle(DumperOptions.FlowStyle.BLOCK);
        for (NodeTuple known : defaults.getValue()) {
            int at = keysOf(section).indexOf(keyOf(known));
            if (at < 0) {
                section.getValue().add(known);
            } else if (section.getValue().get(at).getValueNode() instanceof MappingNode inner) {
                Arrays.stream(type.getRecordComponents())
                        .filter(one -> RecordBinder.key(one).equals(keyOf(known)))
                        .map(RecordComponent::getType)
                        .filter(Class::isRecord)
                        .forEach(one -> completeInner(inner, known.getValueNode(), one));
            }
        }
    }

    /** Completes a section; if its default is null, with the defaults of its own record. */
    private static void completeInner(MappingNode section, Node known, Class<?> type) {
        MappingNode defaults = known instanceof MappingNode given ? given : allDefaults(type, false);
        if (defaults != null) {
            complete(section, defaults, type);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new InvalidConfigurationException(file + ": no such file; name an existing YAML file");
        } catch (IOException e) {
            throw new InvalidConfigurationException(file + ": cannot be read: " + e);
        }
    }

    /** Reads a configuration from a string; {@code name} replaces the file name in messages. */
    public static <T extends Record> T readText(String name, String yaml, Class<T> type, List<String> overrides) {
        Map<Node, Long> own = new HashMap<>();
        MappingNode root = mapping(name, yaml, false, own);
        return new RecordBinder(name, own.keySet()).bind(completed(root, type, overrides, false), type);
    }

    /** Composes a mapping; an empty text, or one of comments, is a mapping without keys. */
    private static MappingNode mapping(String name, String yaml, boolean comments, Map<Node, Long> nodes) {
        Node root = compose(name, yaml, comments, nodes);
        if (root == null || root.getTag().equals(Tag.COMMENT)) {
            MappingNode empty = new MappingNode(Tag.MAP, new ArrayList<>(), DumperOptions.FlowStyle.BLOCK);
            empty.setBlockComments(root == null ? null : root.getBlockComments());
            return empty;
        }
        if (root instanceof MappingNode mapping) {
            return mapping;
        }
        throw new InvalidConfigurationException(name + ": must be a YAML mapping of keys to values");
    }

    /** Reads a resource next to the class of its record. */
    public static <T extends Record> T shipped(String name, Class<T> type) {
        return readText(name, Resource.text(type, name), type, List.of());
    }

    private static @Nullable Node compose(String name, String yaml, boolean comments, Map<Node, Long> nodes) {
        LoaderOptions options = new LoaderOptions();
        options.setProcessComments(comments);
        options.setAllowDuplicateKeys(true); // reported by the binder, with the others
        try {
            Node root = new Yaml(options).compose(new StringReader(yaml));
            if (root != null) {
                requireBounded(name, root, nodes);
            }
            return root;
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
            throw new InvalidConfigurationException(name + ":" + line + ": is not YAML: " + e.getProblem());
        } catch (YAMLException e) {
            throw new InvalidConfigurationException(name + ": is not YAML: " + e.getMessage());
        }
    }

    /**
     * Rejects a recursive alias, and nested aliases that expand to more than {@value #MAX_NODES} values.
     *
     * @param sizes receives the expanded number of nodes of each visited node; 0 while its children are visited
     */
    private static long requireBounded(String name, Node node, Map<Node, Long> sizes) {
        Long known = sizes.putIfAbsent(node, 0L);
        if (known == null) {
            List<Node> children = node instanceof SequenceNode sequence ? sequence.getValue() : List.of();
            if (node instanceof MappingNode mapping) {
                children = mapping.getValue().stream()
                        .flatMap(tuple -> Stream.of(tuple.getKeyNode(), tuple.getValueNode()))
                        .toList();
            }
            known = 1
                    + children.stream()
                            .mapToLong(child -> requireBounded(name, child, sizes))
                            .sum();
            sizes.put(node, known);
        }
        if (known == 0 || known > MAX_NODES) {
            throw new InvalidConfigurationException(name + ":"
                    + (node.getStartMark().getLine() + 1) + ": "
                    + (known == 0
                            ? "an alias (*" + node.getAnchor() + ") contains itself; write the value out"
                            : "expands to more than " + MAX_NODES + " values with its aliases"));
        }
        return known;
    }

    private static void override(MappingNode root, String override) {
        int equals = override.indexOf('=');
        if (equals <= 0) {
            throw new UsageException("--set " + override + ": must be KEY=VALUE");
        }
        String name = "--set " + override.substring(0, equals); // the value may be a secret in the wrong place
        Node value = compose(name, override.substring(equals + 1), false, new HashMap<>());
        if (value == null) {
            value = compose(name, "''", false, new HashMap<>());
        }
        String[] keys = override.substring(0, equals).split("\\.", -1);
        MappingNode mapping = root;
        for (int i = 0; i < keys.length - 1; i++) {
            int at = keysOf(mapping).indexOf(keys[i]);
            if (at < 0 || !(mapping.getValue().get(at).getValueNode() instanceof MappingNode next)) {
                throw new InvalidConfigurationException(
                        name + ": the configuration has no section \"" + keys[i] + "\"");
            }
            mapping = next;
        }
        String key = keys[keys.length - 1];
        List<String> known = keysOf(mapping);
        int at = known.indexOf(key);
        if (at < 0) {
            throw new InvalidConfigurationException(
                    name + ": the configuration has no key \"" + key + "\"" + Suggestion.hint(key, known));
        }
        mapping.getValue()
                .set(at, new NodeTuple(mapping.getValue().get(at).getKeyNode(), Objects.requireNonNull(value)));
    }

    /** Returns the keys in order; a key that is not a scalar becomes "?". */
    private static List<String> keysOf(MappingNode mapping) {
        return mapping.getValue().stream().map(StrictYaml::keyOf).toList();
    }

    static String keyOf(NodeTuple tuple) {
        return tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
    }

    /** Returns the configuration as YAML; {@link #readText} reads it back to an equal record. */
    public static String write(Record config) {
        return new Yaml(new Texts(), blocks()).dump(plain(config));
    }

    /** Quotes a text that is read as a number otherwise: 1e4. */
    private static final class Texts extends Representer {
        Texts() {
            super(blocks());
            Represent usual = Objects.requireNonNull(representers.get(String.class));
            representers.put(
                    String.class,
                    text -> RecordBinder.isExponent(text.toString())
                            ? representScalar(Tag.STR, text.toString(), DumperOptions.ScalarStyle.DOUBLE_QUOTED)
                            : usual.representData(text));
        }
    }

    private static DumperOptions blocks() {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setAllowUnicode(true);
        return options;
    }

    /** Returns the configuration as maps, lists and plain values, with the keys of {@link #write}. */
    public static Map<String, @Nullable Object> plain(Record config) {
        boolean sparse = config.getClass().isAnnotationPresent(Defaults.Sparse.class);
        return (sparse ? SPARSE : PLAIN).convertValue(config, new TypeReference<>() {});
    }
}

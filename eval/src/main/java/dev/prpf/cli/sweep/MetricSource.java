package dev.prpf.cli.sweep;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.JsonFile;
import dev.prpf.cli.sweep.MemberRun.MemberRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Finds a metric of a member, in its files or in the results of its commands. {@code FILE#/a/b} is a JSON Pointer (RFC 6901) into a file of the
 * member's directory, for {@code .jsonl} into its last line. {@code #/a/b}, or {@code a.b}, points into the result of the member's last command,
 * {@code 1#/a/b} into that of its first. In an array, {@code k=5} selects the first element with {@code k} equal to 5.
 *
 * @param file empty for the last result; a number for that command's result, from 1; else a file
 * @param path from the root
 */
record MetricSource(String file, List<String> path) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern NAME = Pattern.compile("([^#/=]+)=");

    /** @throws IllegalArgumentException for any other text */
    static MetricSource parse(String text) {
        int hash = text.indexOf('#');
        if (hash < 0 && text.matches("[^./]+(\\.[^./]+)*")) {
            return new MetricSource("", List.of(text.split("\\.")));
        }
        if (hash < 0 || !text.startsWith("/", hash + 1)) {
            throw new IllegalArgumentException(
                    "\"" + text
                            + "\", must be a.b of the command's result, or FILE#/a/b of a file of the member (#/a/b of its result)");
        }
        List<String> path = Stream.of(text.substring(hash + 2).split("/", -1))
                .map(part -> part.replace("~1", "/").replace("~0", "~"))
                .toList();
        return new MetricSource(text.substring(0, hash), path);
    }

    /**
     * Returns the metric's value; null if it is missing or not a number.
     *
     * @param directory of the member
     */
    @Nullable
    Double of(Path directory, MemberRecord record) {
        JsonNode node = root(directory, record);
        for (String part : path) {
            node = node.isArray() ? element(node, part) : node.path(part);
        }
        return node.isNumber() ? node.doubleValue() : null;
    }

    private static JsonNode element(JsonNode array, String part) {
        int equals = part.indexOf('=');
        if (equals < 0) {
            return part.matches("\\d{1,9}") ? array.path(Integer.parseInt(part)) : MissingNode.getInstance();
        }
        return StreamSupport.stream(array.spliterator(), false)
                .filter(one -> one.path(part.substring(0, equals)).asText().equals(part.substring(equals + 1)))
                .findFirst()
                .orElse(MissingNode.getInstance());
    }

    private JsonNode root(Path directory, MemberRecord record) {
        List<MemberRecord.Step> steps = record.steps();
        if (file.isEmpty() || file.matches("\\d{1,9}")) {
            int step = file.isEmpty() ? steps.size() : Integer.parseInt(file);
            return step < 1 || step > steps.size()
                    ? MissingNode.getInstance()
                    : steps.get(step - 1).result();
        }
        Path path = directory.resolve(file);
        if (!Files.isRegularFile(path)) {
            return MissingNode.getInstance();
        }
        return file.endsWith(".jsonl") ? lastLine(path) : JsonFile.read(path);
    }

    private static JsonNode lastLine(Path path) {
        List<String> lines = IoFailure.whileReading("cannot read " + path, () -> Files.readAllLines(path)).stream()
                .filter(line -> !line.isBlank())
                .toList();
        try {
            return lines.isEmpty() ? MissingNode.getInstance() : JSON.readTree(lines.get(lines.size() - 1));
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(path + ":" + lines.size() + ": is not JSON: " + e.getOriginalMessage());
        }
    }

    /**
     * Parses sources, each {@code NAME=SOURCE}, or {@code SOURCE}, which is then also the name.
     *
     * @throws IllegalArgumentException for a duplicate name, and as {@link #parse}
     */
    static Map<String, String> named(List<String> texts) {
        Map<String, String> sources = new LinkedHashMap<>();
        for (String text : texts) {
            Matcher name = NAME.matcher(text);
            boolean named = name.lookingAt();
            String source = named ? text.substring(name.end()) : text;
            parse(source);
            String key = named ? name.group(1) : text;
            if (sources.put(key, source) != null) {
                throw new IllegalArgumentException("\"" + key + "\" is a duplicate");
            }
        }
        return sources;
    }
}

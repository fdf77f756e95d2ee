package dev.prpf.par.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.ParquetShards;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Training data of a tokenizer: texts, and the words to add as single tokens. */
final class TrainingText {
    /** Maximum length of a value that counts as a name and not a sentence. */
    private static final int MAX_VALUE_LENGTH = 16;

    /** Minimum length of an ASCII word: a shorter one would split others ("on" in "instruction"), and merges learn it anyway. */
    private static final int MIN_ASCII_LENGTH = 4;

    private static final List<String> KEYS = List.of("instruction", "function", "functions", "name", "parameters");

    private final List<String> texts = new ArrayList<>();
    private final Set<String> names = new LinkedHashSet<>(KEYS);
    private final Map<String, Integer> values = new LinkedHashMap<>();

    /**
     * Adds one file: samples (a JSON array, or Parquet), a pool (a JSON object) or plain text.
     *
     * @throws PrpfException 65 if it cannot be read
     */
    public void addFile(Path file) {
        try {
            switch (ParquetShards.isParquet(file) ? '[' : firstCharacter(file)) {
                case '[' -> {
                    try (SampleReader samples = SampleReader.open(file)) {
                        samples.forEachRemaining(this::add);
                    }
                }
                case '{' -> add(FunctionPoolFile.read(file));
                default -> texts.addAll(Files.readAllLines(file));
            }
        } catch (IOException e) {
            throw new InvalidDataException(
                    file + ": cannot be read as text in UTF-8: " + e + "; give data, a pool or plain text", e);
        }
    }

    private static char firstCharacter(Path file) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            int c = reader.read();
            while (c >= 0 && Character.isWhitespace(c)) {
                c = reader.read();
            }
            return c < 0 ? 0 : (char) c;
        }
    }

    /** Adds a sample's fields, steps and answers; images are not read. */
    public void add(Sample sample) {
        texts.add(sample.context().profile());
        texts.add(sample.context().phone());
        texts.add(sample.context().world());
        texts.addAll(sample.trajectory().texts());
        if (sample.answers() != null) {
            sample.answers().forEach(this::add);
        }
    }

    private void add(Recommendation answer) {
        texts.add(FunctionCallJson.write(answer).toString());
        answer.calls().stream()
                .flatMap(call -> call.parameters().values().stream())
                .flatMap(FunctionCallJson::leaves)
                .filter(leaf -> leaf.isTextual() && leaf.textValue().length() <= MAX_VALUE_LENGTH)
                .forEach(leaf -> values.merge(leaf.textValue(), 1, Integer::sum));
    }

    /** Adds a pool's descriptions; names of functions and parameters, and enumerated values, become words. */
    public void add(FunctionPool pool) {
        for (FunctionSpec function : pool.functions()) {
            texts.add(function.description());
            names.add(function.name());
            for (ParameterSpec parameter : function.parameters()) {
                texts.add(parameter.description());
                names.add(parameter.name());
                if (parameter.enumeration() != null) {
                    parameter.enumeration().stream()
                            .filter(JsonNode::isTextual)
                            .forEach(value -> names.add(value.textValue()));
                }
            }
        }
    }

    /** Adds the scenarios' Chinese names as words. */
    public void add(ScenarioCatalog catalog) {
        catalog.scenarios().stream().map(Scenario::chinese).forEach(names::add);
    }

    /** Returns all added texts. */
    public List<String> texts() {
        return List.copyOf(texts);
    }

    /**
     * Returns the words to add as tokens.
     *
     * @param valueCount minimum count of a parameter value in answers that becomes a word; 0 for none
     */
    public List<String> words(int valueCount) {
        Set<String> words = new LinkedHashSet<>(names);
        if (valueCount > 0) {
            values.forEach((value, count) -> {
                if (count >= valueCount) {
                    words.add(value);
                }
            });
        }
        words.removeIf(word -> word.length() < MIN_ASCII_LENGTH && word.chars().allMatch(c -> c < 0x80));
        return List.copyOf(words);
    }
}
